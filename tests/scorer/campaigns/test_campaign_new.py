"""`scorer campaign new` makes a folder that `scorer campaign check` accepts, and replaces no file."""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from scorer.bundles.bundle import ScaleSpec
from scorer.campaigns.config import CampaignConfig, scale_points
from scorer.campaigns.drafts.campaign_files import write_campaign_files
from scorer.campaigns.drafts.draft import CampaignDraft, draft_campaign
from scorer.campaigns.reader import read_campaign
from scorer.cli.__main__ import cli
from scorer.errors import BundleError
from tests.scorer.terminal import scorer_in_terminal

PAIRS = "pair_ID\tsentence_A\tsentence_B\tscore\n" + "".join(
    f"h-{n}\tBoat {n} leaves.\tThe boat {n} goes out.\t{n}\n" for n in range(1, 5)
)
PLAIN = "A boat leaves.\tThe boat goes out.\nThe lamp is lit.\tIt is dark.\n"
READY = "key\tleft\tright\tgroup\nk1\tA boat leaves.\tIt goes out.\ta\nk2\tA boat leaves.\tIt stays.\ta\n"
TEXTS = "".join(f"The keeper, who is {n} years old, sleeps.\n" for n in range(20, 28))


def scorer(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8", newline="")
    return folder


def new(folder: Path, **files: str) -> CampaignConfig:
    """Make a campaign without a terminal and return it; nothing but new files is written."""
    write(folder, **files)
    before = contents(folder)
    done = scorer("campaign", "new", folder)
    assert (done.exit_code, done.stdout) == (0, f"{folder / 'annotation.toml'}\n"), done.stderr
    assert contents(folder).items() >= before.items()
    checked = scorer("campaign", "check", folder)
    assert checked.exit_code == 0, checked.output
    assert "still to do  the contact in annotation.toml" in checked.output
    return read_campaign(folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def written(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "annotation.toml").read_text(encoding="utf-8"))


def prepare(folder: Path, draft: CampaignDraft, text: str) -> CampaignConfig:
    """Write the files of a draft to a new folder and read them."""
    folder.mkdir()
    for name, data in write_campaign_files(draft, text.encode()).items():
        (folder / name).write_bytes(data)
    return read_campaign(folder)


def test_pairs_with_a_header_are_rated_on_the_scale_of_clss(tmp_path: Path) -> None:
    campaign = new(tmp_path / "Harbour 1", pairs_tsv=PAIRS)
    (round_,) = campaign.rounds
    assert (campaign.slug, round_.kind, round_.units_file) == ("harbour-1", "rate", "units.tsv")
    assert [unit.key for unit in round_.units] == ["h-1", "h-2", "h-3", "h-4"]
    assert round_.units[0].texts == {"left": "Boat 1 leaves.", "right": "The boat 1 goes out."}
    assert (round_.answers, round_.assignment) == (3, 4)
    assert scale_points(round_.scale) == tuple(round_.labels["en"]) == (0, 1, 2, 3, 4)
    assert round_.labels["en"][4] == "very similar"
    assert "about 2 min" in campaign.consent["en"]
    assert campaign.gold is not None
    assert campaign.gold.rule == "mean"


@pytest.mark.parametrize(
    ("header", "start"),
    [("sentence,phrase", ""), ("pair,sentence,phrase", "p{n},"), ("nr,phrase,word", "{n},")],
)
def test_words_for_kinds_of_texts_in_a_header_name_the_sides(header: str, start: str) -> None:
    rows = [f"{start.format(n=n)}The boat {n} leaves early.,boat {n}" for n in range(1, 9)]
    draft = draft_campaign("\n".join([header, *rows]).encode(), "pairs.csv")
    roles = dict(zip(header.split(","), draft.roles, strict=True))
    assert draft.header
    assert [name for role in ("left", "right") for name in roles if roles[name] == role] == header.split(",")[
        -2:
    ]


def test_pairs_without_a_header_are_numbered(tmp_path: Path) -> None:
    (round_,) = new(tmp_path, pairs_tsv=PLAIN).rounds
    assert [(unit.key, unit.texts["right"]) for unit in round_.units] == [
        ("1", "The boat goes out."),
        ("2", "It is dark."),
    ]


def test_csv_is_read_with_its_quotes_and_line_breaks(tmp_path: Path) -> None:
    text = 'A boat, late,"It ""goes""\r\nout."\r\n'.replace("A boat, late", '"A boat, late"')
    (round_,) = new(tmp_path, pairs_csv=text + "The lamp,It is lit\r\n").rounds
    assert [tuple(unit.texts.values()) for unit in round_.units] == [
        ("A boat, late", 'It "goes" out.'),
        ("The lamp", "It is lit"),
    ]


def test_pairs_in_one_field_are_split_at_the_line_break(tmp_path: Path) -> None:
    text = "PairID,Text\n" + "".join(f'p{n},"Boat {n} leaves.\nIt goes {n}."\n' for n in range(3))
    (round_,) = new(tmp_path, pairs_csv=text).rounds
    assert round_.units[2].texts == {"left": "Boat 2 leaves.", "right": "It goes 2."}


@pytest.mark.parametrize(
    ("name", "text", "keys"),
    [
        ("texts_txt", TEXTS, ["1", "2", "8"]),
        ("texts_csv", "text\n" + "".join(f'"{line}"\n' for line in TEXTS.splitlines()), ["1", "2", "8"]),
        (
            "texts_tsv",
            "".join(f"t-{n}\t{line}\n" for n, line in enumerate(TEXTS.splitlines())),
            ["t-0", "t-7"],
        ),
        (
            "texts_tsv",
            "id\tsentence\tlength\n"
            + "".join(f"{n}\t{line}\t9\n" for n, line in enumerate(TEXTS.splitlines())),
            ["0", "7"],
        ),
    ],
)
def test_list_of_texts_is_compared_in_tuples(tmp_path: Path, name: str, text: str, keys: list[str]) -> None:
    campaign = new(tmp_path, **{name: text})
    (round_,) = campaign.rounds
    assert (round_.kind, len(round_.units), round_.answers, round_.assignment) == ("bws", 16, 5, 20)
    assert {len(unit.candidates) for unit in round_.units} == {4}
    assert {item.key for item in round_.items} >= {*keys}
    assert [item.texts["right"] for item in round_.items] == TEXTS.splitlines()
    assert campaign.gold is not None
    assert campaign.gold.rule == "bws"
    assert "the column left in units.tsv" in scorer("campaign", "check", tmp_path).output


def test_units_of_a_group_are_kept_apart_if_that_needs_nobody_more(tmp_path: Path) -> None:
    rows = "".join(f"k{n}\tText {n}\tOther {n}\tg{n // 2}\n" for n in range(150))
    (round_,) = new(tmp_path, pairs_tsv="id\tleft\tright\tgroup\n" + rows).rounds
    assert (round_.groups, round_.assignment) == ("apart", 50)


def test_corrections_of_a_person_are_written(tmp_path: Path) -> None:
    text = "one\tA boat leaves.\tx\nother\tIt goes out.\ty\n"
    draft = draft_campaign(text.encode(), "pairs.tsv")
    draft = replace(
        draft,
        roles=("right", "left", "id"),
        title='"Podobnost" vět',
        contact="anotace@example.org",
        languages=("cs", "de"),
        text_language="cs",
        low=1.0,
        high=2.0,
        step=0.25,
        labels={1.0: "ne", 1.25: "skoro ne"},
        answers=9,
        assignment=6,
        guide="Čtěte.",
        level="sentences",
        split="training",
    )
    campaign = prepare(tmp_path / "new", draft, text)
    (round_,) = campaign.rounds
    assert [(unit.key, unit.texts["left"], unit.texts["right"]) for unit in round_.units] == [
        ("x", "A boat leaves.", "one"),
        ("y", "It goes out.", "other"),
    ]
    assert (campaign.title, campaign.languages, campaign.text_language) == (
        '"Podobnost" vět',
        ("cs", "de"),
        "cs",
    )
    assert round_.scale == ScaleSpec(1, 2, 0.25)
    assert round_.labels["cs"] == {1: "ne", 1.25: "skoro ne"}
    assert round_.labels["de"] == round_.labels["cs"]
    assert (round_.answers, round_.assignment) == (9, 6)
    assert (campaign.guide["cs"], campaign.level, campaign.split) == ("Čtěte.", "sentences", "training")
    assert round_.question["cs"] == "Jak jsou si tyto dva texty podobné?"
    assert {"Účast je dobrovolná" in campaign.consent["cs"], "freiwillig" in campaign.consent["de"]} == {True}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "pairs.tsv: the file is empty"),
        (b"a\tb\nc\tM\xfcller\n", "pairs.tsv:2: byte 0xFC at column 4 (ü in Windows-1252) is not UTF-8"),
        (b"1\n2\n3\n", "has no column of texts"),
        (b"id\tleft\tright\n", "has no column of texts"),
        (b"id\tleft\tright\na\tA\tB\na\tC\tD\n", 'pairs.tsv:3: key "a" is on line 2 already; give each'),
        (b"a\tb\nc\td\ne\n", "pairs.tsv:3: 1 field, where there are 2 columns; write one field for each"),
        (b"id\tleft\tright\na\t\tB\nb\tC\tD\n", 'pairs.tsv:2: the column "left" is empty'),
        (b"One\nTwo\nOne\nThree\n", 'pairs.tsv:3: "One" is on line 1 already; keep one of them'),
        (b"One\n\nTwo\n", "pairs.tsv:2: empty line; every line is one text or pair"),
        (b"One\nTwo\n", "pairs.tsv: has 2 texts, too few to compare; add some, for at least 3"),
    ],
)
def test_table_that_cannot_be_used_is_refused_with_its_place(
    tmp_path: Path, text: bytes, message: str
) -> None:
    (tmp_path / "pairs.tsv").write_bytes(text)
    done = scorer("campaign", "new", tmp_path)
    assert (done.exit_code, [*contents(tmp_path)]) == (1, ["pairs.tsv"])
    assert message in done.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "left;right\nA;B\nC;D\n",
            "pairs.csv: has columns with semicolons between them; write tabs or commas",
        ),
        ('"A,B\nC,D\n', "pairs.csv:1: a quote opens here and is never closed"),
    ],
)
def test_csv_that_cannot_be_read_is_refused(tmp_path: Path, text: str, message: str) -> None:
    done = scorer("campaign", "new", write(tmp_path, pairs_csv=text))
    assert (done.exit_code, message in done.stderr) == (1, True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"roles": ("left", "left")}, 'roles: Choose "left" for one column only.*roles: Choose "right"'),
        ({"roles": ("pair", "right")}, 'roles: Choose either "pair", or "left" and "right".'),
        ({"roles": ("right",)}, "roles: Give each of the columns one of ignored, left, "),
        ({"languages": ("en", "fr")}, "languages: Choose one or more of en, cs, de."),
        ({"low": 4.0}, "high: The highest rating must be above the lowest."),
        ({"step": 3.0}, "step: Enter a step that divides the scale"),
        ({"labels": {5.0: "more", 4.0: "x" * 201}}, "labels: Not on the scale: 5.*labels: Use at most 200"),
    ],
)
def test_answers_that_cannot_be_used_are_refused(change: Mapping[str, Any], message: str) -> None:
    draft = replace(draft_campaign(PLAIN.encode(), "pairs.tsv"), **change)
    with pytest.raises(BundleError, match=f"(?s){message}"):
        write_campaign_files(draft, PLAIN.encode())


def test_columns_are_guessed_for_the_delimiter_that_a_person_names() -> None:
    text = b"A boat leaves,It goes out\nThe lamp is lit,It is dark\n"
    assert draft_campaign(text, "pairs.txt").kind == "bws"
    assert draft_campaign(text, "pairs.txt", "comma").roles == ("left", "right")
    assert draft_campaign(text, "pairs.csv", "tab").roles == ("right",)


def test_several_tables_need_the_name_of_one(tmp_path: Path) -> None:
    write(tmp_path, a_tsv=PLAIN, b_csv="One,Two\nThree,Four\n", README_txt="About the texts.")
    done = scorer("campaign", "new", tmp_path)
    assert done.exit_code == 1
    assert "there are several tables, a.tsv, b.csv; name one with --table" in done.stderr
    assert scorer("campaign", "new", tmp_path, "--table", tmp_path / "b.csv").exit_code == 0
    assert "Three" in (tmp_path / "units.tsv").read_text("utf-8")


def test_folder_without_a_table_says_what_to_put_there(tmp_path: Path) -> None:
    done = scorer("campaign", "new", tmp_path)
    assert (done.exit_code, "put a .tsv, .csv or .txt file" in done.stderr) == (1, True)
    assert scorer("campaign", "new", tmp_path / "none").exit_code == 2


@pytest.mark.parametrize("name", ["annotation.toml", "units.tsv"])
def test_no_file_is_replaced(tmp_path: Path, name: str) -> None:
    write(tmp_path, pairs_tsv=PLAIN)
    (tmp_path / name).write_text("mine", encoding="utf-8")
    before = contents(tmp_path)
    done = scorer("campaign", "new", tmp_path, "--table", tmp_path / "pairs.tsv")
    assert (done.exit_code, contents(tmp_path)) == (1, before)
    assert f"{tmp_path / name}: exists, and is never replaced; rename it" in done.stderr


def test_consent_text_that_is_there_is_used(tmp_path: Path) -> None:
    campaign = new(tmp_path, pairs_tsv=PLAIN, consent_en_md="Our own *text*.")
    assert campaign.consent == {"en": "Our own *text*."}


def test_pressing_enter_all_the_way_gives_what_is_written_without_a_terminal(tmp_path: Path) -> None:
    for name, text in (("pairs.tsv", PAIRS), ("texts.txt", TEXTS)):
        asked, silent = (tmp_path / kind / name / "campaign" for kind in ("asked", "silent"))
        for folder in (asked, silent):
            folder.mkdir(parents=True)
            (folder / name).write_text(text, encoding="utf-8")
        done = scorer_in_terminal("campaign", "new", asked, typed="\n" * 14)
        assert (done.returncode, done.stdout) == (0, f"{asked / 'annotation.toml'}\n"), done.stderr
        assert "Title for annotators" in done.stderr
        assert scorer("campaign", "new", silent).exit_code == 0
        assert contents(asked) == contents(silent)


def test_answers_in_a_terminal_are_written(tmp_path: Path) -> None:
    write(tmp_path, a_txt=TEXTS, pairs_tsv=PAIRS)
    typed = (
        "pairs.tsv\n\n\nid, right, right\nde, en\n\nid, right, left, ignored\nde, en\npt-BR\nWie ähnlich?\n"
        "ada@example.org\n6\n0\n1\n0\n6\n2\n0\n7\n2\nsentences\ntraining\n"
    )
    done = scorer_in_terminal("campaign", "new", tmp_path, typed=typed)
    assert done.returncode == 0, done.stderr
    assert "left     " in done.stderr
    assert 'Choose "right" for one column only.' in done.stderr
    assert "The highest rating must be above the lowest." in done.stderr
    assert "0 is not in the range" in done.stderr
    values = written(tmp_path)
    assert values["campaign"]["languages"] == ["de", "en"]
    assert values["campaign"]["text_language"] == "pt-BR"
    assert values["campaign"]["title"] == "Wie ähnlich?"
    assert values["campaign"]["contact"] == "ada@example.org"
    assert values["campaign"]["scale"] == {"min": 0, "max": 6, "step": 2}
    assert values["campaign"]["labels"]["en"] == {"0": "unrelated", "6": "very similar"}
    assert (values["round"][0]["answers"], values["round"][0]["assignment"]) == (7, 2)
    assert (values["campaign"]["level"], values["campaign"]["split"]) == ("sentences", "training")
    assert "The boat 1 goes out.\tBoat 1 leaves." in (tmp_path / "units.tsv").read_text("utf-8")
    assert "still to do" not in scorer("campaign", "check", tmp_path).output


def test_header_with_unusual_names_can_be_named_in_a_terminal(tmp_path: Path) -> None:
    write(tmp_path, pairs_tsv="premise\thypothesis\n" + PLAIN)
    assert scorer_in_terminal("campaign", "new", tmp_path, typed="\ny" + "\n" * 13).returncode == 0
    (round_,) = read_campaign(tmp_path).rounds
    assert [unit.texts["right"] for unit in round_.units] == ["The boat goes out.", "It is dark."]


def test_answer_that_the_check_refuses_can_be_corrected_in_the_file(tmp_path: Path) -> None:
    write(tmp_path, pairs_tsv=PLAIN)
    done = scorer_in_terminal("campaign", "new", tmp_path, typed="\n" * 6 + "Ada" + "\n" * 9)
    assert (done.returncode, done.stdout) == (1, f"{tmp_path / 'annotation.toml'}\n")
    assert 'campaign.contact: "Ada" is no address; give an email address' in done.stderr


def test_text_to_compare_with_is_asked_for_a_list(tmp_path: Path) -> None:
    write(tmp_path, texts_txt=TEXTS)
    typed = "\n" * 7 + "The keeper is awake.\n\n\n\n"
    assert scorer_in_terminal("campaign", "new", tmp_path, typed=typed).returncode == 0
    (round_,) = read_campaign(tmp_path).rounds
    assert {unit.texts["left"] for unit in round_.units} == {"The keeper is awake."}
