"""A person downloads their data and deletes their account; the operator's privacy page and imprint."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from server.app import create_app
from server.core.config import ConfigError, from_env
from server.personal_data.erasure import ERASED_NAME
from server.submissions.models import Submission
from tests.server.databases import Databases
from tests.server.sites import disconnect, site_config
from tests.server.small_task import PASSWORD
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database


def test_person_downloads_what_the_site_stores_about_them_and_no_secret(world: World) -> None:
    sha256 = world.upload(world.run(), "p2s").sha256
    world.work(DURING.replace(hour=13))
    bo = world.client("bo")
    sent = bo.get("/account/data.json")
    stored = sent.json
    assert stored["account"]["email"] == "bo@example.org"
    assert [(team["team"], team["captain"]) for team in stored["teams"]] == [("birch", True)]
    assert [(upload["level"], upload["sha256"]) for upload in stored["uploads"]] == [("p2s", sha256)]
    assert [mail["kind"] for mail in stored["emails"]] == ["confirmation"]
    assert world.user("bo").password not in sent.text
    assert "token_sha256" not in sent.text
    others = world.client("dee").get("/account/data.json")
    assert (others.json["uploads"], others.json["teams"]) == ([], [])
    assert "birch" not in others.text


def test_account_is_deleted_with_the_password_and_its_submissions_stay(world: World) -> None:
    world.upload(world.run(), "p2s", by="cy")
    number, cy = world.user("cy").id, world.client("cy")
    page = cy.get("/account/delete")
    assert "your team keeps its runs, submissions and receipts" in words(page)
    assert cy.post("/account/delete", {"password": "not it"}).status_code == 422
    world.session.rollback()
    assert world.user("cy").id == number
    assert cy.post("/account/delete", {"password": PASSWORD}).status_code == 302
    world.session.rollback()
    assert world.session.query(Submission).filter_by(submitted_by=number).count() == 1
    assert cy.get("/account/").status_code == 302
    assert world.client("bo").get("/tasks/small/team/members").text.count(ERASED_NAME.capitalize()[2:]) >= 1


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("ada", "You are the last organizer of small. Invite another organizer first"),
        (
            "bo",
            "You are the captain of birch in small, which has other members. Make one of them the captain",
        ),
    ],
)
def test_last_organizer_and_captain_are_told_what_to_do_first(world: World, name: str, why: str) -> None:
    person = world.client(name)
    assert why in words(person.get("/account/delete"))
    refused = person.post("/account/delete", {"password": PASSWORD})
    assert refused.status_code == 422
    assert why in words(refused)
    world.session.rollback()
    assert world.user(name).active


def test_privacy_page_imprint_and_security_txt_show_the_files_of_the_settings(
    databases: Databases, set_clock: Callable[[datetime], None], tmp_path: Path
) -> None:
    set_clock(DURING)
    text = "# Who\n\nThe **operator** <b>of</b> this site"
    (tmp_path / "imprint.md").write_text(text, encoding="utf-8-sig")  # with a byte order mark
    config = site_config(tmp_path / "site", databases.migrated())
    plain = create_app(config)
    client = plain.test_client()
    assert "What this site stores about you" in client.get("/privacy").text
    assert client.get("/imprint").status_code == 404
    assert 'href="/imprint"' not in client.get("/help/").text
    assert client.get("/.well-known/security.txt").status_code == 404
    disconnect(plain)
    file = str(tmp_path / "imprint.md")
    contact = "mailto:safe@example.org"
    app = create_app(replace(config, imprint_file=file, privacy_file=file, security_contact=contact))
    client = app.test_client()
    assert client.get("/.well-known/security.txt").text.splitlines() == [
        f"Contact: {contact}",
        "Expires: 2026-09-06T00:00:00+00:00",
        f"Canonical: {config.site_url}/.well-known/security.txt",
    ]
    for path in ("/privacy", "/imprint"):
        text = client.get(path).text
        assert "The <strong>operator</strong>" in text
        assert "<b>of" not in text
        assert "# Who" not in text
    assert 'href="/imprint"' in client.get("/help/").text
    disconnect(app)


def test_site_does_not_start_with_a_text_file_that_is_missing() -> None:
    with pytest.raises(ConfigError, match=r"ASSAY_IMPRINT_FILE: /nowhere/imprint\.md cannot be read"):
        from_env({"ASSAY_SECRET_KEY": "k" * 32, "ASSAY_IMPRINT_FILE": "/nowhere/imprint.md"})
