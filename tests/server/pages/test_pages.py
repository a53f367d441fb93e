"""Every page of the route table, in every role, is valid HTML."""

from pathlib import Path

import pytest

from tests.browser.looking import validate
from tests.server.answers import CollectedAnswers
from tests.server.route_cases import Case


def each_page(collected: CollectedAnswers) -> dict[str, str]:
    """The pages that GET brings in all roles, by route; of errors one of a blueprint for each status."""
    return {
        f"{name_page(case, answer.response.status_code)}.{role}": answer.response.text
        for role, answers in collected.answers.items()
        for answer in answers
        if (case := answer.case) is not None and case.method == "GET" and case.endpoint != "static"
        if answer.response.mimetype == "text/html" and answer.response.status_code not in (301, 302)
    }


def name_page(case: Case, status: int) -> str:
    return f"{case.endpoint if status < 400 else case.endpoint.split('.')[0]}.{status}"


@pytest.mark.xdist_group("collected-answers")
def test_every_page_of_every_role_is_valid(
    closed: CollectedAnswers, released: CollectedAnswers, tmp_path: Path
) -> None:
    pages = each_page(closed) | each_page(released)
    for name, html in pages.items():
        (tmp_path / f"{name}.html").write_text(html, encoding="utf-8")
    assert len({name.split(".20")[0] for name in pages}) > 70
    assert validate(tmp_path) == []
