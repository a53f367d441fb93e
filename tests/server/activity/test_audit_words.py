import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from server.accounts import audit_signals
from server.activity.actions import ACTION_KINDS, ACTIONS, list_actions
from server.activity.entry_sentences import (
    _FIELDS,
    EntryFacts,
    KnownNames,
    SubmittedFile,
    write_sentence_parts,
)
from server.core.actors import CONSOLE, VISITOR, WORKER, Actor

SERVER = Path(__file__).parents[3] / "server"
ACTION = re.compile(r"[a-z]+\.[a-z_-]+")
RECORD = re.compile(r"record(_annotator|_assignment)?$")
POSITIONAL = ("session", "actor", "now", "action", "task_id", "team_id")


def recordings() -> Iterator[tuple[set[str], set[str], str]]:
    """Each call that records something: the actions that it may name, the details that it gives."""
    for path in sorted(SERVER.rglob("*.py")):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef):
                for call in ast.walk(function):
                    if isinstance(call, ast.Call) and RECORD.search(ast.unparse(call.func)):
                        yield actions_in(call, function), keys_in(call, function), f"{path}:{call.lineno}"


def actions_in(call: ast.Call, function: ast.FunctionDef) -> set[str]:
    """The words of this shape in a call, and in what its function assigns to `action`."""
    nodes = [call, *assigned(function, "action")]
    words = [node.value for part in nodes for node in ast.walk(part) if isinstance(node, ast.Constant)]
    return {word for word in words if isinstance(word, str) and ACTION.fullmatch(word)}


def assigned(function: ast.FunctionDef, name: str) -> list[ast.Assign]:
    assignments = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
    return [node for node in assignments if ast.unparse(node.targets[0]) == name]


def keys_in(call: ast.Call, function: ast.FunctionDef) -> set[str]:
    """The names of the details in a call, and in what its function assigns to `details`."""
    dicts = [node.value for node in assigned(function, "details") if isinstance(node.value, ast.Dict)]
    keys = [ast.literal_eval(key) for values in dicts for key in values.keys]
    return {*keys, *(keyword.arg for keyword in call.keywords if keyword.arg)} - set(POSITIONAL)


def test_exactly_the_recorded_actions_have_sentences() -> None:
    found = set().union(*(actions for actions, _, _ in recordings()))
    assert found | {action for _, action in audit_signals.SIGNAL_ACTIONS} == set(ACTIONS)


def test_every_recorded_detail_is_known_for_its_action() -> None:
    unknown = [
        (place, sorted(actions), key)
        for actions, keys, place in recordings()
        for key in keys
        if actions and not any(key in ACTIONS[action].keys for action in actions if action in ACTIONS)
    ]
    assert unknown == []


def test_every_placeholder_has_a_value_and_every_kind_has_actions() -> None:
    named = {name for words in ACTIONS.values() for _, name, _, _ in Formatter().parse(words.text) if name}
    assert named | {"action"} == set(_FIELDS)
    assert sorted(name for kind in ACTION_KINDS for name in list_actions(kind)) == list(ACTIONS)


NAMES = KnownNames(
    people={1: "ada", 2: "bo"},
    teams={7: "birch"},
    runs={3: "one", 4: "two"},
    files={9: SubmittedFile("one", "Paragraph to sentence", 7)},
    phases={"evaluation": "Evaluation"},
    levels={"p2s": "Paragraph to sentence"},
)
CLOSES = ["2026-03-15T12:00:00+00:00", "2026-03-16T12:00:00+00:00"]


def write_sentence(facts: EntryFacts) -> str:
    return "".join(part.words for part in write_sentence_parts(facts)) + "."


@pytest.mark.parametrize(
    ("actor", "action", "details", "words"),
    [
        (1, "phase.extend", {"phase": "evaluation", "closes": CLOSES},
         "ada extended the deadline of Evaluation for all teams "
         "from 15 Mar 2026, 12:00:00 UTC to 16 Mar 2026, 12:00:00 UTC."),
        (2, "submission.late", {"submission": 9},
         "bo uploaded submission 9 for run one, Paragraph to sentence, which was accepted as late."),
        (1, "submission.accept", {"submission": 9, "came_with_task": True},
         "ada imported submission 9 for run one, Paragraph to sentence."),
        (2, "run.order", {"order": [4, 3]}, "bo changed the order of the runs: two, one."),
        (2, "account.rename", {"user": "user:2"}, "bo changed the name of their own account."),
        (1, "account.confirm", {"user": "user:2"}, "ada confirmed the account of bo."),
        (1, "team.remove", {"team": 7, "user": "user:99"}, "ada removed person 99 from birch."),
        (99, "team.join", {"team": 8}, "Person 99 joined team 8."),
        (1, "phase.edit",
         {"phase": "evaluation", "changed": {"grace_hours": [72, None], "title": ["a" * 64] * 2}},
         "ada changed Evaluation: grace period (hours) from 72 to none; title."),
        (1, "release.add", {"phase": "evaluation", "number": 2, "anonymous": True},
         "ada released the results of Evaluation as release 2, without team names."),
        (1, "gold.publish", {"level": "p2s", "split": "test", "version": 2},
         "ada put gold version 2 of Paragraph to sentence (test) in force."),
        (1, "of.tomorrow", {}, "ada did something that this version of Assay does not know (of.tomorrow)."),
    ],
)  # fmt: skip
def test_audit_entry_is_written_as_a_sentence(actor: int, action: str, details: dict, words: str) -> None:
    assert write_sentence(EntryFacts(f"user:{actor}", action, details, None, NAMES)) == words


def test_non_person_actors_have_labels_and_odd_details_raise_no_error() -> None:
    def head(label: str) -> str:
        return write_sentence(EntryFacts(label, "team.join", {}, 7, NAMES))

    labels = [CONSOLE.label, WORKER.label, VISITOR.label, Actor(user_id=1).label, "user:", "x"]
    assert [head(label).removesuffix(" joined birch.") for label in labels] == [
        "A command on the server", "The site", "Someone who was not signed in", "ada",
        'Someone ("user:")', 'Someone ("x")',
    ]  # fmt: skip
    for action, words in ACTIONS.items():
        for odd in (None, [], {}, "x", -1, 1.5, True, [None], {"x": [1, 2]}, "2026-99-99T"):
            assert write_sentence(EntryFacts("user:1", action, dict.fromkeys(words.keys, odd), None, NAMES))
