"""What Prometheus gets at /metrics: the counts of all processes, and what the site says of itself now."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from server.core import clock
from server.core.config import load_extra
from server.core.metrics import SETTING
from server.core.site_resources import Site
from server.health.service import check_site
from server.jobs import service as jobs

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class MetricsListener:
    """Answers what arrives at the address of ASSAY_METRICS, where /metrics is all there is.

    The site is at the other address, and has no such page. At which one a request arrived is what the web
    server says, so this has to come before anything that reads the headers of proxies.
    """

    def __init__(self, app: WsgiApp, site: Site) -> None:
        self._app, self._site = app, site
        self._port = site.config.metrics.rpartition(":")[2]

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a scrape, or pass the request on to the site."""
        if environ["SERVER_PORT"] != self._port:
            return self._app(environ, start_response)
        if environ["PATH_INFO"] != "/metrics" or environ["REQUEST_METHOD"] != "GET":
            start_response("404 Not Found", [("Content-Type", "text/plain; charset=utf-8")])
            return [b"There is nothing but GET /metrics here.\n"]
        client = load_extra("prometheus_client", SETTING)
        start_response("200 OK", [("Content-Type", client.CONTENT_TYPE_LATEST)])
        return [_collect(self._site)]


class SiteCollector:
    """Reads what the site says of itself at each scrape: its checks, and its jobs if the database answers."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._gauge = load_extra("prometheus_client.core", SETTING).GaugeMetricFamily

    def collect(self) -> Iterator[Any]:
        """Yield the metrics."""
        health = check_site(self._site, clock.now())
        checks = self._gauge("assay_check_ok", "Whether a check of /health/ready is good.", labels=["check"])
        for check in health.checks:
            checks.add_metric([check.name], float(check.problem is None))
        yield checks
        step = clock.step_seconds()
        yield self._gauge("assay_clock_step_seconds", "By how much the clock was set since the start.", step)
        if health.database_answers:
            yield from self._collect_jobs(
                0.0 if health.oldest_due is None else health.oldest_due.total_seconds()
            )

    def _collect_jobs(self, oldest_due: float) -> Iterator[Any]:
        yield self._gauge("assay_oldest_due_job_seconds", "How long a due job has waited.", oldest_due)
        numbers = self._gauge("assay_jobs", "Jobs by kind and state.", labels=["kind", "state"])
        with self._site.reading() as session:
            for kind, state, number in jobs.count_jobs(session):
                numbers.add_metric([kind, state], number)
        yield numbers


def _collect(site: Site) -> bytes:
    registry = load_extra("prometheus_client", SETTING).CollectorRegistry()
    load_extra("prometheus_client.multiprocess", SETTING).MultiProcessCollector(registry)
    registry.register(SiteCollector(site))
    try:
        text: bytes = load_extra("prometheus_client", SETTING).generate_latest(registry)
    finally:
        site.session.remove()
    return text
