"""The filters of the templates, by name."""

from collections.abc import Callable
from typing import Any

from server.boards import figures
from server.boards import interval_bars as strips
from server.boards.system_keys import write_key
from server.core import markdown as prose
from server.releases import rule_messages as rule_words
from server.runs import history as run_history
from server.runs import links
from server.site.views import task_header as heads
from server.tasks import splits
from server.web import formatting as words
from server.web import times

FILTERS: dict[str, Callable[..., Any]] = {
    "utc": times.utc,
    "utc_seconds": times.utc_seconds,
    "anywhere": times.anywhere,
    "until": times.until,
    "countdown": times.countdown,
    "deadline": times.deadline,
    "local_beside": times.local_beside,
    "now_of": heads.now_of,
    "instant": times.instant,
    "span": times.span,
    "markdown": prose.markdown,
    "number": figures.number,
    "digits": figures.digits,
    "score": figures.score,
    "label": figures.label,
    "plural": words.plural,
    "sentence": words.sentence,
    "by_line": words.by_line,
    "short": words.short,
    "visible": words.visible,
    "metric": figures.metric,
    "splits": splits.splits,
    "split_words": splits.split_words,
    "kind_words": splits.kind_words,
    "history": run_history.merge_history,
    "described": links.has_paper_details,
    "links": links.list_links,
    "reasons": figures.reasons,
    "without_total": figures.without_total,
    "system_key": write_key,
    "figure": figures.figure,
    "cell": figures.cell,
    "bare_figure": figures.bare_figure,
    "interval": figures.interval,
    "p_value": figures.p_value,
    "pointed": figures.pointed,
    "signed": figures.signed,
    "written_ends": figures.written_ends,
    "rank_range": figures.rank_range,
    "strip": strips.strip,
    "axis_end": strips.axis_end,
    "telling_places": figures.telling_places,
    "fact_words": figures.fact_words,
    "rule_words": rule_words.rule_words,
    "size": words.size,
    "browser": words.browser,
}
