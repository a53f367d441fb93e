"""The filters of the templates, by name."""

from collections.abc import Callable
from typing import Any

from server.boards import interval_bars, score_formatting
from server.pages.releases import rule_messages
from server.pages.tasks import task_files, task_header
from server.runs import history as run_history, links
from server.tasks import split_names
from server.tasks.contacts import contact_url
from server.web import formatting, times

FILTERS: dict[str, Callable[..., Any]] = {
    "contact_url": contact_url,
    "utc": times.utc,
    "utc_seconds": times.utc_seconds,
    "in_reader_zone": times.in_reader_zone,
    "anywhere": times.anywhere,
    "countdown": times.countdown,
    "local_beside": times.local_time,
    "now_of": task_header.find_phase_status,
    "instant": times.parse_instant,
    "span": times.format_period,
    "markdown": task_files.render_text,
    "number": score_formatting.format_scale_point,
    "digits": score_formatting.format_all_digits,
    "score": score_formatting.format_score,
    "label": score_formatting.format_gold_value,
    "sentence": formatting.sentence,
    "message_sentence": formatting.message_sentence,
    "by_line": formatting.format_warning,
    "short": formatting.short_hash,
    "visible": formatting.show_whitespace,
    "metric": score_formatting.format_metric,
    "split_words": split_names.split_words,
    "kind_words": split_names.file_kind_words,
    "history": run_history.merge_history,
    "described": links.has_paper_details,
    "links": links.list_links,
    "reasons": score_formatting.list_undefined_reasons,
    "without_total": score_formatting.count_without_total,
    "figure": score_formatting.render_value,
    "compared": score_formatting.render_compared_value,
    "bare_figure": score_formatting.render_bare_value,
    "interval": score_formatting.render_interval,
    "p_value": score_formatting.format_p_value,
    "pointed": score_formatting.format_decimal,
    "signed": score_formatting.format_difference,
    "written_ends": score_formatting.format_interval_ends,
    "rank_range": score_formatting.render_rank_range,
    "strip": interval_bars.render_interval_bar,
    "axis_end": interval_bars.format_axis_end,
    "telling_places": score_formatting.decimal_places_for,
    "fact_words": score_formatting.describe_fact,
    "rule_words": rule_messages.describe_rule_change,
    "size": formatting.format_size,
    "browser": formatting.describe_browser,
}
