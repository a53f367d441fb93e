from datetime import UTC, datetime
from pathlib import Path

import pytest

from scorer import __version__
from scorer.bundles.bundle import TeamsSpec, parse_gold_for
from scorer.bundles.checks import check_bundle
from scorer.bundles.reader import read_bundle
from scorer.bundles.recompute import recompute_board
from scorer.errors import BundleError, DataError, GoldError
from scorer.files.reading import KeyedFormat, parse_items
from tests.scorer.small_bundle import TASK, write_bundle


def problems(folder: Path, old: str, new: str) -> list[str]:
    """What is wrong with the bundle once `old` is replaced by `new`."""
    assert old in TASK
    with pytest.raises(BundleError) as error:
        check_bundle(read_bundle(write_bundle(folder, TASK.replace(old, new))))
    return [str(problem) for problem in error.value.problems]


@pytest.mark.parametrize(
    ("scale", "problem"),
    [
        ("{ min = 0 }", "task.scale.max: is missing; give the highest value of the scale"),
        ("{ max = 4 }", "task.scale.min: is missing; give the lowest value of the scale"),
        ("{ min = 4, max = 1, step = 1 }", "task.scale.max: must be above min, 4"),
    ],
)
def test_invalid_scale_is_the_only_problem_if_all_else_is_valid(
    tmp_path: Path, scale: str, problem: str
) -> None:
    assert problems(tmp_path, "{ min = 0, max = 4 }", scale) == [f"task.toml: {problem}"]


def test_bundle_has_levels_phases_and_runs(tmp_path: Path) -> None:
    bundle = read_bundle(write_bundle(tmp_path))
    check_bundle(bundle)

    assert [level.slug for level in bundle.levels] == ["p2s", "s2p"]
    assert bundle.levels[0].metrics == ("pearson", "spearman")
    assert bundle.phases[0].closes == datetime(2026, 3, 15, 10, tzinfo=UTC)
    assert (bundle.phases[0].feedback, bundle.phases[0].runs_per_team) == ("hidden", 3)
    assert [(run.team, run.name, dict(run.files)) for run in bundle.runs] == [
        ("organizers", "LCS", {}),
        ("birch", "one", {"p2s": "elsewhere/birch.tsv"}),
        ("ash", "a_b", {"p2s": "runs/ash/a_b/p2s.tsv", "s2p": "runs/ash/a_b/s2p.tsv"}),
    ]
    assert bundle.main_split == "test"


def test_task_of_one_level_has_no_total_by_default(tmp_path: Path) -> None:
    level = TASK[TASK.index('[[level]]\nslug = "s2p"') : TASK.index("[[phase]]")]
    alone = TASK.replace(level, "").replace('late = ["s2p"]', "")
    assert read_bundle(write_bundle(tmp_path / "two")).rules.total == "sum"
    assert read_bundle(write_bundle(tmp_path / "one", alone)).rules.total == "none"
    asked = alone.replace("[board]", '[board]\ntotal = "mean"')
    assert read_bundle(write_bundle(tmp_path / "asked", asked)).rules.total == "mean"


def test_mean_is_over_all_levels_unless_a_task_asks_for_what_is_refused(tmp_path: Path) -> None:
    for total, needs in (("sum", "entered"), ("mean", "all"), ("weighted", "all")):
        asked = TASK.replace("[board]", f'[board]\ntotal = "{total}"')
        assert read_bundle(write_bundle(tmp_path / total, asked)).rules.total_needs == needs
    assert problems(tmp_path, "[board]", '[board]\ntotal = "weighted"\ntotal_needs = "entered"') == [
        "task.toml: board.total: a mean over the levels entered rewards leaving hard levels out; "
        'use total_needs = "all", or total = "sum"'
    ]


def test_a_metric_over_groups_needs_items_with_groups(tmp_path: Path) -> None:
    choice = 'slug = "s2p"\nmetrics = ["choice_accuracy"]\ncounts = false'
    assert problems(tmp_path, 'slug = "s2p"', choice) == [
        "items.tsv: choice_accuracy of s2p needs a column that says which items are compared; "
        "add the column, and group to the level's columns, or choose another metric"
    ]
    columns = '\ncolumns = ["left", "right", "id", "group"]'
    task = TASK.replace('slug = "s2p"', choice + columns).replace('slug = "p2s"', 'slug = "p2s"' + columns)
    root = write_bundle(tmp_path, task)
    rows = (root / "items.tsv").read_text(encoding="utf-8").splitlines()
    (root / "items.tsv").write_text("".join(f"{row}\tdialogue\n" for row in rows), encoding="utf-8")
    (ash,) = recompute_board(read_bundle(root)).late
    cell = ash.cells["s2p"]["choice_accuracy"]
    assert (cell.value, cell.signature) == (1 / 3, f"choice_accuracy|n:3|choices:1|v:{__version__}")


def test_runs_in_folders_need_no_entry(tmp_path: Path) -> None:
    entry = TASK[TASK.index('[[run]]\nteam = "ash"') :]
    bundle = read_bundle(write_bundle(tmp_path, TASK.replace(entry, "")))
    assert ("ash", "a_b") in [(run.team, run.name) for run in bundle.runs]


def test_name_with_bidirectional_control_characters_is_rejected(tmp_path: Path) -> None:
    root = write_bundle(tmp_path)
    (root / "runs" / "ash").rename(root / "runs" / "ash\u202egnp")
    toml = root / "task.toml"
    toml.write_text(toml.read_text().replace('team = "birch"', 'team = "birch\u2066"'))
    with pytest.raises(BundleError) as refused:
        read_bundle(root)
    asked = "must be 1 to 80 characters, without slashes or control characters"
    found = {str(problem) for problem in refused.value.problems}
    assert f"task.toml: run[one].team: {asked}" in found
    assert rf"task.toml: run: the name of the folder 'ash\u202egnp' {asked}" in found


def test_description_is_a_file_or_the_text_itself(tmp_path: Path) -> None:
    write_bundle(tmp_path, TASK.replace("scale =", 'description = "about.md"\nscale =', 1))
    (tmp_path / "about.md").write_text("# What it is about\n", encoding="utf-8")
    assert read_bundle(tmp_path).task.description == "# What it is about\n"
    write_bundle(tmp_path, TASK.replace("scale =", 'description = "How alike?"\nscale =', 1))
    assert read_bundle(tmp_path).task.description == "How alike?"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "Small', 'titel = "Small', 'task.toml: task.titel: unknown key; did you mean "title"?'),
        ('title = "Small', 'titel = "Small', "task.toml: task.title: is missing; give text"),
        (
            'slug = "small"',
            'slug = "Small Task"',
            'task.toml: task.slug: "Small Task" is not a short name; use lower-case letters and digits, with '
            "hyphens only between them, at most 64 characters",
        ),
        (
            'slug = "p2s"',
            'slug = "p 2 s"',
            'task.toml: level[p 2 s].slug: "p 2 s" is not a short name; use letters and digits, with hyphens '
            "or underscores only between them, at most 64 characters",
        ),
        ("min = 0, max = 4", "min = 4, max = 4", "task.toml: task.scale.max: must be above min, 4"),
        ("max = 4", 'max = "4"', "task.toml: task.scale.max: must be a number, not '4'"),
        (
            '"4" = "the',
            '"four" = "the',
            "task.toml: task.labels.four: the key of a label is a point of the scale",
        ),
        (
            "enter_at_least = 1",
            "enter_at_least = 3",
            "task.toml: board.total: enter_at_least is 3, but 2 levels count",
        ),
        (
            "enter_at_least = 1",
            'total = "max"',
            'task.toml: board.total: "max" is not one of sum, mean, weighted, none',
        ),
        (
            'slug = "s2p"',
            'slug = "p2s"',
            'task.toml: level: "p2s" is used twice; give each its own name',
        ),
        (
            'slug = "s2p"',
            'slug = "s2p"\nmetrics = ["kappa"]',
            'task.toml: level[s2p].metrics: "kappa" is not one of',
        ),
        (
            'items = "items.tsv"',
            'items = "../items.tsv"',
            'task.toml: level[p2s].test.items: "../items.tsv" lies outside the folder',
        ),
        (
            'items = "items.tsv"',
            'items = "/etc/passwd"',
            'task.toml: level[p2s].test.items: "/etc/passwd" lies outside the folder',
        ),
        (
            'items = "items.tsv"',
            'items = "item.tsv"',
            'task.toml: level[p2s].test.items: there is no file "item.tsv" in the folder',
        ),
        (
            "opens = 2026-03-01T00:00:00Z",
            "opens = 2026-03-01",
            "task.toml: phase[evaluation].opens: must be a date and time with an offset",
        ),
        (
            "opens = 2026-03-01T00:00:00Z",
            "opens = 2026-04-01T00:00:00Z",
            "task.toml: phase[evaluation].closes: must be after opens",
        ),
        (
            'split = "test"',
            'split = "test"\ngrace_hours = 99999999999',
            "task.toml: phase[evaluation].grace_hours: must be from 0 to 8784, not 99999999999",
        ),
        (
            "opens = 2026-03-01T00:00:00Z",
            "opens = 0001-01-01T00:00:00+12:00",
            "task.toml: phase[evaluation].opens: must be in the years 1970 to 9000, not 1",
        ),
        (
            'slug = "s2p"',
            'slug = "s2p"\ngenre = "nope"',
            'task.toml: level[s2p].genre: must be "id-prefix" or one of columns, not "nope"',
        ),
        ("max = 4", "max = inf", "task.toml: task.scale.max: must be a finite number, not inf"),
        (
            'split = "test"',
            'split = "test"\nfeedback = "ladders"',
            'task.toml: phase[evaluation].feedback: "ladders" is not one of '
            "hidden, scores, rounded, public-part, ladder",
        ),
        (
            'split = "test"',
            'split = "test"\nplaces = 2',
            'task.toml: phase[evaluation].places: goes with feedback = "rounded"',
        ),
        (
            'split = "test"',
            'split = "test"\nfeedback = "ladder"\nstep = 0',
            "task.toml: phase[evaluation].step: must be from 0.0001 to 1, not 0",
        ),
        (
            'split = "test"',
            'split = "test"\nboard = "live"',
            "task.toml: phase[evaluation].board: a live leaderboard shows scores; "
            'feedback cannot be "hidden"',
        ),
        (
            'split = "test"',
            'split = "test"\nbaselines = "never"',
            'task.toml: phase[evaluation].baselines: "never" is not one of after, always',
        ),
        (
            'split = "test"',
            'split = "test"\nreminders = [24, 0]',
            "task.toml: phase[evaluation].reminders: must be a list of whole numbers from 1 to 720",
        ),
        (
            'split = "test"',
            'split = "test"\nreminders = [6, 5, 4, 3, 2, 1]',
            "task.toml: phase[evaluation].reminders: has 6 numbers; use at most 5",
        ),
        (
            'split = "test"\nopens',
            'split = "test"\nfeedback = "public-part"\nopens',
            "task.toml: phase[evaluation].feedback: level[p2s].test.public_items is missing; "
            "name the file of their ids",
        ),
        (
            'baseline = "lcs"',
            'baseline = "tiling"',
            'task.toml: run[LCS].baseline: "tiling" is not one of lcs, gst',
        ),
        (
            'late = ["s2p"]',
            'late = ["p2w"]',
            'task.toml: run[a_b].late: "p2w" is not a level for which this run has a file',
        ),
        (
            'files = { p2s = "elsewhere/birch.tsv" }',
            "",
            "task.toml: run[one].files: is missing, and there are no files in runs/birch/one/",
        ),
        (
            "[board]",
            "[teams]\nsize = 0\n[board]",
            "task.toml: teams.size: must be from 1 to 1000000, not 0",
        ),
        (
            "[board]",
            '[teams]\nregistration = "closed"\n[board]',
            'task.toml: teams.registration: "closed" is not one of open, approved',
        ),
        (
            "[board]",
            "[teams]\nsizes = 4\n[board]",
            'task.toml: teams.sizes: unknown key; did you mean "size"?',
        ),
        ('name = "one"', 'name = "o/ne"', "task.toml: run[o/ne].name: must be 1 to 80 characters"),
        (
            '"4" = "the',
            '"0.0" = "the',
            "task.toml: task.labels.0.0: the key of a label is a point of the scale",
        ),
        (
            '"4" = "the',
            '"nan" = "the',
            "task.toml: task.labels.nan: the key of a label is a point of the scale",
        ),
        ("Small & simple", "x" * 201, "task.toml: task.title: has 201 characters; use at most 200"),
        ("Small & simple", "Sm\\u0000all", "task.toml: task.title: has a NUL character"),
        (
            'late = ["s2p"]',
            'late = ["s2p"]\nlate_files = { s2p = "gold.tsv" }',
            'task.toml: run[a_b].late: "s2p" is in late_files already; name it once',
        ),
        (
            'late = ["s2p"]',
            'late = ["s2p"]\nlinks = ["https://a.org", "ftp://a.org"]',
            'task.toml: run[a_b].links: "ftp://a.org" is not a web address; begin it with https:// or http://',
        ),
        (
            'name = "a_b"',
            'name = "one"\nprimary = true\nfiles = { p2s = "gold.tsv" }\n[[run]]\nteam = "ash"\n'
            'name = "two"\nprimary = true\nfiles = { p2s = "gold.tsv" }',
            "task.toml: run: ash has two primary runs; mark at most one as primary",
        ),
        (
            'late = ["s2p"]',
            'late_files = { s2p = "nowhere.tsv" }',
            'task.toml: run[a_b].late_files.s2p: there is no file "nowhere.tsv" in the folder',
        ),
        (
            'title = "Small & simple"',
            'title = "Small"\nhistory = "history.json"',
            'task.toml: task.history: there is no file "history.json" in the folder',
        ),
        (
            'name = "a_b"',
            'name = "one"\nfiles = { p2s = "gold.tsv" }\n[[run]]\nteam = "birch"\nname = "one"\n'
            'phase = "evaluation"\nfiles = { s2p = "gold.tsv", p2s = "gold.tsv" }',
            'task.toml: run: "birch/one" is used twice',
        ),
    ],
)
def test_problem_names_the_key_and_how_to_fix_it(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert any(problem.startswith(message) for problem in problems(tmp_path, old, new))


def test_levels_without_valid_short_names_cause_no_further_problems(tmp_path: Path) -> None:
    second = TASK.replace('slug = "s2p"', 'slug = "Bad Slug"')
    with pytest.raises(BundleError) as caught:
        read_bundle(write_bundle(tmp_path, second.replace('slug = "p2s"', 'slug = "Bad Slug"')))
    said = [str(problem) for problem in caught.value.problems]
    assert len([words for words in said if '"Bad Slug" is not a short name' in words]) == 2
    assert not [words for words in said if "used twice" in words or "unknown key" in words]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('slug = "small"', "slug = 3", "task.slug: must be text, not 3"),
        (
            'files = { p2s = "elsewhere/birch.tsv" }',
            "files = { p2s = 3 }",
            "run[one].files.p2s: must be text",
        ),
        ('baseline = "lcs"', 'baseline = "tiling"', 'run[LCS].baseline: "tiling" is not one of lcs, gst'),
        (
            'baseline = "lcs"',
            'baseline = "own"',
            "run[LCS].files: is missing, and there are no files in runs/",
        ),
    ],
)
def test_one_cause_is_reported_as_one_problem(tmp_path: Path, old: str, new: str, message: str) -> None:
    first, *rest = problems(tmp_path, old, new)
    assert message in first
    assert [problem for problem in rest if "files: is missing" not in problem] == []


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ('["left", "id"]', 'must name "right" once'),
        ('["left", "right", "id", "id"]', 'must name "id" once'),
        ('["pair", "left"]', 'a "pair" has both sides, "left" and "right"'),
        ('["left", "...", "right"]', '"..." must be last; it stands for all columns that are ignored'),
        ('{ left = "A", rihgt = "B" }', 'rihgt: unknown key; did you mean "right"?'),
        ('{ left = "A" }', 'must name "right" once'),
        ('{ left = "A", right = 2 }', "right: must be text, not 2"),
        ('"left"', "must be a list, not 'left'"),
    ],
)
def test_impossible_columns_are_named(tmp_path: Path, columns: str, sentence: str) -> None:
    found = problems(tmp_path, 'slug = "s2p"', f'slug = "s2p"\ncolumns = {columns}')
    assert any("level[s2p].columns" in problem and sentence in problem for problem in found), found


def test_the_items_of_keyed_runs_have_ids(tmp_path: Path) -> None:
    keyed = 'run_format = "keyed"\nkeyed = { id = "i", score = "s" }'
    toml = TASK.replace('title = "Small', f'{keyed}\ntitle = "Small')
    write_bundle(tmp_path, toml.replace('slug = "p2s"', 'slug = "p2s"\ncolumns = ["left", "right"]'))
    with pytest.raises(BundleError, match=r'level\[p2s\]\.columns: must name "id" once'):
        read_bundle(tmp_path)


def test_highest_confidence_must_be_positive(tmp_path: Path) -> None:
    found = problems(tmp_path, 'title = "Small', 'confidence = 0\ntitle = "Small')
    assert found == ["task.toml: task.confidence: must be above 0: it is the highest confidence"]


def test_named_genre_column_gives_the_genre(tmp_path: Path) -> None:
    columns = '{ left = "A", right = "B", id = "n", genre = "source" }'
    folder = write_bundle(tmp_path, TASK.replace('slug = "s2p"', f'slug = "s2p"\ncolumns = {columns}'))
    items = "n\tsource\tA\tB\n1\tnews\ta\tb\n2\tweb\tc\td\n3\tnews\te\tf\n"
    (folder / "s2p.tsv").write_text(items, encoding="utf-8")
    toml = (folder / "task.toml").read_text(encoding="utf-8")
    head, level, rest = toml.partition('slug = "s2p"')
    (folder / "task.toml").write_text(
        head + level + rest.replace("items.tsv", "s2p.tsv", 1), encoding="utf-8"
    )
    bundle = read_bundle(folder)
    assert bundle.items(bundle.levels[1], "test").genres == ("news", "web", "news")


@pytest.mark.parametrize(
    ("gold", "sentence"),
    [
        (b"n;s\nx-1;1\n", 'the header has no column "n"; its columns are separated by semicolons'),
        (b"N\ts\nx-1\t1\n", 'the header has no column "n"; it has "N", and names are compared letter by'),
        (b"0,5\n1\n1\n", 'gold value "0,5" has a decimal comma; write 0.5'),
        ("n\tg\nx-1\t1\n".encode("utf-16"), "this is UTF-16; save it as UTF-8"),
    ],
)
def test_gold_of_a_keyed_task_is_keyed_or_aligned(gold: bytes, sentence: str) -> None:
    items = parse_items(b"a\tb\tx-1\nc\td\tx-2\ne\tf\ty-3\n", "items.tsv")
    keyed = KeyedFormat("n", "s", gold="g")
    good = parse_gold_for(items, b"g\tn\n1\ty-3\n\tx-1\n4\tx-2\n", "gold.tsv", keyed, (0, 4))
    assert good.values == (None, 4.0, 1.0)
    assert parse_gold_for(items, b"1\n\n4\n", "gold.tsv", keyed, (0, 4)).values == (1.0, None, 4.0)
    headed = b"gold\tsd\n1\t0.5\n\n4\t1\n"
    assert parse_gold_for(items, headed, "gold.tsv", KeyedFormat("pair", "s"), (0, 4)).values == (1, None, 4)
    with pytest.raises(GoldError) as caught:
        parse_gold_for(items, gold, "gold.tsv", keyed, (0, 4))
    assert sentence in str(caught.value)


def only_first(folder: Path, scored: int, gold: str) -> Path:
    """The small bundle with three items, of which only the first so many are scored at one level."""
    root = write_bundle(folder, TASK.replace('"gold.tsv"', f'"short.tsv", scored = {scored}', 1))
    (root / "short.tsv").write_text(gold, encoding="utf-8")
    return root


@pytest.mark.parametrize("gold", ["4\n3\n", "4\r\n3", "4\r3\r", "4\n3\n\n", "4\n3\n\n\n\n"])
def test_gold_may_end_after_the_scored_items_if_the_task_states_their_number(
    tmp_path: Path, gold: str
) -> None:
    bundle = read_bundle(only_first(tmp_path, 2, gold))
    check_bundle(bundle)
    level = bundle.levels[0]
    assert bundle.gold(level, "test", bundle.items(level, "test")).values == (4.0, 3.0, None)
    assert bundle.gold_data(level, "test", "short.tsv", 3) == b"4\n3\n\n"
    (ash,) = [row for row in recompute_board(bundle).official if row.team == "ash"]
    cell = ash.cells["p2s"]["pearson"]
    assert (cell.value, cell.n) == (1.0, 2)  # 4 3 against 4 2; what it says of the third item does not count
    headed = read_bundle(only_first(tmp_path / "headed", 2, "gold\tsd\n4\t0\n3\t1\n"))
    assert headed.gold(level, "test", headed.items(level, "test")).values == (4.0, 3.0, None)


@pytest.mark.parametrize(
    ("scored", "gold", "sentence"),
    [
        (2, "4\n", "short.tsv: the gold has 1 line, and task.toml says that the first 2 items are scored"),
        (
            2,
            "4\n3\n0\n",
            "short.tsv: the gold has 3 lines, and task.toml says that the first 2 items are scored",
        ),
        (4, "4\n3\n0\n1\n", "task.toml: level[p2s].test.scored: is 4, and there are 3 items"),
        (2, "4\nx\n", 'short.tsv:2: gold value "x" is not a number'),
        (0, "4\n", "task.toml: level[p2s].test.scored: must be from 1 to 1000000, not 0"),
    ],
)
def test_gold_must_have_as_many_lines_as_scored_items(
    tmp_path: Path, scored: int, gold: str, sentence: str
) -> None:
    with pytest.raises(DataError) as caught:
        check_bundle(read_bundle(only_first(tmp_path, scored, gold)))
    assert str(caught.value).startswith(sentence)


def test_number_of_scored_items_needs_aligned_gold(tmp_path: Path) -> None:
    sentence = "task.toml: level[p2s].test.scored: goes with aligned gold; keyed gold names its items"
    assert problems(tmp_path / "none", ', gold = "gold.tsv"', ", scored = 2")[0] == sentence
    keyed = 'run_format = "keyed"\nkeyed = { id = "i", score = "s" }\ntitle = "Small'
    task = TASK.replace('title = "Small', keyed).replace('"gold.tsv"', '"gold.tsv", scored = 2', 1)
    with pytest.raises(BundleError) as caught:
        read_bundle(write_bundle(tmp_path / "keyed", task))
    assert sentence in str(caught.value)


def test_too_short_gold_is_rejected_unless_the_task_states_the_scored_items(tmp_path: Path) -> None:
    root = write_bundle(tmp_path)
    (root / "gold.tsv").write_text("4\n3\n", encoding="utf-8")
    with pytest.raises(
        BundleError, match=r"gold.tsv: the gold has 2 lines, but there are 3 items: 1 line is"
    ):
        check_bundle(read_bundle(root))


def test_anyone_can_participate_unless_the_bundle_says_otherwise(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path)
    assert read_bundle(folder).teams == TeamsSpec(size=None, registration="open")
    toml = (folder / "task.toml").read_text(encoding="utf-8")
    rules = '[teams]\nsize = 4\nregistration = "approved"\n[board]'
    (folder / "task.toml").write_text(toml.replace("[board]", rules), encoding="utf-8")
    assert read_bundle(folder).teams == TeamsSpec(size=4, registration="approved")


def test_keyed_runs_name_their_columns(tmp_path: Path) -> None:
    found = problems(tmp_path, 'title = "Small & simple"', 'title = "Small"\nrun_format = "keyed"')
    assert found == ["task.toml: task.keyed: is missing; name the columns: { id = ..., score = ... }"]


def test_toml_syntax_error_has_its_place(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "[board]", "[board")
    assert found.startswith("task.toml:7: is not valid TOML:")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (TASK.encode("utf-16"), "task.toml: this is UTF-16; save it as UTF-8"),
        (b"\x1f\x8b\x08\x00", "task.toml: this is a gzip archive; unpack it first"),
        (b"", "task.toml: the file is empty"),
        (
            TASK.replace("Small", "Sm\xe4ll").encode("latin-1"),
            "task.toml:3: byte 0xE4 at column 12 (ä in Win",
        ),
        (TASK.replace("simple", "\0").encode(), "task.toml:3: the line has a NUL byte; write plain text"),
        (TASK.replace('"small"', "“small”").encode(), "task.toml:2: is not valid TOML: Invalid value"),
        (TASK.replace('"small"', "“small”").encode(), 'write straight quotes, ", around texts'),
    ],
)
def test_description_that_is_not_text_is_identified(tmp_path: Path, data: bytes, sentence: str) -> None:
    (write_bundle(tmp_path) / "task.toml").write_bytes(data)
    with pytest.raises(BundleError) as error:
        read_bundle(tmp_path)
    assert sentence in str(error.value)
    assert error.value.count == 1


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_a_description_may_have_any_line_ends_and_a_byte_order_mark(tmp_path: Path, end: str) -> None:
    folder = write_bundle(tmp_path)
    (folder / "task.toml").write_bytes(("\ufeff" + TASK.replace("\n", end)).encode())
    assert read_bundle(folder).task.title == "Small & simple"


def test_other_text_file_that_is_not_text_is_named(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path, TASK.replace("scale =", 'description = "about.md"\nscale =', 1))
    (folder / "about.md").write_bytes("\xe9t\xe9\n".encode("latin-1"))
    with pytest.raises(BundleError, match=r"task\.description: about\.md:1: byte 0xE9 at column 1 \(é in"):
        read_bundle(folder)


def test_all_problems_of_all_files_are_reported_at_once(tmp_path: Path) -> None:
    bundle = read_bundle(write_bundle(tmp_path))
    (tmp_path / "gold.tsv").write_text("4\n3\n7\n", encoding="utf-8")
    (tmp_path / "elsewhere/birch.tsv").write_text("1\nx\n3\n", encoding="utf-8")
    with pytest.raises(BundleError) as error:
        check_bundle(bundle)
    found = [str(problem) for problem in error.value.problems]
    assert found[0].startswith("gold.tsv: item y-3 has the gold label 7, which is outside the scale, 0 to 4")
    assert any(problem.startswith('elsewhere/birch.tsv:2: score "x"') for problem in found)


def test_symlink_to_outside_the_bundle_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "secret.tsv").write_text("4\n3\n0\n", encoding="utf-8")
    folder = write_bundle(tmp_path / "bundle")
    (folder / "gold.tsv").unlink()
    (folder / "gold.tsv").symlink_to(tmp_path / "secret.tsv")
    with pytest.raises(BundleError, match=r'"gold\.tsv" lies outside the folder'):
        read_bundle(folder)


def test_missing_folder_or_description_is_one_message(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="there is no such folder"):
        read_bundle(tmp_path / "nowhere")


TWICE = """
[[phase]]
slug = "afterwards"
split = "test"

[[run]]
team = "birch"
name = "one"
phase = "afterwards"
files = { p2s = "gold.tsv" }
"""


def test_a_run_of_each_phase_may_have_the_same_name(tmp_path: Path) -> None:
    bundle = read_bundle(write_bundle(tmp_path, TASK + TWICE))
    check_bundle(bundle)
    assert [(run.name, run.phase) for run in bundle.runs if run.team == "birch"] == [
        ("one", None),
        ("one", "afterwards"),
    ]


def test_late_file_is_read_in_addition_to_the_one_on_time(tmp_path: Path) -> None:
    task = TASK.replace('late = ["s2p"]', 'late_files = { p2s = "elsewhere/birch.tsv" }')
    bundle = read_bundle(write_bundle(tmp_path, task))
    (run,) = [run for run in bundle.runs if run.team == "ash"]
    assert run.file("p2s", late=False) == "runs/ash/a_b/p2s.tsv"
    assert run.file("p2s", late=True) == "elsewhere/birch.tsv"
    assert (run.file("s2p", late=False), run.file("s2p", late=True)) == ("runs/ash/a_b/s2p.tsv", None)


def test_bad_line_of_a_late_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "late.txt").write_text("4\nx\n1\n", encoding="utf-8")
    task = TASK.replace('late = ["s2p"]', 'late_files = { p2s = "late.txt" }')
    bundle = read_bundle(write_bundle(tmp_path, task))
    with pytest.raises(BundleError, match=r'late\.txt:2: score "x"'):
        check_bundle(bundle)
