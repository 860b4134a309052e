"""Flask and FastAPI routes: prefixes of every registration are joined, and a handler is cited where it is written."""

# ruff: noqa: E501 - a case is one line of a table, however long

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

from retrodoc.ingest.sources import Sources
from retrodoc.surface.frameworks import fastapi, flask, pyramid, python_route_calls
from retrodoc_runs.models import EntryPoint

FLASK = "from flask import Flask, Blueprint\nfrom flask.views import MethodView\napp = Flask(__name__)\n"
FASTAPI = "from fastapi import APIRouter, FastAPI\napp = FastAPI()\n"


def listed(found: list[EntryPoint]) -> list[str]:
    return sorted(f"{each.method or 'ANY'} {each.path} {each.handler.symbol}" for each in found)


FLASK_FORMS = [
    ("@app.route('/a')\ndef f(): ...", ["GET /a app.f"]),
    ("@app.route('/a', methods=['GET', 'POST'])\ndef f(): ...", ["GET /a app.f", "POST /a app.f"]),
    ("@app.post('/a/<int:pk>')\ndef f(pk): ...", ["POST /a/<int:pk> app.f"]),
    ("@app.route('/a')\n@app.route('/b')\ndef f(): ...", ["GET /a app.f", "GET /b app.f"]),
    ("def f(): ...\napp.add_url_rule('/a', 'f', f, methods=['PUT'])", ["PUT /a app.f"]),
    ("def f(): ...\napp.add_url_rule('/a', view_func=f)", ["GET /a app.f"]),
    (
        "class V(MethodView):\n    def get(self): ...\n    def post(self): ...\n"
        "app.add_url_rule('/a', view_func=V.as_view('v'))",
        ["GET /a app.V", "POST /a app.V"],
    ),
    (
        "class V(MethodView):\n    def get(self): ...\napp.add_url_rule('/a', view_func=guard(V.as_view('v')))",
        ["GET /a app.V"],
    ),
    ("bp = Blueprint('b', __name__)\n@bp.route('/a')\ndef f(): ...", ["GET /a app.f"]),
    (
        "bp = Blueprint('b', __name__, url_prefix='/x')\n@bp.route('/a')\ndef f(): ...\napp.register_blueprint(bp)",
        ["GET /x/a app.f"],
    ),
    (
        "bp = Blueprint('b', __name__, url_prefix='/x')\n@bp.get('/')\ndef f(): ...\n"
        "app.register_blueprint(bp, url_prefix='/y')",
        ["GET /y/ app.f"],
    ),
    (
        "one, two = Blueprint('o', __name__, url_prefix='/o'), Blueprint('t', __name__, url_prefix='/t')\n"
        "@two.get('/a')\ndef f(): ...\none.register_blueprint(two)\napp.register_blueprint(one)",
        ["GET /o/t/a app.f"],
    ),
    (
        "bp = Blueprint('b', __name__)\n@bp.get('/a')\ndef f(): ...\ndef create():\n    app = Flask('x')\n"
        "    for each in (bp,):\n        app.register_blueprint(each, url_prefix='/v1')\n    return app",
        ["GET /v1/a app.f"],
    ),
    (
        "def add(to, rules, view):\n    for rule in rules:\n        to.add_url_rule(rule, view_func=view)\n"
        "def f(): ...\nadd(app, ['/a', '/b'], f)",
        ["GET /a app.f", "GET /b app.f"],
    ),
    (
        "class Config:\n    PREFIX = '/p'\nbp = Blueprint('b', __name__)\n@bp.get('/a')\ndef f(): ...\n"
        "def load(app):\n    app.register_blueprint(bp, url_prefix=app.config['PREFIX'])",
        ["GET /p/a app.f"],
    ),
    ("def load(app):\n    @app.route('/a')\n    def f(): ...", ["GET /a app.load.<locals>.f"]),
    (
        "from flask_restful import Api, Resource\napi = Api(app, prefix='/v2')\nclass R(Resource):\n"
        "    def delete(self): ...\napi.add_resource(R, '/r', '/s')",
        ["DELETE /v2/r app.R", "DELETE /v2/s app.R"],
    ),
    (
        "from flask_restx import Api, Namespace, Resource\nns = Namespace('things')\n@ns.route('/<id>')\n"
        "class R(Resource):\n    def get(self): ...\napi = Api(app)\napi.add_namespace(ns, path='/t')",
        ["GET /t/<id> app.R"],
    ),
    (
        "from flask_restful import Api, Resource\nclass Own(Api):\n    def add(self, resource, *urls):\n"
        "        return self.add_resource(resource, *['/v' + url for url in urls])\nclass R(Resource):\n"
        "    def get(self): ...\napi = Own()\napi.add(R, '/r')",
        ["GET /v/r app.R"],
    ),
    ("cache = {}\n@cache.get('/a')\ndef f(): ...", []),
    ("@app.errorhandler(404)\ndef f(): ...\n@app.before_request\ndef g(): ...", []),
]


@pytest.mark.parametrize(("body", "expected"), FLASK_FORMS)
def test_a_flask_form_gives_these_routes(body: str, expected: list[str]) -> None:
    sources = Sources.from_mapping({"app.py": FLASK + body + "\n"})
    assert listed(list(flask.entry_points(sources))) == expected


FASTAPI_FORMS = [
    ("@app.get('/a/{pk}', name='one')\nasync def f(pk): ...", ["GET /a/{pk} main.f"]),
    ("@app.api_route('/a', methods=['GET', 'PUT'])\ndef f(): ...", ["GET /a main.f", "PUT /a main.f"]),
    ("@app.websocket('/ws')\nasync def f(ws): ...", ["WEBSOCKET /ws main.f"]),
    (
        "r = APIRouter(prefix='/r')\n@r.get('/a')\ndef f(): ...\napp.include_router(r, prefix='/v1')",
        ["GET /v1/r/a main.f"],
    ),
    ("r = APIRouter()\n@r.get('/a')\ndef f(): ...", ["GET /a main.f"]),
    (
        "r, s = APIRouter(prefix='/r'), APIRouter(prefix='/s')\n@s.delete('')\ndef f(): ...\n"
        "r.include_router(s)\napp.include_router(r)\napp.include_router(r, prefix='/old')",
        ["DELETE /old/r/s main.f", "DELETE /r/s main.f"],
    ),
    ("sub = FastAPI()\n@sub.get('/a')\ndef f(): ...\napp.mount('/sub', sub)", ["GET /sub/a main.f"]),
    ("def f(): ...\napp.add_api_route('/a', f, methods=['POST'])", ["POST /a main.f"]),
    (
        "from starlette.routing import Mount, Route\ndef f(request): ...\nclass V:\n    def post(self): ...\n"
        "other = Starlette = None\nfrom starlette.applications import Starlette\n"
        "other = Starlette(routes=[Route('/', f), Mount('/m', routes=[Route('/v', V)])])",
        ["GET / main.f", "POST /m/v main.V"],
    ),
    (
        "class Own(APIRouter): ...\nr = Own(prefix='/r')\n@controller(r)\nclass C:\n    @r.get('/a')\n"
        "    def one(self): ...\napp.include_router(r)",
        ["GET /r/a main.C.one"],
    ),
    ("import requests\n@requests.get('/a')\ndef f(): ...", []),
]


@pytest.mark.parametrize(("body", "expected"), FASTAPI_FORMS)
def test_a_fastapi_form_gives_these_routes(body: str, expected: list[str]) -> None:
    sources = Sources.from_mapping({"main.py": FASTAPI + body + "\n"})
    assert listed(list(fastapi.entry_points(sources))) == expected


PYRAMID_FORMS = [
    (
        "from pyramid.view import view_config\ndef main(config):\n    config.add_route('one', '/a/{id}')\n    config.scan()\n"
        "@view_config(route_name='one', request_method='GET')\ndef f(request): ...\n"
        "@view_config(route_name='unknown')\ndef g(request): ...\n",
        ["GET /a/{id} m.f"],
    ),
    (
        "import pyramid\ndef f(request): ...\ndef includeme(config):\n    config.add_route('one', 'a')\n"
        "    config.add_view(f, route_name='one')\ndef main(config):\n    config.include(includeme, route_prefix='/api')\n",
        ["ANY /api/a m.f"],
    ),
    (
        "from pyramid.view import view_config, view_defaults\ndef main(config):\n    config.add_route('one', '/a')\n"
        "@view_defaults(route_name='one')\nclass V:\n    @view_config(request_method=('POST', 'PUT'))\n    def f(self): ...\n",
        ["POST /a m.V.f", "PUT /a m.V.f"],
    ),
    (
        "from cornice import Service\nthings = Service(name='things', path='/things/{id}')\n@things.get()\ndef f(r): ...\n"
        "@things.delete(x=1)\ndef g(r): ...\n",
        ["DELETE /things/{id} m.g", "GET /things/{id} m.f"],
    ),
    (
        "from cornice.resource import resource\n@resource(collection_path='/x', path='/x/{id}')\nclass X:\n"
        "    def collection_get(self): ...\n    def get(self): ...\n    def put(self): ...\n",
        ["GET /x m.X", "GET /x/{id} m.X", "PUT /x/{id} m.X"],
    ),
]


@pytest.mark.parametrize(("body", "expected"), PYRAMID_FORMS)
def test_a_pyramid_form_gives_these_routes(body: str, expected: list[str]) -> None:
    found = {entry.label: entry for entry in pyramid.entry_points(Sources.from_mapping({"m.py": body}))}
    assert listed(list(found.values())) == expected


CALLS = [
    ("from aiohttp import web\nasync def f(r): ...\ndef make(app):\n    app.router.add_get('/a', f)", ["GET /a m.f"]),
    ("from aiohttp import web\nasync def f(r): ...\ndef make(app):\n    app.router.add_route('PUT', '/a', f)", ["PUT /a m.f"]),
    ("from aiohttp import web\nasync def f(r): ...\ndef make(app):\n    app.add_routes([web.post('/a', f)])", ["POST /a m.f"]),
    ("from aiohttp import web\nroutes = web.RouteTableDef()\n@routes.get('/a')\nasync def f(r): ...", ["GET /a m.f"]),
    (
        "import tornado.web\nclass H(tornado.web.RequestHandler):\n    def get(self): ...\n"
        "app = tornado.web.Application([(r'/a', H), tornado.web.url(r'/b', H)])",
        ["GET /a m.H", "GET /b m.H"],
    ),
    ("class R:\n    def on_put(self, a, b): ...\ndef make(app):\n    app.add_route('/a', R())", ["PUT /a m.R"]),
    ("from bottle import route\n@route('/a')\ndef f(): ...", ["ANY /a m.f"]),
    (
        "class V:\n    def get(self): return 1\n    def post(self): return Response('no', status=405)\n"
        "    def put(self):\n        raise NotImplementedError\n"
        "def table():\n    routes = []\n    def add_route(view, regex):\n        routes.append((regex, view))\n"
        "    add_route(V, r'/a(\\.json)?$')\n    return routes",
        ["GET /a(\\.json)?$ m.V"],
    ),
    ("def f(): ...\ndef make(registry):\n    registry.add_view('no path', f)\n    registry.add_route('/a', '/b', f)", []),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), CALLS)
def test_a_call_that_registers_one_path_and_one_handler_is_a_route(body: str, expected: list[str]) -> None:
    assert listed(list(python_route_calls.entry_points(Sources.from_mapping({"m.py": body})))) == expected


def test_a_router_of_another_module_is_the_same_router() -> None:
    files = {
        "app/__init__.py": "",
        "app/main.py": "from fastapi import FastAPI\nfrom app.users import router as users\nfrom . import orders\n"
        "app = FastAPI()\napp.include_router(users, prefix='/u')\napp.include_router(orders.router)\n",
        "app/users.py": "from fastapi import APIRouter\nrouter = APIRouter()\n@router.get('/me')\ndef me(): ...\n",
        "app/orders.py": "from fastapi import APIRouter\nrouter = APIRouter(prefix='/o')\n@router.put('/{n}')\n"
        "def put(n): ...\n",
        "tests/test_app.py": "from fastapi import FastAPI\napp = FastAPI()\n@app.get('/only-in-a-test')\ndef f(): ...\n",
    }
    found = list(fastapi.entry_points(Sources.from_mapping(files)))
    assert listed(found) == ["GET /u/me app.users.me", "PUT /o/{n} app.orders.put"]
    assert [each.handler.path for each in found] == ["app/users.py", "app/orders.py"]


@pytest.mark.parametrize(
    ("rule", "package", "module", "expected"),
    [
        (flask, FLASK + "bp = Blueprint('b', __name__, url_prefix='/b')\napp.register_blueprint(bp)\n",
         "from shop import bp\n@bp.route('/a', methods=['POST'])\ndef f(): ...\n", ["POST /b/a shop.rows.f"]),
        (fastapi, FASTAPI + "router = APIRouter(prefix='/b')\napp.include_router(router)\n",
         "from shop import router\n@router.get('/a')\ndef f(): ...\n", ["GET /b/a shop.rows.f"]),
        (flask, FLASK, "from elsewhere import bp\n@bp.route('/a')\ndef f(): ...\n", []),
    ],
    ids=["flask", "fastapi", "a router that is not the project's"],
)  # fmt: skip
def test_a_module_needs_no_import_of_the_framework(
    rule: ModuleType, package: str, module: str, expected: list[str]
) -> None:
    """It has the router from another module of the project."""
    sources = Sources.from_mapping({"shop/__init__.py": package.encode(), "shop/rows.py": module.encode()})
    assert listed(list(rule.entry_points(sources))) == expected


def test_a_ninja_api_is_reached_under_the_django_route_that_holds_it() -> None:
    files = {
        "site/__init__.py": "",
        "site/urls.py": "from django.urls import path\nfrom site.api import api\nurlpatterns = [path('api/', api.urls)]\n",
        "site/api.py": "from ninja import NinjaAPI, Router\napi = NinjaAPI()\nrouter = Router()\n"
        "@api.get('/me')\ndef me(request): ...\n@router.post('/{n}')\ndef add(request, n): ...\n"
        "api.add_router('/items', router)\n",
    }
    found = listed(list(fastapi.entry_points(Sources.from_mapping(files))))
    assert found == ["GET /api/me site.api.me", "POST /api/items/{n} site.api.add"]


def test_a_class_view_is_cited_at_the_method_that_answers_the_verb() -> None:
    body = "class V(MethodView):\n    x = 1\n    def post(self):\n        return 1\napp.add_url_rule('/a', view_func=V.as_view('name'))\n"
    (entry,) = flask.entry_points(Sources.from_mapping({"app.py": FLASK + body}))
    assert (entry.name, entry.handler.start_line, entry.handler.end_line) == ("name", 6, 7)


@pytest.mark.corpora
def test_flaskbbs_blueprints_keep_their_configured_prefixes(corpus_sources: Callable[[str], Sources]) -> None:
    """Its views are added by a helper, in a plugin hook, under prefixes that the configuration holds."""
    found = {(each.method, each.path, each.handler.symbol) for each in flask.entry_points(corpus_sources("flaskbb"))}
    assert ("POST", "/auth/login", "flaskbb.auth.views.Login") in found
    assert ("GET", "/topic/<int:topic_id>-<slug>", "flaskbb.forum.views.ViewTopic") in found
    assert ("POST", "/admin/users/<int:user_id>/ban", "flaskbb.management.views.BanUser") in found
    assert len(found) == 141


@pytest.mark.corpora
def test_kintos_resources_answer_their_two_paths(corpus_sources: Callable[[str], Sources]) -> None:
    found = set(listed(list(pyramid.entry_points(corpus_sources("kinto")))))
    assert "PATCH /buckets/{bucket_id}/collections/{id} kinto.views.collections.Collection" in found
    assert "POST /batch kinto.core.views.batch.post_batch" in found
    assert not any(each.startswith("POST /permissions") for each in found)


@pytest.mark.corpora
def test_datasettes_own_table_is_read(corpus_sources: Callable[[str], Sources]) -> None:
    found = set(listed(list(python_route_calls.entry_points(corpus_sources("datasette")))))
    assert "GET /-/logout$ datasette.views.special.LogoutView" in found
    assert not any(each.startswith("DELETE") for each in found)
