"""Counts and times for Prometheus, by prometheus-client; without ASSAY_METRICS, nothing is loaded or counted.

All processes of the site write into files of one folder, which the answer to a scrape is read from. A worker
without a site answers for itself.
"""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from server.core.config import Config, ConfigError, load_extra

SETTING = "ASSAY_METRICS"
FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""The variable of prometheus-client with the folder; a process that is not given one counts nothing."""
REQUESTS = "assay_requests_total"
REQUEST_SECONDS = "assay_request_seconds"
SCORING_SECONDS = "assay_scoring_seconds"
LOCK_SECONDS = "assay_write_lock_wait_seconds"
MAILS = "assay_mails_total"
MAIL_RESULTS = ("sent", "logged", "failed", "refused")
"""Logged: the site has no mail server; failed: it will be tried again; refused: it will not."""
_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_metrics: dict[str, Any] = {}


def make_folder(config: Config) -> str | None:
    """Make a folder for this run of the site and name it to all processes; None: the operator named one.

    It is in memory if it can be: a process that writes to a mapped file on a full disk is killed.
    """
    if not config.metrics or os.environ.get(FOLDER_VARIABLE):
        return None
    memory = "/dev/shm"  # noqa: S108  (a folder of its own in there)
    os.environ[FOLDER_VARIABLE] = folder = tempfile.mkdtemp(
        prefix="assay-metrics-", dir=memory if os.access(memory, os.W_OK) else None
    )
    return folder


def start(config: Config) -> None:
    """Count from now on if the settings ask for it, in this process and those forked from it.

    Raises:
        ConfigError: prometheus-client is not installed.
    """
    if config.metrics and os.environ.get(FOLDER_VARIABLE) and not _metrics:
        _create_metrics()


def start_alone(config: Config) -> None:
    """Count in a worker that no site started, and answer scrapes at the port after the site's.

    Raises:
        ConfigError: prometheus-client is not installed, or the port cannot be used.
    """
    if not config.metrics or os.environ.get(FOLDER_VARIABLE):
        return
    _create_metrics()
    host, _, site_port = config.metrics.rpartition(":")
    port = int(site_port) + 1
    try:
        load_extra("prometheus_client", SETTING).start_http_server(port, host.strip("[]"))
    except (OSError, OverflowError) as error:
        raise ConfigError(
            f"a worker’s metrics are at the port after that of {SETTING}: {port} of {host} cannot be used "
            f"({error})"
        ) from error


def _create_metrics() -> None:
    client = load_extra("prometheus_client", SETTING)
    route = ["route", "method"]
    requests = client.Counter(REQUESTS, "Requests by route, method and status.", [*route, "code"])
    mails = client.Counter(MAILS, "Emails that were handed to the mail server, by result.", ["result"])
    for result in MAIL_RESULTS:
        mails.labels(result)  # so that each is 0 before the first one
    _metrics.update({REQUESTS: requests, MAILS: mails})
    for name, meaning, labels in (
        (REQUEST_SECONDS, "Time to answer a request.", route),
        (SCORING_SECONDS, "Time to compute the metrics of one file.", []),
        (LOCK_SECONDS, "Time that a transaction waited until it could write.", []),
    ):
        _metrics[name] = client.Histogram(name, meaning, labels, buckets=_BUCKETS)


def is_on() -> bool:
    """Whether this process counts."""
    return bool(_metrics)


def count(name: str, *labels: str) -> None:
    """Count one event, if anything is counted."""
    if name in _metrics:
        _metrics[name].labels(*labels).inc()


def observe(name: str, seconds: float, *labels: str) -> None:
    """Add a time to a histogram, if anything is counted."""
    if name in _metrics:
        metric = _metrics[name]
        (metric.labels(*labels) if labels else metric).observe(seconds)


@contextmanager
def timed(name: str) -> Iterator[None]:
    """Add the time of a block to a histogram without labels, if anything is counted."""
    start = time.perf_counter()
    try:
        yield
    finally:
        observe(name, time.perf_counter() - start)
