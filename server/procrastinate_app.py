"""The app that Procrastinate's own commands ask for, with the settings of the environment.

procrastinate --app=server.procrastinate_app.app shell
"""

from server.cluster_worker import make_app
from server.core.config import from_env
from server.core.site_resources import create_site

app = make_app(create_site(from_env()))
