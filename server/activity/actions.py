"""The actions of the audit log: the kind of each, its sentence as a template, and who may read it.

They are in `actions.toml`. A template names its parts in braces; `entry_sentences` fills them in when an
entry is read. Details that no sentence uses are only in the download.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

ActionKind = Literal["files", "runs", "teams", "people", "task", "annotation", "gold", "boards", "site"]
ACTION_KINDS: tuple[ActionKind, ...] = get_args(ActionKind)


@dataclass(frozen=True, slots=True)
class ActionWords:
    """The sentence of an action; `keys`: the allowed details; `public`: all teams of the task may read it."""

    kind: ActionKind
    text: str
    keys: frozenset[str]
    public: bool


def _action(entry: dict[str, Any]) -> ActionWords:
    return ActionWords(
        entry["kind"], entry["sentence"], frozenset(entry["details"]), entry.get("public", False)
    )


_FILE = Path(__file__).with_name("actions.toml")
ACTIONS = {name: _action(entry) for name, entry in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()}
"""The actions by name, in their order."""

PUBLIC_ACTIONS = tuple(name for name, words in ACTIONS.items() if words.public)


def list_actions(kind: ActionKind) -> list[str]:
    """List the actions of a kind."""
    return [name for name, words in ACTIONS.items() if words.kind == kind]


def find_kind(action: str) -> ActionKind | None:
    """Return the kind of an action; None: it is only in the download."""
    return ACTIONS[action].kind if action in ACTIONS else None
