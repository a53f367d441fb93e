"""No name of an uploaded file is an error of the site, whichever page or endpoint gets it."""

from io import BytesIO
from pathlib import Path

import pytest

from server.core.errors import InvalidFile
from server.core.zips import pack_files
from tests.server.annotation.annotating import write_campaign
from tests.server.players import Player, play
from tests.server.route_cases import CLOSED, GOOD_FILE, Case
from tests.server.route_table import CASES
from tests.server.visitors import words
from tests.server.world import World

pytestmark = pytest.mark.one_database

NAMES = [
    b"", b".", b"..", b"../..", b"   ", b"/", b"a/", b"a\\b.tsv", b"C:\\fakepath\\", b"con", b"a\0b.tsv",
    b"a\x1b[2J", b"a" * 300, b"a/" * 200 + b"b", b"a" * 5000, "é".encode() * 150, b"\xff\xfe.tsv",
    b"\xed\xa0\x80.tsv", "\u202egnp.tsv".encode(),
]  # fmt: skip
"""Names of folders, of nothing, of devices; with invisible characters, or no text; long."""
FIELDS = {
    "imports.create": (b"file", b"folder"),
    "levels.save": (b"trial-items", b"trial-gold"),
    "datasets.make": (b"choices",),
}
"""The fields for files of a form, if it has others than `file`."""
MORE = {"campaigns.create": (b"annotation.toml",)}
"""Another file, without which the first would be a table."""
UPLOADS = [case for case in CASES if case.file or (case.method == "POST" and case.endpoint in FIELDS)]


def write_form(fields: list[tuple[bytes, bytes]]) -> dict[str, object]:
    """A form as bytes: for each part, what follows its name, and its content."""
    parts = [b"--part\r\nContent-Disposition: form-data; name=%b\r\n\r\n%b\r\n" % field for field in fields]
    body = b"".join([*parts, b"--part--\r\n"])
    return {"data": body, "content_type": "multipart/form-data; boundary=part"}


def send(player: Player, case: Case, field: bytes, *names: bytes) -> int:
    """The status of the request of a case, with files of these names in a field of its form."""
    is_call = case.endpoint.startswith("api")
    visitor = player.program if is_call else player.visitor
    fields = [(f'"{name}"'.encode(), value.encode()) for name, value in case.form.items()]
    fields += [] if is_call else [(b'"csrf_token"', player.token.encode())]
    fields += [(b'"%b"; filename="%b"' % (field, name), case.file or GOOD_FILE) for name in names]
    headers = {**player.bearer, **case.headers} if is_call else {}
    form = write_form(fields)
    return visitor.open(player.address(case), method="POST", headers=headers, **form).status_code


def test_no_name_of_an_uploaded_file_is_an_error_of_the_site(world: World) -> None:
    play(world, CLOSED)
    players = {role: Player(world, role) for role in ("member", "organizer")}
    allowed = {
        case.endpoint: (player, case)
        for role, player in players.items()
        for case in reversed(UPLOADS)
        if not case.is_denied(role)
    }
    assert len(allowed) > 10
    failed = [
        (case.endpoint, field, name[:20])
        for player, case in allowed.values()
        for field in FIELDS.get(case.endpoint, (b"file",))
        for name in NAMES
        if send(player, case, field, name, *MORE.get(case.endpoint, ())) >= 500
    ]
    assert failed == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (b"..", '.. leads outside: ".." is in its name'),
        (b"a" * 300, "has a name that is too long"),
        (b"a\x1bb", "has a name with invisible characters"),
        (b"annotation.toml", "annotation.toml is in the zip twice"),
    ],
)
def test_file_of_a_campaign_whose_name_cannot_be_used_is_refused_by_a_sentence(
    world: World, tmp_path: Path, name: bytes, message: str
) -> None:
    ada = world.client("ada")
    config = (write_campaign(tmp_path) / "annotation.toml").read_bytes()
    fields = [(b'"csrf_token"', ada.token().encode())]
    fields += [(b'"file"; filename="%b"' % each, config) for each in (b"annotation.toml", name)]
    refused = ada.open("/tasks/small/organize/campaigns/new", method="POST", **write_form(fields))
    assert refused.status_code == 422
    assert "1 file has a name that cannot be used. Rename it, and upload the files again." in words(refused)
    assert message in words(refused)


def test_name_that_is_no_text_is_refused() -> None:
    with pytest.raises(InvalidFile, match="name that cannot be used"):
        pack_files(BytesIO(), [("a\ud800", lambda: b"")])
