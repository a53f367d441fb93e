"""The app object for gunicorn, if an operator starts that without `assay serve`."""

import os
import sys

from server.app import create_app
from server.core import file_permissions, logs, metrics
from server.core.config import from_env

os.umask(0o077)
_config = from_env()
logs.start(_config)
metrics.start(_config)
sys.stderr.writelines(f"{line}\n" for line in file_permissions.restrict_data(_config))
app = create_app(_config)
