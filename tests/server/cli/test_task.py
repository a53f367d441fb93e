from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask import Flask

from server.accounts.models import User
from server.core import db
from server.core.actors import Actor
from server.planning import drafts
from server.web.context import site_of
from tests.server.commands import Assay
from tests.server.small_task import PASSWORD, TASK, write_bundle

pytestmark = pytest.mark.one_database


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write_bundle(tmp_path / "bundle")


@pytest.fixture
def ada(assay: Assay) -> str:
    assay("user", "add", "ada@example.org", "--name", "Ada", "--password", PASSWORD)
    return "ada@example.org"


def test_import_of_a_folder_prints_the_task_url(assay: Assay, bundle: Path, ada: str, app: Flask) -> None:
    result = assay("task", "import", bundle, "--organizer", ada)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "Task small was imported as a draft: /tasks/small~1/\n"
    assert app.test_client().get("/tasks/small/").status_code == 404
    assert assay("task", "list").stdout == "small~1\tA small task\tdraft\n"


def test_import_publishes_the_task_if_asked(assay: Assay, bundle: Path, app: Flask) -> None:
    result = assay("task", "import", bundle, "--publish")
    assert result.stdout == "Task small was imported and published: /tasks/small/\n"
    assert "A small task" in app.test_client().get("/tasks/small/").text


def test_placeholders_are_published_only_with_force(assay: Assay, bundle: Path) -> None:
    path = bundle / "task.toml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("A small task", "TODO: a title"), encoding="utf-8"
    )
    refused = assay("task", "import", bundle, "--publish")
    assert refused.exit_code == 1
    assert "These are still placeholders: the title." in refused.stderr
    assert refused.stderr.endswith("On the command line, confirm it by --force.\n")
    assert assay("task", "list").stdout == ""
    draft = assay("task", "import", bundle)
    assert (
        "Nobody has a role in the task yet. Add an organizer: `assay task organizer small EMAIL`"
        in draft.stderr
    )
    assert assay("task", "publish", "small").exit_code == 1
    assert assay("task", "publish", "small", "--force").exit_code == 0


def test_task_is_published_hidden_and_archived(assay: Assay, bundle: Path, app: Flask) -> None:
    assay("task", "import", bundle)
    published = assay("task", "publish", "small")
    assert (published.exit_code, published.stdout) == (0, "Task small is now published: /tasks/small/\n")
    assert "Check its dates." in published.stderr
    assert app.test_client().get("/tasks/small/").status_code == 200
    assert assay("task", "publish", "small").stderr == "assay: The task is published. Nothing was changed.\n"
    assert assay("task", "hide", "small").stdout == "Task small is now a draft: /tasks/small/\n"
    assert assay("task", "archive", "small").exit_code == 1
    assay("task", "publish", "small")
    assert assay("task", "archive", "small").stdout == "Task small is now archived: /tasks/small/\n"
    assert assay("task", "list").stdout == "small\tA small task\tarchived\n"


def test_draft_is_renamed_copied_and_deleted(assay: Assay, bundle: Path) -> None:
    assay("task", "import", bundle)
    renamed = assay("task", "rename", "small", "large", "--title", "A large task")
    assert (renamed.exit_code, renamed.stdout) == (0, "Task small is now large: /tasks/large~1/\n")
    copied = assay("task", "copy", "large", "large-2027", "--shift", "52w")
    assert copied.stdout == "Task large was copied as a draft: /tasks/large-2027~2/\n"
    listed = "large-2027~2\tA large task\tdraft\nlarge~1\tA large task\tdraft\n"
    assert assay("task", "list").stdout == listed
    deleted = assay("task", "delete", "large", "--yes")
    assert (deleted.exit_code, deleted.stdout) == (0, "Task large was deleted.\n")
    assert assay("task", "list").stdout == "large-2027~2\tA large task\tdraft\n"
    assert assay("audit", "verify").exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [["copy", "small", "Small"], ["copy", "small", "next", "--shift", "1y"], ["rename", "small", "x_y"]],
)
def test_malformed_slug_or_shift_is_a_usage_error(assay: Assay, bundle: Path, arguments: list[str]) -> None:
    assay("task", "import", bundle)
    assert assay("task", *arguments).exit_code == 2


def test_import_accepts_a_description_outside_the_folder(assay: Assay, bundle: Path, tmp_path: Path) -> None:
    (bundle / "task.toml").rename(tmp_path / "elsewhere.toml")
    assert assay("task", "import", bundle).exit_code == 1
    result = assay("task", "import", bundle, "--config", tmp_path / "elsewhere.toml")
    assert result.exit_code == 0


def test_invalid_bundle_prints_one_line_per_problem_and_changes_nothing(assay: Assay, bundle: Path) -> None:
    (bundle / "p2s.test.gold").write_text("x\n2\ny\n4\n", encoding="utf-8")
    result = assay("task", "import", bundle)
    assert (result.exit_code, result.stdout) == (1, "")
    lines = result.stderr.splitlines()
    assert [line.split(" ")[0] for line in lines] == ["p2s.test.gold:1:", "assay:"]
    assert lines[0].endswith('; 1 more line like this: 3 "y"')
    assert lines[-1] == "assay: The bundle has 2 problems. Nothing was changed."
    assert assay("task", "list").stdout == ""


def test_importing_a_task_twice_is_rejected(assay: Assay, bundle: Path) -> None:
    assay("task", "import", bundle, "--publish")
    result = assay("task", "import", bundle, "--publish")
    assert result.exit_code == 1
    assert result.stderr.splitlines(keepends=True)[-1] == (
        'assay: There is already a task "small". Change the key slug in task.toml and import the bundle '
        "again.\n"
    )


def test_organizer_without_an_account_prevents_the_import(assay: Assay, bundle: Path) -> None:
    result = assay("task", "import", bundle, "--organizer", "nobody@example.org")
    assert result.exit_code == 1
    assert result.stderr.startswith("assay: There is no account with the address nobody@example.org")
    assert assay("task", "list").stdout == ""


def test_person_can_be_made_organizer_once(assay: Assay, bundle: Path, ada: str) -> None:
    assay("task", "import", bundle)
    result = assay("task", "organizer", "small", ada)
    assert (result.exit_code, result.stdout) == (0, "ada@example.org is now an organizer of small.\n")
    again = assay("task", "organizer", "small", ada)
    refused = "assay: This person is already an organizer of the task.\n"
    assert (again.exit_code, again.stderr) == (1, refused)


def test_roles_are_given_changed_listed_and_ended(assay: Assay, bundle: Path, ada: str) -> None:
    assay("user", "add", "dee@example.org", "--name", "Dee", "--password", PASSWORD)
    assay("task", "import", bundle, "--organizer", ada)
    result = assay("task", "organizer", "small", "dee@example.org", "--role", "observer")
    assert result.stdout == "dee@example.org is now an observer of small.\n"
    assay("task", "organizer", "small", "dee@example.org", "--role", "co-organizer")
    listed = "organizer\tada@example.org\tAda\nco-organizer\tdee@example.org\tDee\n"
    assert assay("task", "people", "small").stdout == listed
    assert assay("task", "organizer", "small", ada, "--remove").stderr == (
        "assay: A task needs at least one organizer. Make another person organizer first.\n"
    )
    assay("task", "organizer", "small", "dee@example.org", "--remove")
    assert assay("task", "people", "small").stdout == "organizer\tada@example.org\tAda\n"
    assert assay("task", "organizer", "small", "dee@example.org", "--role", "admin").exit_code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["task", "organizer", "nowhere", "ada@example.org"],
        ["release", "show", "nowhere", "evaluation"],
        ["release", "add", "nowhere", "evaluation"],
        ["release", "list", "nowhere"],
    ],
)
def test_unknown_task_is_reported_in_one_line(assay: Assay, arguments: list[str]) -> None:
    result = assay(*arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "assay: There is no such task.\n"


def test_missing_wordnet_for_baselines_says_how_to_install_it(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scorer.baselines.wordnet.usual_places", lambda: (tmp_path,))
    monkeypatch.setattr("scorer.baselines.senses.usual_places", lambda: (tmp_path,))
    level = 'columns = ["left", "sense_key", "right", "id"]\nsides = ["sentence", "phrase"]'
    folder = write_bundle(tmp_path / "senses", TASK.replace('sides = ["sentence", "phrase"]', level))
    (folder / "s2p.test.tsv").write_text(
        "".join(f"boat\tboat%1:06:00::\tboat#n#1\tNews-{i}\n" for i in range(1, 5)), encoding="utf-8"
    )
    result = assay("task", "import", folder)
    assert result.exit_code == 1
    assert "wordnet-base" in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    "arguments",
    [
        ["task", "people", "tides"], ["task", "export", "tides", "-o", "tides.zip"],
        ["task", "publish", "tides"], ["task", "copy", "tides", "winds"],
        ["task", "delete", "tides", "--yes"],
        ["release", "list", "tides"], ["release", "show", "tides", "test"], ["gold", "list", "tides"],
        ["campaign", "list", "tides"], ["team", "list", "tides"],
    ],
)  # fmt: skip
def test_each_command_says_what_it_can_of_a_draft_without_anything(
    assay: Assay, app: Flask, ada: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with app.app_context():
        session = site_of(app).session()
        with db.writing(session):
            user = session.query(User).filter_by(email=ada).one()
            drafts.begin_draft(session, Actor(user_id=user.id), "Tides", "tides", datetime.now(UTC))
        site_of(app).session.remove()
    result = assay(*arguments)
    assert result.exit_code in (0, 1)
    assert "Traceback" not in result.output
    if arguments[1] == "publish":
        assert "Enter the lowest and the highest value of the scale. Add a level." in result.stderr
