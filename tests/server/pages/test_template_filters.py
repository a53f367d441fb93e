"""How values are written on pages."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from markupsafe import Markup

from scorer.boards.board import (
    NOT_ENTERED,
    Board,
    BoardLevel,
    BoardRules,
    Cell,
    Kind,
    Row,
    Total,
    TotalColumn,
)
from scorer.boards.changes import BoardValue
from scorer.values import Undefined
from server.access import tasks
from server.boards import score_formatting
from server.boards.inference_marks import Mark
from server.core import dates
from server.mail import rendering as mail_rendering
from server.phases.models import Phase
from server.phases.rules import Window
from server.web import formatting, markdown, times

pytestmark = pytest.mark.one_database

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)


def test_numbers_have_a_leading_zero_and_three_decimal_places() -> None:
    said = [
        score_formatting.format_decimal(0.8149),
        score_formatting.format_decimal(-0.02),
        score_formatting.format_decimal(-0.0001),
        score_formatting.format_decimal(2.61),
    ]
    assert said == ["0.815", "−0.020", "0.000", "2.610"]
    assert [score_formatting.format_difference(value) for value in (0.015, -0.5, 0.0004)] == [
        "+0.015",
        "−0.500",
        "0.000",
    ]
    assert [score_formatting.format_p_value(p) for p in (1.0, 0.04, 0.001, 0.0009)] == [
        "1.000",
        "0.040",
        "0.001",
        "below 0.001",
    ]
    assert "[0.900, 0.964]" in score_formatting.render_interval(Mark((0.9, 0.9641)))


CONSTANT = Undefined("constant", "the run is constant")


def board(kind: Kind, **values: float | Undefined) -> Board:
    """One row at one level, with these values by metric, and totals without a value."""
    row = Row(
        "ash", "one", kind,
        {"p2s": {metric: Cell(value) for metric, value in values.items()}},
        (Total(NOT_ENTERED, None, 0, 1),) * 2,
    )  # fmt: skip
    level = BoardLevel("p2s", "Paragraph to sentence", tuple(values))
    totals = tuple(
        TotalColumn(name, {"p2s": name}, higher_is_better=True) for name in ("pearson", "spearman")
    )
    official, late = ((row,), ()) if kind == "official" else ((), (row,))
    return Board((level,), BoardRules(), totals, official, late, ())


def test_time_is_shown_in_utc_and_anywhere_on_earth() -> None:
    closes = datetime(2026, 3, 16, 11, 59, tzinfo=UTC)
    assert times.utc(closes) == '<time datetime="2026-03-16T11:59:00+00:00">16 Mar 2026, 11:59 UTC</time>'
    assert times.anywhere(closes) == "15 Mar, 23:59 AoE"
    assert times.anywhere(closes.replace(hour=12)) == "00:59 AoE"
    assert times.anywhere(closes.replace(month=1, day=1)) == "31 Dec 2025, 23:59 AoE"


def test_only_logs_and_receipts_show_seconds() -> None:
    closes = datetime(2026, 3, 16, 11, 59, 11, tzinfo=UTC)
    assert ", 11:59 UTC</time>" in times.utc(closes)
    assert ", 11:59:11 UTC</time>" in times.utc_seconds(closes)
    assert times.anywhere(closes) == "15 Mar, 23:59 AoE"
    assert mail_rendering.format_utc_and_aoe(closes) == "16 Mar 2026, 11:59 UTC (15 Mar 2026, 23:59 AoE)"


def test_every_format_that_the_site_shows_is_read_back() -> None:
    paris = ZoneInfo("Europe/Paris")
    at = datetime(2026, 3, 16, 11, 59, tzinfo=UTC)
    shown = [
        dates.format_utc(at), dates.format_utc(at, seconds=True), dates.format_plain_utc(at),
        mail_rendering.format_utc_and_aoe(at), mail_rendering.format_utc_and_aoe_seconds(at),
        f"{dates.moment(at.astimezone(dates.AOE))} AoE", f"{dates.moment(at.astimezone(paris))} CET",
        f"{dates.format_utc(at)} ({times.anywhere(at)})", "16 Mar 2026, 17:44 GMT+5:45",
        *re.findall('datetime="([^"]*)"', f"{times.utc(at)}{times.utc_seconds(at)}"),
        at.isoformat(), at.isoformat(timespec="milliseconds"), f"{at:%Y-%m-%dT%H:%M:%S.000Z}",
    ]  # fmt: skip
    for text in shown:
        assert dates.parse_moment(text, "", paris) == at, text
    with pytest.raises(ValueError, match="or add AoE for anywhere on earth"):
        dates.parse_moment("16 Mar 2026, 12:59 CEST", "", paris)


@pytest.mark.parametrize(
    ("away", "words_"),
    [
        (timedelta(seconds=59), "within a minute"),
        (timedelta(minutes=12, seconds=30), "in 12 min"),
        (timedelta(hours=3, minutes=12), "in 3 h 12 min"),
        (timedelta(hours=47, minutes=59), "in 47 h 59 min"),
        (timedelta(days=2), "in 2 days"),
        (timedelta(days=800), "in 2 years"),
    ],
)
def test_deadline_shows_the_remaining_time(away: timedelta, words_: str) -> None:
    assert times.until(NOON + away, NOON) == words_


def test_countdown_works_without_javascript_and_carries_the_time_for_it() -> None:
    element = times.countdown(NOON + timedelta(hours=3), NOON)
    assert element == '<span data-until="2026-03-15T15:00:00.000+00:00">in 3 h 0 min</span>'


def phases(*windows: tuple[int | None, int | None, int], at: datetime = NOON) -> list[tasks.PhaseView]:
    """Phases by the days in which they open and close, and the hours of their grace period."""
    views = []
    for opens, closes, grace in windows:
        first, last = (None if day is None else NOON + timedelta(days=day) for day in (opens, closes))
        window = Window(first, last, grace)
        views.append(tasks.PhaseView(Phase(title=f"{opens} to {closes}"), window, window.state(at)))
    return views


@pytest.mark.parametrize(
    ("windows", "expected"),
    [
        ([(None, None, 0)], ("None to None", [], None)),
        (
            [(None, None, 0), (-9, 2, 0), (-9, 1, 0), (5, 9, 0), (3, 4, 0)],
            ("-9 to 1", ["-9 to 2", "None to None"], "3 to 4"),
        ),
        ([(-9, 5, 0), (-9, -1, 48)], ("-9 to -1", ["-9 to 5"], None)),
        ([(-9, -2, 0), (3, 4, 0), (2, 4, 0)], ("2 to 4", [], "3 to 4")),
        ([(-9, -2, 0), (-9, -1, 0)], ("-9 to -1", [], None)),
    ],
)
def test_current_and_next_phase_are_found(windows, expected) -> None:
    now = tasks.find_current_phases(phases(*windows))
    others = [view.phase.title for view in now.others]
    assert (now.view.phase.title, others, now.next and now.next.phase.title) == expected


def test_score_is_rounded_on_the_page_and_keeps_full_precision_in_the_markup() -> None:
    html = score_formatting.render_value(-0.12345678901234566)
    assert ">−0.123<" in html
    assert 'value="-0.12345678901234566"' in html
    assert ">0.000<" in score_formatting.render_value(-7e-18)


def test_dash_has_a_reason() -> None:
    assert "not computed" in score_formatting.render_value(None)
    assert "the file is empty" in score_formatting.render_value(None, reason="the file is empty")
    assert "the run is constant" in score_formatting.render_value(CONSTANT)
    assert "no submission in this row" in score_formatting.render_value(NOT_ENTERED)


def test_compared_value_has_the_reason_of_its_leaderboard() -> None:
    assert "no such row" in score_formatting.render_compared_value(None)
    assert ">not entered<" in score_formatting.render_compared_value(BoardValue(NOT_ENTERED, None))
    assert ">0.1250<" in score_formatting.render_compared_value(BoardValue(0.125, 1), 4)


def test_reason_is_listed_once_for_all_metrics_and_not_for_levels_not_entered() -> None:
    both = board("official", pearson=CONSTANT, spearman=CONSTANT)
    half = board("late", pearson=CONSTANT, spearman=0.5)
    assert score_formatting.list_undefined_reasons(both) == [
        ("ash one", "Paragraph to sentence", "the run is constant")
    ]
    pearson = [("ash one (late)", "Paragraph to sentence, Pearson", "the run is constant")]
    assert score_formatting.list_undefined_reasons(half) == pearson
    assert score_formatting.list_undefined_reasons(half, {(None, "pearson")}) == []
    assert score_formatting.list_undefined_reasons(half, {("p2s", "pearson")}) == pearson
    assert score_formatting.list_undefined_reasons(board("official", pearson=NOT_ENTERED)) == []


def test_bad_line_is_shown_with_its_invisible_characters() -> None:
    assert formatting.show_whitespace("3\t0.5") == '3<span class="ws">→</span>\t0.5'
    assert formatting.show_whitespace("a b") == 'a<span class="ws">·</span>b'
    assert formatting.show_whitespace("\u00a0") == '<span class="ws named">U+00A0</span>'
    assert formatting.show_whitespace("<b>") == "&lt;b&gt;"
    assert len(formatting.show_whitespace("9" * 70_000)) < 300


def test_warning_names_its_line_without_repeating_the_file() -> None:
    assert formatting.format_warning("run: 1.tsv:3: score 5 is outside the scale", "run: 1.tsv") == (
        "Line 3: score 5 is outside the scale."
    )
    assert formatting.format_warning("run.tsv: and 9 more scores", "run.tsv") == "And 9 more scores."


def test_sentence_filter_keeps_markup_safe() -> None:
    assert formatting.sentence(Markup("closes <time>x</time> ")) == Markup("Closes <time>x</time>.")


def test_external_image_in_markdown_becomes_a_link() -> None:
    shown = markdown.render_markdown("![a map](https://example.org/map.png)")
    assert "<img" not in shown
    assert 'href="https://example.org/map.png"' in shown


def test_markdown_is_sanitized_and_never_produces_a_first_level_heading() -> None:
    html = markdown.render_markdown(
        "# One\n\n## Two\n\n<script>x</script>\n\n[a](javascript:x)\n\n| a |\n|---|\n| b |\n"
    )
    assert "<h2>One</h2>" in html
    assert "<h3>Two</h3>" in html
    assert "<script" not in html
    assert 'href="javascript' not in html
    assert 'role="region" aria-label="Table 1" tabindex="0"><table>' in html


def test_numbers_of_a_table_in_markdown_are_aligned_without_styles() -> None:
    html = markdown.render_markdown("| a | n |\n|---|---:|\n| b | 1 |\n")
    assert "<th>a</th>" in html
    assert '<th class="num">n</th>' in html
    assert '<td class="num">1</td>' in html
    assert "style" not in html


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("looks like a header; say so (header = true, or --header)", "Looks like a header; say so."),
        ("or read quotes as plain text (--quotes plain)", "Or read quotes as plain text."),
        ("confirm that (first_is_score)", "Confirm that."),
        ("write a number (such as 2.5)", "Write a number (such as 2.5)."),
    ],
)
def test_pages_leave_the_options_of_commands_out_of_messages(message: str, shown: str) -> None:
    assert formatting.message_sentence(message) == shown
