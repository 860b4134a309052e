"""The order desk: a Flask application over one SQLite file."""

from pathlib import Path

from flask import Flask, jsonify

from . import cli, db, jobs
from .billing.routes import bp as billing
from .errors import DeskError
from .floor.routes import bp as floor
from .kitchen.routes import bp as kitchen


def create_app(config=None):
    app = Flask(__name__, instance_relative_config=True)
    app.config.from_mapping(
        DATABASE=str(Path(app.instance_path) / "desk.sqlite"),
        SERVICE_RATE=10,
        BROKER_URL="redis://localhost:6379/0",
    )
    app.config.from_prefixed_env("DESK")
    if config is not None:
        app.config.from_mapping(config)
    Path(app.config["DATABASE"]).parent.mkdir(parents=True, exist_ok=True)

    db.init_app(app)
    cli.init_app(app)
    jobs.init_app(app)
    app.register_blueprint(floor)
    app.register_blueprint(kitchen, url_prefix="/kitchen")
    app.register_blueprint(billing, url_prefix="/bills")
    app.register_error_handler(DeskError, refuse)
    return app


def refuse(error):
    return jsonify(error=error.code, message=str(error)), error.status
