"""For `celery -A order_desk.worker worker --beat`: what runs the nightly job."""

from . import create_app

celery = create_app().extensions["celery"]
