"""How the one model of tables and records is written, where no whole report shows it alone."""

import pytest

from scorer.reports.records import write_csv, write_records
from scorer.reports.table_report import ReportTable, TableReport, render_table_report
from scorer.reports.tables import (
    TableSection,
    WordTable,
    plain_table,
    write_latex,
    write_markdown,
    write_text,
)
from scorer.values import Undefined, write_json

HEAD = ["run", "d"]
RANKED = TableSection([["a", "2.0"], ["b", "-1.0"]], "Ranked", rules=[1])
UNRANKED = TableSection([["c", "–"]], "No value")


def test_text_has_a_rule_between_rows_and_a_name_above_each_section() -> None:
    table = WordTable(HEAD, [TableSection(RANKED.rows, rules=[1]), UNRANKED], ["run"])
    assert write_text([["Title"], [table], [], ["A note."]]).split("\n") == [
        "Title", "", "run     d", "a     2.0", "---------", "b    -1.0", "", "No value", "c       –", "",
        "A note.", "",
    ]  # fmt: skip


def test_text_repeats_the_header_in_each_section_on_request() -> None:
    table = WordTable(HEAD, [RANKED, UNRANKED], ["run"], repeat_head=True)
    lines = write_text([[table]]).split("\n")
    assert [lines[place] for place in (0, 1, 6, 7)] == ["Ranked", "run     d", "No value", "run     d"]


def test_latex_has_no_two_rules_in_a_row_where_the_first_section_is_empty() -> None:
    lines = write_latex([[WordTable(HEAD, [TableSection([]), UNRANKED], ["run"])]]).split("\n")
    assert lines[2:6] == [r"run & d \\", r"\midrule", r"\multicolumn{2}{l}{\emph{No value}} \\", r"c & -- \\"]


def test_latex_uses_minus_signs_and_wraps_wide_columns_on_request() -> None:
    table = WordTable(HEAD, [RANKED], HEAD, wide=["run"], typeset_minus=False)
    lines = write_latex([[table]]).split("\n")
    assert (lines[0], lines[7]) == (r"\begin{tabular}{p{4cm}l}", r"b & -1.0 \\")
    assert r"b & $-$1.0 \\" in write_latex([[plain_table(HEAD, RANKED.rows)]])


def test_markdown_has_all_rows_of_all_sections() -> None:
    assert write_markdown([[WordTable(HEAD, [RANKED, UNRANKED], ["run"])]]).count("\n") == 5


def test_json_and_tsv_have_all_digits_and_a_reason_for_missing_values() -> None:
    missing = Undefined("no_gold", "no\tgold")
    record = {"run": "-1", "value": missing, "undefined": {"code": "no_gold", "reason": "no\tgold"}, "n": 3}
    columns = ("run", "value", "undefined", "n", "rank")
    assert write_records(columns, [record]).split("\n")[1] == "-1\t\tno gold\t3\t"
    assert write_csv(["run", "d"], [["-1", -0.1], ["b", None]]) == "run,d\r\n'-1,-0.1\r\nb,\r\n"
    assert write_json({"value": missing, "n": 3}) == '{\n "value": null,\n "n": 3\n}\n'
    with pytest.raises(TypeError, match="set cannot be written as JSON"):
        write_json({"value": {1}})


def test_column_of_small_numbers_keeps_six_digits_beside_ten_decimal_places() -> None:
    rows = [["a", 1 / 3, 2e-15 / 3], ["b", 1e-12, -1e-29]]
    table = ReportTable("errors", "Errors", ["run", "r", "mse"], rows, words=["run"])
    lines = render_table_report(TableReport("assay.x/1", "x", (table,)), "tsv").splitlines()
    assert lines[1:] == ["a\t0.3333333333\t6.66667e-16\t", "b\t0.0\t0.0\t"]
