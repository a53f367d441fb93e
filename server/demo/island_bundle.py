"""A second task for the demo, as large as many real ones: 24 systems at four levels, public gold and files.

A grammar and a seed generate texts, ratings and runs, so that they are invented and always the same.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

SEED = 2025
ITEMS = 60
"""The number of items of each level."""
GENRES = ("Notice", "Logbook", "Letter", "Recipe", "Radio")
LEVELS = {
    "paragraph2sentence": ("Paragraph to sentence", ("paragraph", "sentence")),
    "sentence2phrase": ("Sentence to phrase", ("sentence", "phrase")),
    "phrase2word": ("Phrase to word", ("phrase", "word")),
    "word2definition": ("Word to definition", ("word", "definition")),
}
TEAMS = (
    "auk", "brig", "cove", "dune", "eider", "fathom", "gannet", "hawser", "inlet", "jetty", "kelp", "ledge",
)  # fmt: skip
RUNS = ("encoder", "overlap")
SUBJECTS = (
    "the skipper", "the lighthouse keeper", "the baker", "a visitor", "a child of the school",
    "the harbour master",
)  # fmt: skip
VERBS = {
    "repairs": "fixes", "paints": "gives new colour to", "sells": "offers", "carries": "brings",
    "looks for": "searches for", "washes": "cleans",
}  # fmt: skip
OBJECTS = {
    "boat": ("vessel", "a small ship that people row or sail"),
    "lamp": ("light", "a thing that gives light"),
    "bread": ("loaf", "food of flour and water, baked"),
    "rope": ("line", "strong cord of twisted fibres"),
    "letter": ("message", "words on paper that someone sends"),
    "sheep": ("ewe", "an animal that is kept for its wool"),
    "bell": ("gong", "a hollow thing of metal that rings when it is struck"),
    "net": ("mesh", "knotted strings that catch fish"),
}
PLACES = ("at the pier", "behind the chapel", "on the north shore", "in the old mill", "near the spring")
TIMES = ("before sunrise", "on market day", "after the storm", "every evening", "in the last week of May")
Clause = tuple[str, str, str, str, str]


def write_island_bundle(folder: Path) -> None:
    """Write the task as a bundle."""
    rng = Random(SEED)  # noqa: S311  (texts, not secrets)
    levels = {slug: _level(rng, slug) for slug in LEVELS}
    for slug, (items, gold) in levels.items():
        _write(folder / f"data/{slug}.tsv", ["\t".join(item) for item in items])
        _write(folder / f"gold/{slug}.tsv", [f"{value:g}" for value in gold])
    runs = []
    for number, team in enumerate(TEAMS):
        for which, run in enumerate(RUNS):
            files = {slug: f"runs/{team}/{run}/{slug}.tsv" for slug in _levels_entered(number, which)}
            for slug, path in files.items():
                _write(folder / path, list(_draw_scores(rng, *levels[slug], _skill(number, which))))
            runs.append((team, run, files, ["phrase2word"] if (number, which) in ((5, 0), (11, 1)) else []))
    (folder / "task.toml").write_text(_task_toml(runs), encoding="utf-8")


def _level(rng: Random, slug: str) -> tuple[list[tuple[str, str, str]], list[float]]:
    items, gold = [], []
    for number in range(ITEMS):
        genre = GENRES[number % len(GENRES)]
        kept_parts = rng.randint(0, 4)
        left, right = _PAIR_MAKERS[slug](rng, kept_parts)
        items.append((left, right, f"{genre}-{number + 1}"))
        gold.append(min(4, max(0, kept_parts + rng.choice((-0.5, -0.25, 0, 0, 0, 0.25, 0.5)))))
    return items, gold


def _draw_clause(rng: Random) -> Clause:
    return (
        rng.choice(SUBJECTS),
        rng.choice([*VERBS]),
        rng.choice([*OBJECTS]),
        rng.choice(PLACES),
        rng.choice(TIMES),
    )


def _clause_text(fact: Clause) -> str:
    who, does, what, where, when = fact
    return f"{who[0].upper()}{who[1:]} {does} the {what} {where} {when}."


def _paraphrase(rng: Random, fact: Clause, kept: int) -> Clause:
    """Paraphrase a fact, and replace all but `kept` of its last four parts."""
    who, does, what, where, when = fact
    other = _draw_clause(rng)
    lost = set(rng.sample(range(4), 4 - kept))
    return (
        who,
        other[1] if 0 in lost else VERBS[does],
        other[2] if 1 in lost else OBJECTS[what][0],
        other[3] if 2 in lost else where,
        other[4] if 3 in lost else when,
    )


def _paragraph_pair(rng: Random, kept: int) -> tuple[str, str]:
    fact = _draw_clause(rng)
    others = [_clause_text(_draw_clause(rng)) for _ in range(2)]
    others.insert(rng.randint(0, 2), _clause_text(fact))
    return " ".join(others), _clause_text(_paraphrase(rng, fact, kept))


def _sentence_pair(rng: Random, kept: int) -> tuple[str, str]:
    fact = _draw_clause(rng)
    _, does, what, where, _ = _paraphrase(rng, fact, kept)
    return _clause_text(fact), f"someone {does} the {what} {where}"


def _phrase_pair(rng: Random, kept: int) -> tuple[str, str]:
    noun = rng.choice([*OBJECTS])
    near = {4: noun, 3: OBJECTS[noun][0], 2: OBJECTS[noun][1].split()[-1]}
    return f"the old {noun} {rng.choice(PLACES)}", near.get(kept) or _other_object(rng, noun)


def _word_pair(rng: Random, kept: int) -> tuple[str, str]:
    noun = rng.choice([*OBJECTS])
    definition = OBJECTS[noun][1]
    if kept >= 3:
        return (noun if kept == 4 else OBJECTS[noun][0]), definition
    return _other_object(rng, noun), definition


def _other_object(rng: Random, what: str) -> str:
    return rng.choice([word for word in OBJECTS if word != what])


_PAIR_MAKERS = {
    "paragraph2sentence": _paragraph_pair,
    "sentence2phrase": _sentence_pair,
    "phrase2word": _phrase_pair,
    "word2definition": _word_pair,
}


def _skill(number: int, which: int) -> float:
    """Return how close a system is to the gold labels: three groups, with small differences between teams."""
    league = 0 if number < 3 else 1 if number < 8 else 2
    return (0.63, 0.5, 0.33)[league] - 0.006 * number - 0.03 * which


def _levels_entered(number: int, which: int) -> list[str]:
    """Return the levels that a system enters: all for most, fewer for a few, and one for a single system."""
    slugs = [*LEVELS]
    partial_entries = {
        (4, 1): slugs[:3],
        (10, 0): slugs[:2],
        (10, 1): slugs[:3],
        (9, 0): slugs[:2],
        (9, 1): slugs[3:],
    }
    return partial_entries.get((number, which), slugs)


def _draw_scores(
    rng: Random, items: Sequence[tuple[str, str, str]], gold: Sequence[float], skill: float
) -> Iterator[str]:
    """Yield scores that follow the gold labels as far as the system's skill allows; genres differ."""
    bias = {genre: rng.uniform(-0.6, 0.6) for genre in GENRES}
    level = skill * rng.uniform(0.92, 1.08)
    for (_, _, item_id), value in zip(items, gold, strict=True):
        guess = level * value + (1 - level) * rng.uniform(0, 4) + bias[item_id.split("-")[0]] * (1 - level)
        yield f"{min(4.0, max(0.0, guess)):.3f}"


def _write(path: Path, lines: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


TOML_HEAD = '''\
[task]
slug = "island-2025"
title = "Cross-Level Similarity on an Island"
description = """
How much of a larger text is left in a smaller one, on an island of our own invention? **This task is over**:
board, gold and files are public. Its texts, ratings and runs are made by a program."""
terms = "none"
licence = "MIT"
organizers = "The island's lighthouse"
contact = "ada@demo.example"
scale = { min = 0, max = 4, step = 0.25 }
metrics = ["pearson", "spearman"]
run_format = "aligned"

[task.labels]
0 = "unrelated"
1 = "slightly related"
2 = "related but not similar"
3 = "somewhat similar"
4 = "very similar"

[board]
total = "sum"
total_needs = "all"
runs_per_team = 3

[[phase]]
slug = "evaluation"
title = "Evaluation"
split = "test"
opens = 2025-01-10T00:00:00Z
closes = 2025-01-31T23:59:59-12:00
grace_hours = 72
feedback = "hidden"
runs_public = true

[[run]]
team = "organizers"
name = "LCS"
baseline = "lcs"

[[run]]
team = "organizers"
name = "GST"
baseline = "gst"

[[run]]
team = "organizers"
name = "TF-IDF"
baseline = "tfidf"
'''


def _task_toml(runs: Sequence[tuple[str, str, dict[str, str], list[str]]]) -> str:
    """Write the task.toml; JSON's strings and lists are valid TOML."""
    parts = [TOML_HEAD]
    for slug, (title, sides) in LEVELS.items():
        parts.append(
            f'[[level]]\nslug = "{slug}"\ntitle = "{title}"\ncolumns = ["left", "right", "id"]\n'
            f'sides = {json.dumps(sides)}\ngenre = "id-prefix"\n'
            f'[level.test]\nitems = "data/{slug}.tsv"\ngold = "gold/{slug}.tsv"\n'
        )
    for team, run, files, late in runs:
        listed = ", ".join(f'{slug} = "{path}"' for slug, path in files.items())
        parts.append(
            f'[[run]]\nteam = "{team}"\nname = "{run}"\nfiles = {{ {listed} }}\nlate = {json.dumps(late)}\n'
        )
    return "\n".join(parts)
