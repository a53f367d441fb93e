"""Logs, as text or as JSON by structlog, and reports of errors to Sentry, if the settings ask for them."""

import logging.config
import sys
from collections.abc import Mapping, MutableMapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from server.core.config import Config, load_extra

REQUESTS = "assay.requests"
"""The logger with a line for each request, which only JSON logs show."""
NO_REQUEST: Mapping[str, str] = MappingProxyType({})
request_fields: ContextVar[Mapping[str, str]] = ContextVar("request_fields", default=NO_REQUEST)
"""The id and the route of the request that this thread answers; each log entry and report has them."""


def start(config: Config) -> None:
    """Use the logs and the reports that the settings ask for, in this process and those forked from it.

    Raises:
        ConfigError: a package that they need is not installed.
    """
    if config.log == "json":
        logging.config.dictConfig(json_settings())
    if config.sentry_dsn:
        load_extra("sentry_sdk", "ASSAY_SENTRY_DSN").init(
            config.sentry_dsn,
            default_integrations=False,
            auto_enabling_integrations=False,
            include_local_variables=False,  # they may be gold, texts and people's names
            max_breadcrumbs=0,
            server_name="assay",
            before_send=_remove_messages,
        )


def json_settings() -> dict[str, Any]:
    """Return the settings of Python's logging for one JSON object per entry, on standard error.

    Raises:
        ConfigError: structlog is not installed.
    """
    structlog = load_extra("structlog", "ASSAY_LOG=json")
    formatter = structlog.stdlib.ProcessorFormatter
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "json": {
                "()": formatter,
                "foreign_pre_chain": [
                    structlog.stdlib.add_log_level,
                    structlog.stdlib.add_logger_name,
                    structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
                    structlog.stdlib.ExtraAdder(),
                    _add_request_fields,
                    structlog.processors.format_exc_info,
                ],
                "processors": [formatter.remove_processors_meta, structlog.processors.JSONRenderer()],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"level": "WARNING", "handlers": ["stderr"]},
        "loggers": {
            REQUESTS: {"level": "INFO"},
            "gunicorn.error": {"handlers": [], "propagate": True},
        },
    }


def report_error(error: BaseException) -> None:
    """Report an error to Sentry if it is set: its type and code, and the id and route of the request."""
    if (sentry := sys.modules.get("sentry_sdk")) is None:
        return
    with sentry.new_scope() as scope:
        for name, value in request_fields.get().items():
            scope.set_tag(name, value)
        sentry.capture_exception(error)


def _add_request_fields(
    _logger: object, _method: str, entry: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    entry.update(request_fields.get())
    return entry


def _remove_messages(report: dict[str, Any], _hint: object) -> dict[str, Any]:
    """Remove the texts of errors, which may quote people's data; the log has them with the request's id."""
    for error in report.get("exception", {}).get("values", ()):
        error["value"] = ""
    return report
