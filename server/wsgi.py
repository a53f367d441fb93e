"""The app object for gunicorn."""

from server.app import create_app
from server.config import from_env

app = create_app(from_env())
