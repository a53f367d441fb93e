"""`annotation.toml`: what the reader returns, and every problem at once with its file and its line or key."""

import json
import re
import tomllib
import tracemalloc
from contextlib import suppress
from datetime import date
from pathlib import Path

import pytest

from scorer.bundles.bundle import ScaleSpec
from scorer.campaigns import size
from scorer.campaigns.config import (
    Calibration,
    Candidate,
    EntryConfig,
    Gate,
    GoldRule,
    PassConfig,
    Repeats,
    Unit,
    scale_points,
)
from scorer.campaigns.keys import ROUND_KEYS
from scorer.campaigns.reader import read_campaign
from scorer.errors import BundleError
from tests.scorer.small_campaign import (
    CAMPAIGN,
    CHAIN_FILES,
    CONSENT,
    UNITS,
    problems_of,
    write_campaign,
    write_chain,
)


def test_campaign_is_read_with_its_texts_units_and_defaults(tmp_path: Path) -> None:
    campaign = read_campaign(write_campaign(tmp_path))
    assert campaign.consent == {"en": CONSENT}
    assert campaign.guide == {"en": "Read both sentences, then rate."}
    assert campaign.entries == (EntryConfig("students", "personal", 336, 1),)
    assert campaign.gold == GoldRule("rate", "", "mean", 2)
    (round_,) = campaign.rounds
    assert round_.scale == ScaleSpec(0.0, 4.0, 0.5)
    assert round_.labels == {"en": {0.0: "unrelated", 4.0: "the same"}}
    assert len(round_.units) == 6
    texts = {"left": "A boat leaves the quay.", "right": "The boat goes out.", "note": "first"}
    assert round_.units[0] == Unit("a1", "a", "news", texts)
    assert round_.passes == (PassConfig("", ("left", "right")),)
    assert (round_.groups, round_.order, round_.entries) == ("apart", "shuffled", ("students",))
    assert (round_.comment, round_.cannot_judge) == (False, False)
    assert round_.question == {"en": "How similar are these two texts?"}


def test_file_and_folder_are_the_same_campaign(tmp_path: Path) -> None:
    folder = write_campaign(tmp_path)
    assert read_campaign(folder) == read_campaign(folder / "annotation.toml")


def test_units_may_be_separated_by_commas_with_quotes(tmp_path: Path) -> None:
    table = 'right,key,left\n"one, two",a,"a ""quoted"" word"\n'
    campaign = read_campaign(write_campaign(tmp_path, units=table))
    assert campaign.rounds[0].units == (
        Unit("a", None, None, {"right": "one, two", "left": 'a "quoted" word'}),
    )


def test_quotes_between_tabs_are_text_as_in_items(tmp_path: Path) -> None:
    campaign = read_campaign(write_campaign(tmp_path, units='key\tleft\tright\na\t"x"\ty"z\n'))
    assert campaign.rounds[0].units[0].texts == {"left": '"x"', "right": 'y"z'}


CROWD = """kind = "crowd"
lease_hours = 2
person = "PID"
done = "C1"
failed = "C2"
back = "https://platform.example/complete?cc={code}"
"""


def test_entry_of_a_crowd_is_read(tmp_path: Path) -> None:
    (entry,) = read_campaign(write_campaign(tmp_path, changed('kind = "personal"\n', CROWD))).entries
    back = "https://platform.example/complete?cc={code}"
    assert entry == EntryConfig("students", "crowd", 2, 1, "PID", "C1", "C2", back)


def changed(old: str, new: str) -> str:
    assert old in CAMPAIGN
    return CAMPAIGN.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('slug = "harbour-similarity"', 'slug = "Harbour!"', 'campaign.slug: "Harbour!" is not a short name'),
        ('title = "How similar are these sentences?"', "", "campaign.title: is missing; give text"),
        ('"organizers@example.org"', '"Ada"', 'campaign.contact: "Ada" is no address'),
        (
            'languages = ["en"]',
            'languages = ["en", "fr"]',
            r'languages: "fr" is not one of the languages of the',
        ),
        ('languages = ["en"]', "languages = []", "campaign.languages: must name each language once"),
        (
            'text_language = "en"',
            'text_language = "?"',
            "campaign.text_language: .* is not the code of a langu",
        ),
        ("consent.en.md", "nowhere.md", 'campaign.consent.en: there is no file "nowhere.md"'),
        ("consent.en.md", "../annotation.md", "campaign.consent.en: .* lies outside"),
        ('consent = { en = "consent.en.md" }', "", "campaign.consent: is missing; give the consent text"),
        ('{ en = "consent.en.md" }', "{}", "campaign.consent.en: is missing"),
        ('{ en = "consent.en.md" }', '{ en = " " }', "campaign.consent.en: is empty; write the text"),
        ("max = 4, ", "max = 0, ", "campaign.scale.max: must be above min, 0"),
        (", step = 0.5", "", "campaign.scale.step: is missing; give the distance"),
        ("step = 0.5", "step = 0.3", "campaign.scale.step: must divide max - min, 4, without a remainder"),
        ("step = 0.5", "step = 0", "campaign.scale.step: must be above 0"),
        ("step = 0.5", "step = 0.01", "campaign.scale.step: gives more than 101 points"),
        (
            '"4" = "the same"',
            '"3.7" = "the same"',
            "campaign.labels.en.3.7: is not a point of the scale from 0 to 4",
        ),
        ('"4" = "the same"', '"4.0" = "a", "4" = "b"', "campaign.labels.en.4: .* use each point once"),
        ("labels.en", "labels.de", "campaign.labels.de: is not one of the campaign's languages: en"),
        ('split = "test"', "", "campaign.level: needs split: together they say where the gold goes"),
        ('split = "test"', 'split = "dev"', 'campaign.split: "dev" is not one of trial, training, test'),
        (
            "[entry.students]\nkind",
            '[entry."Stud ents"]\nkind',
            "entry.Stud ents: is not a short name; use lower-case",
        ),
        ('[entry.students]\nkind = "personal"\n', "", "entry: is missing; name a way in"),
        (
            "[[round]]",
            "".join(f"[entry.e{n}]\nkind = 'personal'\n" for n in range(50)) + "[[round]]",
            "entry: has 51 entries; use at most 50",
        ),
        ('{ en = "consent.en.md" }', f'{{ en = "{"x" * 50_001}" }}', "consent.en: has 50001 characters; use"),
        ('kind = "personal"', 'kind = "mail"', 'entry.students.kind: "mail" is not one of personal, crowd'),
        (
            'kind = "personal"',
            'kind = "personal"\ndone = "C1"',
            "entry.students.done: is not used in an entry",
        ),
        (
            'kind = "personal"',
            CROWD.replace("lease_hours = 2", ""),
            "lease_hours: is missing; an entry of kind",
        ),
        ('kind = "personal"', CROWD.replace('person = "PID"', ""), "entry.students.person: is missing"),
        ('kind = "personal"', CROWD.replace('"PID"', '"P I D"'), 'person: "P I D" must have 1 to 64 letters'),
        ('kind = "personal"', CROWD.replace('"C2"', '"C1"'), "failed: is the code of done, too"),
        ('kind = "personal"', CROWD.replace("{code}", ""), "back: .* has {code} where the code goes"),
        ('kind = "personal"', CROWD.replace("https", "ftp"), "back: .* is no address that begins with https"),
        (
            'kind = "personal"',
            'kind = "personal"\nlease_hours = 0',
            "lease_hours: must be from 1 to 8760, not 0",
        ),
        ("seed = 7", 'tuples = "pairs.tsv"', r"round\[rate\].tuples: is not used in a round of kind rate"),
        (
            'scale = { min = 0, max = 4, step = 0.5 }\nlabels.en = { "0" = "unrelated", "4" = "the same" }',
            "",
            r"round\[rate\].scale: is missing",
        ),
        (
            "seed = 7",
            'entries = ["experts"]',
            r"round\[rate\].entries: .* is not one of the campaign's entries: stu",
        ),
        (
            "seed = 7",
            'passes = [{ slug = "a" }, { slug = "a" }]',
            r"passes\[a\].slug: .* is the slug of the first pass",
        ),
        (
            "seed = 7",
            'passes = [{ slug = "a", after_hours = 1 }]',
            r"passes\[a\].after_hours: is for the second pass",
        ),
        (
            "seed = 7",
            'passes = [{ slug = "a" }, { slug = "b" }, { slug = "c" }]',
            r"passes: has 3 entries; use at most 2",
        ),
        (
            "seed = 7",
            'passes = [{ slug = "a" }, { slug = "b", after_hours = 72, remind_hours = [24] }]',
            r"passes\[b\].remind_hours: must not be less than after_hours, 72",
        ),
        (
            "seed = 7",
            "intra = { n = 2 }",
            r"intra.n: is 2, and only the first half of an assignment of 3 units",
        ),
        (
            "seed = 7",
            'intra = { n = 1, from = "rate" }',
            r'intra.from: "rate" is not an earlier round of ratings',
        ),
        ("seed = 7", 'intra = { n = 1, else = "main" }', r"intra.else: needs from"),
        (
            "seed = 7",
            'calibration = { units = "pairs.tsv" }',
            r'calibration.units: "a1" is the key of a unit',
        ),
        ('kind = "rate"', 'kind = "guess"', r'round\[rate\].kind: "guess" is not one of rate'),
        ('"pairs.tsv"', '"nowhere.tsv"', r'round\[rate\].units: there is no file "nowhere.tsv"'),
        ("answers = 2", 'answers = "all"', r"round\[rate\].answers: must be a whole number"),
        ("answers = 2", "answers = 0", r"round\[rate\].answers: must be from 1 to 100, not 0"),
        (
            "assignment = 3",
            "",
            r"round\[rate\].assignment: is missing; give the number of units in an assignment",
        ),
        ("seed = 7", "ask = { comments = true }", 'ask.comments: unknown key; did you mean "comment"'),
        ("seed = 7", 'show = ["left", "genre"]', r'round\[rate\].show: "genre" is never shown to annotators'),
        ("seed = 7", "show = []", r"round\[rate\].show: must name each column once"),
        ("seed = 7", 'show = ["left", "context"]', 'pairs.tsv:1: the header has no column "context"'),
        (
            "seed = 7",
            'question.cs = "Jak?"',
            r"round\[rate\].question.cs: is not one of the campaign's languages",
        ),
        ('round = "rate"', 'round = "read"', 'gold.round: "read" is not one of the rounds: rate'),
        (
            'rule = "mean"',
            'rule = "bws"',
            'gold.rule: "bws" does not fit a round of kind rate; use mean or me',
        ),
        ('rule = "mean"', 'rule = "mean"\npass = "free"', 'gold.pass: "free" is not one of the passes: none'),
        ('rule = "mean"', 'rule = "mean"\nat_least = 3', "gold.at_least: is 3, and each unit gets 2 answers"),
        ("seed = 7", "sed = 7", r'round\[rate\].sed: unknown key; did you mean "seed"'),
        (
            "seed = 7",
            'people = "same"',
            r'round\[rate\].people: cannot be "same" while groups are apart.* write groups = "free"',
        ),
        ("seed = 7", "best_label.en = 'Most'", r"best_label: is not used in a round of kind rate"),
    ],
)
def test_bad_value_is_refused_by_its_key(tmp_path: Path, old: str, new: str, message: str) -> None:
    found = problems_of(write_campaign(tmp_path, changed(old, new)))
    assert re.search(message, found)
    assert found.count("\n") == 0, "one mistake is one problem"


def test_missing_number_of_answers_is_not_blamed_on_the_gold(tmp_path: Path) -> None:
    misspelt = changed("answers = 2", "answer = 2").replace('rule = "mean"', 'rule = "mean"\nat_least = 2')
    found = problems_of(write_campaign(tmp_path, misspelt))
    assert "round[rate].answer: unknown key" in found
    assert "gold" not in found


@pytest.mark.parametrize("answers", ["500", "0", "true"])
def test_bad_number_of_answers_is_not_blamed_on_the_gold(tmp_path: Path, answers: str) -> None:
    bad = changed("answers = 2", f"answers = {answers}")
    found = problems_of(write_campaign(tmp_path, bad.replace('rule = "mean"', 'rule = "mean"\nat_least = 4')))
    assert "round[rate].answers: must be" in found
    assert "gold" not in found


def test_units_are_checked_if_a_shown_column_is_missing(tmp_path: Path) -> None:
    misspelt = changed("seed = 7", 'show = ["left", "rigth"]')
    folder = write_campaign(tmp_path, misspelt, UNITS.replace("b2\t", "b1\t").replace("\tnote", "\tz"))
    assert problems_of(folder).splitlines() == [
        'pairs.tsv:1: the header has no column "rigth"; it has "key", "group", "genre", "left", "right", "z"',
        'pairs.tsv:5: key "b1" is on line 4 already; give each unit its own',
    ]


def test_consent_needs_the_languages_of_the_pages_and_no_others(tmp_path: Path) -> None:
    found = problems_of(write_campaign(tmp_path, changed('{ en = "consent.en.md" }', '{ cs = "Text" }')))
    assert "campaign.consent.cs: is not one of the campaign's languages: en" in found
    assert "campaign.consent.en: is missing; give text" in found


def test_campaign_without_its_table_is_refused(tmp_path: Path) -> None:
    assert "campaign: is missing" in problems_of(write_campaign(tmp_path, "[gold]\n"))


def test_folder_without_the_file_is_refused(tmp_path: Path) -> None:
    assert problems_of(tmp_path) == (
        "annotation.toml: there is no such file; a campaign is a folder with an annotation.toml"
    )


def test_chain_of_rounds_is_read(tmp_path: Path) -> None:
    pilot, rate, bws, expert = read_campaign(write_chain(tmp_path)).rounds
    assert pilot.entries == rate.entries == bws.entries == ("students",)
    marked = {"en": "How similar are the two marked sentences?"}
    assert rate.passes[1] == PassConfig("dependent", ("left_context", "right_context"), 72, (72, 96), marked)
    assert rate.passes[0].question == {}
    assert rate.repeats == Repeats(1, "pilot", or_main=True)
    assert [unit.key for unit in rate.calibration_units] == ["z1"]
    assert bws.units[1].candidates == tuple(Candidate(f"d{n}", f"B: Late by {n}.") for n in (1, 2, 4))
    assert bws.units[1].texts == {"turn1": "A: Where is the ferry?", "turn2": "", "left": "B: It is late."}
    assert [unit.key for unit in bws.units] == ["t1", "t2", "t3", "t4"]
    assert [item.key for item in bws.items] == [unit.key for unit in expert.units] == ["d1", "d2", "d3", "d4"]
    assert (expert.scale, expert.labels["en"][1.0]) == (ScaleSpec(0, 1, 1), "rather similar")


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("tuples", "d2\td3\n", "d2\td5\n", 'tuples.tsv:2: "d5" is not a key of the table of units'),
        ("tuples", "d2\td3\n", "d2\td2\n", "tuples.tsv:2: the tuple has an item twice"),
        ("tuples", "d1\td2\td4", "d3\td2\td1", "tuples.tsv:3: the tuple of these items is on line 2 already"),
        ("tuples", "d\td1\td2\td4", "e\td1\td2\td4", "tuples.tsv:3: the items are of different groups"),
        ("tuples", "Item3", "Item3\tItem4\tItem5", "tuples.tsv:1: a tuple can have at most 4 items"),
        ("tuples", "Item2", "Item", 'tuples.tsv:1: the header has no column "Item2"'),
        ("dialogues", "It is late.\tB: Late by 2", "It is.\tB: Late by 2", "differ in the column left"),
        (
            "pairs",
            "The boat a1 leaves.\t",
            "The <sent>boat a1.\t",
            'pairs.tsv:2: the column "left" has <sent>',
        ),
        ("pairs", "<sent>A boat b1", "A boat b1", 'pairs.tsv:4: the column "right_context" needs one <sent>'),
        (
            "annotation",
            'tuples = "tuples.tsv"\n',
            "",
            "round[bws].tuples: is missing; make it with: scorer bws",
        ),
        ("annotation", 'slug = "expert"', 'slug = "bws"', 'round[bws].slug: "bws" is the slug of an earlier'),
        (
            "annotation",
            'pass = "dependent"',
            'pass = "bound"',
            'gold.pass: "bound" is not one of the passes: fr',
        ),
        ("annotation", 'from = "pilot"', 'from = "bws"', '"bws" is not an earlier round of ratings: pilot'),
    ],
)
def test_problem_of_a_chain_is_named(tmp_path: Path, file: str, old: str, new: str, message: str) -> None:
    text = next(text for name, text in CHAIN_FILES.items() if name.startswith(f"{file}."))
    assert old in text
    assert message in problems_of(write_chain(tmp_path, **{file: text.replace(old, new)}))


def test_file_of_two_rounds_has_each_problem_once(tmp_path: Path) -> None:
    text = CHAIN_FILES["dialogues.tsv"].replace("d2\td", "d1\td")
    found = problems_of(write_chain(tmp_path, dialogues=text)).splitlines()
    assert [line for line in found if line.startswith("dialogues")] == [
        'dialogues.tsv:3: key "d1" is on line 2 already; give each unit its own'
    ]


HEAD = "key\tgroup\tleft\tright\n"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("", "pairs.tsv: the file is empty"),
        (HEAD, "pairs.tsv: the file has a header and no units"),
        ("key\tleft\na\tb\n", 'pairs.tsv:1: the header has no column "right"'),
        ("key\tleft\tright\tleft\na\tb\tc\td\n", 'pairs.tsv:1: the header has 2 columns "left"; keep one'),
        (HEAD + "a\t\tx\ty\na\t\tx\tz\n", 'pairs.tsv:3: key "a" is on line 2 already'),
        (HEAD + "\t\tx\ty\n", "pairs.tsv:2: the column key is empty"),
        (HEAD + "a\t\tx\t \n", 'pairs.tsv:2: the column "right" is empty; every unit needs it'),
        (
            HEAD + "a\t\tx\ty\nb\tx\ty\nc\t\tx\ty\n",
            "pairs.tsv:3: 3 columns instead of 4; write key, left, right",
        ),
        (HEAD + "a\t\tx\ty\n\nb\t\tx\ty\n", "pairs.tsv:3: empty line; every line is one unit"),
        (HEAD + f"{'k' * 256}\t\tx\ty\n", "pairs.tsv:2: the key has 256 characters; use at most 255"),
        (HEAD + f"a\t\t{'x' * 20_001}\ty\n", 'pairs.tsv:2: the column "left" has 20001 characters'),
        ('key,left,right\na,"x\ny",z\n', 'pairs.tsv:2: the column "left" has a tab or a line break'),
        (
            "\t".join(["key", "left", "right", *map(str, range(48))]) + "\n",
            "the header has 51 columns; the maxim",
        ),
    ],
)
def test_bad_line_of_units_is_refused(tmp_path: Path, table: str, message: str) -> None:
    assert message in problems_of(write_campaign(tmp_path, units=table))


def test_problems_of_both_files_come_at_once(tmp_path: Path) -> None:
    folder = write_campaign(tmp_path, changed("seed = 7", "sed = 7"), UNITS.replace("a2", "a1"))
    (folder / "consent.en.md").write_bytes(b"\xff")
    found = problems_of(folder).splitlines()
    assert [line.split(": ")[0] for line in found] == [*["annotation.toml"] * 2, "pairs.tsv:3"]


def test_group_that_needs_too_many_people_is_refused(tmp_path: Path) -> None:
    table = HEAD + "".join(f"u{n}\tg\tx {n}\ty\n" for n in range(201))
    many = changed("answers = 2", "answers = 10")
    assert 'group "g" has 201 units, which needs 2010 different people; the maximum is 2000' in problems_of(
        write_campaign(tmp_path, many, table)
    )
    read_campaign(write_campaign(tmp_path, many.replace("seed = 7", 'groups = "free"'), table))


@pytest.mark.parametrize(
    ("name", "maximum", "message"),
    [
        ("MAX_UNITS", 11, "pairs.tsv: the campaign has 12 units up to here; the maximum is 11. Make several"),
        (
            "MAX_CELLS",
            71,
            r"pairs.tsv: the campaign has 72 cells \(rows times columns\) up to here; the maxi",
        ),
        (
            "MAX_TEXT",
            1000,
            "pairs.tsv: the campaign has 1098 bytes of text up to here; the maximum is 1000. L",
        ),
        (
            "MAX_ANSWERS_IN_ALL",
            23,
            r"round\[again\].answers: the campaign has 24 answers up to here; the max",
        ),
    ],
)
def test_campaign_whose_rounds_are_too_large_together_is_refused_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, maximum: int, message: str
) -> None:
    round_ = CAMPAIGN[CAMPAIGN.index("[[round]]") : CAMPAIGN.index("[gold]")]
    rounds = [round_.replace('"rate"', f'"{slug}"', 1) for slug in ("again", "last")]
    write_campaign(tmp_path, CAMPAIGN.replace("[gold]", "".join(rounds) + "[gold]"))
    monkeypatch.setattr(size, name, maximum)
    assert re.fullmatch(message + r"[^\n]*", problems_of(tmp_path).removeprefix("annotation.toml: "))


def test_texts_of_tuples_and_long_names_of_columns_count_as_they_are_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_chain(tmp_path)
    read_campaign(tmp_path)
    monkeypatch.setattr(size, "MAX_TEXT", sum(len(path.read_bytes()) for path in tmp_path.glob("*.tsv")))
    assert "bytes of text up to here" in problems_of(tmp_path)


def test_table_of_many_empty_cells_is_refused_before_its_rows_are_made(tmp_path: Path) -> None:
    table = "\t".join(["key", "left", "right", *map(str, range(997))]) + ("\n" + "\t" * 999) * 10_000
    write_campaign(tmp_path, units=table)
    tracemalloc.start()
    assert "has 10000000 cells" in problems_of(tmp_path)
    assert tracemalloc.get_traced_memory()[1] < 4 * len(table)
    tracemalloc.stop()


WRONG = [
    "3",
    "true",
    '"x"',
    "[]",
    "[3]",
    "{}",
    "{ en = 3 }",
    "{ en = {} }",
    "2026-03-02",
    "[[1]]",
    "nan",
    "-1",
]
PATHS = [
    *("campaign", "entry", "round", "gold", "entry.students", "campaign.consent", "campaign.guide"),
    *("campaign.scale", "campaign.labels", "campaign.languages", "campaign.slug", "campaign.level"),
    *("campaign.scale.step", "campaign.scale.max", "campaign.labels.en", "campaign.text_language"),
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("value", WRONG)
def test_value_of_any_type_is_read_or_refused(tmp_path: Path, path: str, value: str) -> None:
    """Put a value of another type at any place: the reader reads it or names problems, and never crashes."""
    write_campaign(tmp_path)
    document = tomllib.loads(CAMPAIGN)
    inner = document
    *tables, last = path.split(".")
    for name in tables:
        inner = inner[name]
    inner[last] = tomllib.loads(f"x = {value}")["x"]
    (tmp_path / "annotation.toml").write_text(write_toml(document), encoding="utf-8")
    with suppress(BundleError):
        read_campaign(tmp_path)


@pytest.mark.parametrize("value", WRONG)
@pytest.mark.parametrize(
    "key", [*(key.name for key in ROUND_KEYS), "ask.comment", "question.en", "calibration.units", "intra.n"]
)
def test_value_of_any_type_in_a_round_is_read_or_refused(tmp_path: Path, key: str, value: str) -> None:
    lines = [line for line in CAMPAIGN.splitlines() if not line.startswith(f"{key} =")]
    place = lines.index("[[round]]") + 1
    text = "\n".join([*lines[:place], f"{key} = {value}", *lines[place:]])
    write_campaign(tmp_path, text)
    with suppress(BundleError):
        read_campaign(tmp_path)


def write_toml(value: object) -> str:
    """Write a value as inline TOML; a document as one line for each key."""
    match value:
        case dict() if "campaign" in value:
            return "".join(f"{name} = {write_toml(inner)}\n" for name, inner in value.items())
        case dict():
            return (
                "{"
                + ", ".join(f"{json.dumps(name)} = {write_toml(each)}" for name, each in value.items())
                + "}"
            )
        case list():
            return f"[{', '.join(map(write_toml, value))}]"
        case float() | date():
            return str(value)
    return json.dumps(value)


def test_points_of_a_scale_are_exact_decimals() -> None:
    assert scale_points(ScaleSpec(0, 0.6, 0.1)) == (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
    assert len(scale_points(ScaleSpec(0, 4, 0.25))) == 17
    assert scale_points(ScaleSpec(-1, 1, 1)) == (-1.0, 0.0, 1.0)


def write_gate(folder: Path, keys: str, known: str | None = "3", show: str = "") -> Path:
    """The small campaign with one calibration unit, and these keys beside its table."""
    config = changed("seed = 7", f'seed = 7\n{show}\ncalibration = {{ units = "gate.tsv", {keys} }}')
    header = "key\tleft\tright" + ("" if known is None else "\tknown")
    row = "z1\tA lamp.\tA light." + ("" if known is None else f"\t{known}")
    (folder / "gate.tsv").write_text(f"{header}\n{row}\n", encoding="utf-8")
    return write_campaign(folder, config)


def test_calibration_with_known_ratings_is_a_gate(tmp_path: Path) -> None:
    (round_,) = read_campaign(
        write_gate(tmp_path, "need = 1, within = 0.5, tries = 2, feedback = true")
    ).rounds
    assert round_.gate == Gate(need=1, within=0.5, tries=2, feedback=True)
    (round_,) = read_campaign(write_gate(tmp_path, "need = 1")).rounds
    assert round_.gate == Gate(need=1, within=1, tries=1, feedback=False)
    (round_,) = read_campaign(write_gate(tmp_path, "each_pass = false", None)).rounds
    assert (round_.gate, round_.calibration) == (None, Calibration(each_pass=False))


@pytest.mark.parametrize(
    ("keys", "known", "message"),
    [
        ("need = 0", "3", "calibration.need: must be from 1 to "),
        ("need = 1", None, 'gate.tsv:1: the header has no column "known"'),
        ("need = 1", "", 'gate.tsv:2: the column "known" is empty'),
        (
            "need = 1",
            "five",
            'calibration.units: the known rating of "z1" is "five", which is no number from 0 to',
        ),
        (
            "need = 1",
            "5",
            'calibration.units: the known rating of "z1" is "5", which is no number from 0 to 4',
        ),
        ("need = 1", "nan", "which is no number from 0 to 4"),
        ("need = 2", "3", "calibration.need: is 2, and the table has 1 calibration unit"),
        ("need = 1, within = -1", "3", "calibration.within: must not be below 0, and is -1"),
        ("need = 1, tries = 0", "3", "calibration.tries: must be from 1 to 10, not 0"),
        ("tries = 2", "3", "calibration.tries: needs need"),
    ],
)
def test_gate_that_cannot_be_is_refused(tmp_path: Path, keys: str, known: str | None, message: str) -> None:
    found = problems_of(write_gate(tmp_path, keys, known))
    assert message in found
    assert found.count("\n") == 0


def test_known_rating_cannot_be_shown(tmp_path: Path) -> None:
    units = UNITS.replace("\tnote\n", "\tknown\n").replace("\t\n", "\t1\n")
    folder = write_gate(tmp_path, "need = 1", show='show = ["left", "right", "known"]')
    (folder / "pairs.tsv").write_text(units, encoding="utf-8")
    assert 'the round shows the column "known"' in problems_of(folder)
