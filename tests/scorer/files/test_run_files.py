"""The scorer says of each run file of the table what the table has."""

from tests import run_files


def test_every_file_of_the_table_gets_its_expected_messages_from_the_scorer() -> None:
    run_files.rewrite()
    messages = {case.name: says(case) for case in run_files.cases()}
    assert messages == {case.name: case.said for case in run_files.cases()}


def says(case: run_files.Case) -> run_files.Said:
    return run_files.scorer_says(case.data, run_files.formats()[case.format])[0]
