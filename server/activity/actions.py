"""The actions of the audit log: the kind of each, its sentence as a template, and who may read it.

A template names its parts in braces; `entry_sentences` fills them in when an entry is read. Details that
no sentence has are in the download alone.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from server.core.i18n import N_

ActionKind = Literal["files", "runs", "teams", "people", "task", "gold", "boards", "site"]
ACTION_KINDS: tuple[ActionKind, ...] = get_args(ActionKind)


@dataclass(frozen=True, slots=True)
class ActionWords:
    """How an action is told; `keys`: what its details may hold; `public`: every team of the task reads it."""

    kind: ActionKind
    text: str
    keys: frozenset[str]
    public: bool = False


def _action(kind: ActionKind, text: str, keys: str = "", *, public: bool = False) -> ActionWords:
    return ActionWords(kind, text, frozenset(keys.split()), public)


ACTIONS: dict[str, ActionWords] = {
    "account.confirm": _action("people", N_("{who} confirmed {account}"), "user"),
    "account.create": _action("people", N_("{who} made {account}"), "user"),
    "account.email": _action("people", N_("{who} changed the address of {account}"), "user"),
    "account.forget": _action("people", N_("{who} took name and address out of {account}"), "user"),
    "account.mails": _action(
        "people", N_("{who} chose the mails for {account}"), "user confirmation announcement reminder"
    ),
    "account.password": _action("people", N_("{who} set a new password for {account}"), "user"),
    "account.recovery-codes": _action("people", N_("{who} made new recovery codes for {account}"), "user"),
    "account.rename": _action("people", N_("{who} changed the name of {account}"), "user"),
    "account.second-factor-off": _action(
        "people", N_("{who} turned off the second factor of {account}"), "user"
    ),
    "account.second-factor-on": _action("people", N_("{who} set up the second factor of {account}"), "user"),
    "account.time-zone": _action("people", N_("{who} chose the time zone of {account}"), "user"),
    "admin.add": _action("people", N_("{who} made {user} an admin of the site"), "user"),
    "admin.remove": _action("people", N_("{who} ended that {user} is an admin of the site"), "user"),
    "announcement.add": _action(
        "task", N_("{who} sent an announcement to {audience}"), "announcement audience phase teams people"
    ),
    "board.live": _action(
        "boards",
        N_("{who} made the board of {phase} live again, after release {number}"),
        "phase number",
        public=True,
    ),
    "gold.add": _action("gold", N_("{who} brought gold {version} of {split}"), "level split version"),
    "gold.candidate": _action(
        "gold", N_("{who} made gold {version} of {split} a candidate"), "level split version"
    ),
    "gold.drop": _action(
        "gold", N_("{who} dropped the candidate gold {version} of {split}"), "level split version"
    ),
    "gold.dry-run": _action(
        "gold",
        N_("{who} scored a file of their own against gold {version} of {split}"),
        "level split version",
    ),
    "gold.open": _action(
        "gold", N_("{who} opened the gold of the {split} items with {phase}"), "phase split", public=True
    ),
    "gold.publish": _action(
        "gold", N_("{who} put gold {version} of {split} in force"), "level split version"
    ),
    "gold.score": _action(
        "gold", N_("{who} had the files scored that gold {version} of {split} lacks"), "level split version"
    ),
    "items.declare_public": _action(
        "task", N_("{who} drew the public part of the {split} items"), "split seed levels", public=True
    ),
    "key.add": _action(
        "site", N_("{who} made a new signing key of the site ({public})"), "public", public=True
    ),
    "mail.again": _action("site", N_("{who} had a mail sent again ({mail_kind} {mail})"), "mail kind"),
    "mail.all_again": _action("site", N_("{who} had {mails} sent again"), "mails"),
    "phase.add": _action(
        "task", N_("{who} added the phase {phase} on the {split} items"), "phase split", public=True
    ),
    "phase.edit": _action("task", N_("{who} changed {phase}: {changed}"), "phase changed", public=True),
    "phase.extend": _action(
        "task", N_("{who} extended {phase} for {whom}{until}"), "phase team closes", public=True
    ),
    "phase.remove": _action("task", N_("{who} removed the phase {phase}"), "phase", public=True),
    "release.add": _action(
        "boards",
        N_("{who} released the board of {phase} as release {number}{anonymous}{opens_gold}{note}"),
        "phase number sha256 statement anonymous opens_gold note",
        public=True,
    ),
    "release.cancel": _action(
        "boards", N_("{who} cancelled the release of {phase} planned{due_at}"), "phase due_at"
    ),
    "release.fail": _action(
        "boards", N_("{who} could not make the release of {phase} planned{due_at}"), "phase due_at"
    ),
    "release.live": _action(
        "boards",
        N_("{who} released the live board of {phase} as release {number}"),
        "phase number sha256 statement anonymous opens_gold note",
        public=True,
    ),
    "release.name": _action(
        "boards",
        N_("{who} showed the names in release {number} of {phase}"),
        "phase number sha256 statement",
        public=True,
    ),
    "release.plan": _action("boards", N_("{who} planned a release of {phase}{due_at}"), "phase due_at"),
    "release.withdraw": _action(
        "boards", N_("{who} withdrew release {number} of {phase}"), "phase number", public=True
    ),
    "role.accept": _action("people", N_("{who} took a role by invitation {invitation}"), "invitation"),
    "role.add": _action("people", N_("{who} gave {user} the role of {role}"), "user role"),
    "role.change": _action("people", N_("{who} changed the role of {user} to {role}"), "user role"),
    "role.invite": _action(
        "people", N_("{who} made invitation {invitation} to be {role}"), "invitation role"
    ),
    "role.remove": _action("people", N_("{who} ended the role of {user}"), "user"),
    "role.revoke": _action("people", N_("{who} took back invitation {invitation} to a role"), "invitation"),
    "run.create": _action("runs", N_("{who} added the run {run}"), "run team"),
    "run.edit": _action("runs", N_("{who} changed what is said of the run {run}: {changed}"), "run changed"),
    "run.not-primary": _action("runs", N_("{who} made the run {run} primary no longer"), "run"),
    "run.order": _action("runs", N_("{who} put the runs into another order: {order}"), "team order"),
    "run.primary": _action("runs", N_("{who} made the run {run} the primary one"), "run"),
    "run.restore": _action("runs", N_("{who} brought the run {run} back"), "run"),
    "run.withdraw": _action("runs", N_("{who} withdrew the run {run}"), "run"),
    "runs.download": _action("runs", N_("{who} downloaded all {files} of {phase}"), "phase files"),
    "submission.accept": _action(
        "files", N_("{who} {sent} {file}{accepted}"), "submission run level sha256 receipt came_with_task"
    ),
    "submission.late": _action(
        "files",
        N_("{who} {sent} {file}{accepted_late}"),
        "submission run level sha256 receipt came_with_task",
    ),
    "submission.restore": _action("files", N_("{who} brought {file} back"), "submission"),
    "submission.withdraw": _action("files", N_("{who} withdrew {file}"), "submission"),
    "task.edit": _action("task", N_("{who} changed the task’s texts: {changed}"), "changed", public=True),
    "task.export": _action("task", N_("{who} exported the task, with {files}"), "people files history"),
    "task.import": _action(
        "task", N_("{who} hosted the task here{came_with}"), "slug history submissions releases", public=True
    ),
    "team.affiliations": _action("teams", N_("{who} changed the affiliations of {team}"), "team"),
    "team.approve": _action("teams", N_("{who} approved {team}"), "team"),
    "team.captain": _action("teams", N_("{who} made {user} the captain of {team}"), "team user"),
    "team.create": _action("teams", N_("{who} created {team}"), "team"),
    "team.decline": _action("teams", N_("{who} declined {team}"), "team"),
    "team.dissolve": _action("teams", N_("{who} was the last to leave {team}, which ended it"), "team"),
    "team.invite": _action("teams", N_("{who} made an invitation to {team}"), "team invitation"),
    "team.join": _action("teams", N_("{who} joined {team}"), "team"),
    "team.leave": _action("teams", N_("{who} left {team}"), "team"),
    "team.remove": _action("teams", N_("{who} took {user} out of {team}"), "team user"),
    "team.rename": _action("teams", N_("{who} changed the name of {team}"), "team"),
    "team.revoke": _action("teams", N_("{who} took back an invitation to {team}"), "team invitation"),
    "terms.accept": _action("task", N_("{who} accepted version {version} of the terms"), "version sha256"),
    "terms.add": _action(
        "task", N_("{who} put version {version} of the terms in force"), "version sha256", public=True
    ),
    "token.make": _action("people", N_("{who} made a token for scripts"), "token scopes ends"),
    "token.revoke": _action("people", N_("{who} revoked a token for scripts"), "token"),
}
"""By the name of the action, in their order."""

PUBLIC_ACTIONS = tuple(name for name, words in ACTIONS.items() if words.public)


def list_actions(kind: ActionKind) -> list[str]:
    """The actions of a kind."""
    return [name for name, words in ACTIONS.items() if words.kind == kind]


def find_kind(action: str) -> ActionKind | None:
    """Of which kind an action is; None: it is told in the download alone."""
    return ACTIONS[action].kind if action in ACTIONS else None
