"""What the audit log says in words: one sentence for each action, with names put in when it is read.

A template names its parts in braces; `telling` knows what each stands for. What is in no sentence is
told in the download alone.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from server.core.i18n import N_

Kind = Literal["files", "runs", "teams", "people", "task", "gold", "boards", "site"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Words:
    """How an action is told; `keys`: what its details may hold; `public`: every team of the task reads it."""

    kind: Kind
    text: str
    keys: frozenset[str]
    public: bool = False


def _words(kind: Kind, text: str, keys: str = "", *, public: bool = False) -> Words:
    return Words(kind, text, frozenset(keys.split()), public)


ACTIONS: dict[str, Words] = {
    "account.confirm": _words("people", N_("{who} confirmed {account}"), "user"),
    "account.create": _words("people", N_("{who} made {account}"), "user"),
    "account.email": _words("people", N_("{who} changed the address of {account}"), "user"),
    "account.forget": _words("people", N_("{who} took name and address out of {account}"), "user"),
    "account.mails": _words(
        "people", N_("{who} chose the mails for {account}"), "user confirmation announcement reminder"
    ),
    "account.password": _words("people", N_("{who} set a new password for {account}"), "user"),
    "account.recovery-codes": _words("people", N_("{who} made new recovery codes for {account}"), "user"),
    "account.rename": _words("people", N_("{who} changed the name of {account}"), "user"),
    "account.second-factor-off": _words(
        "people", N_("{who} turned off the second factor of {account}"), "user"
    ),
    "account.second-factor-on": _words("people", N_("{who} set up the second factor of {account}"), "user"),
    "account.time-zone": _words("people", N_("{who} chose the time zone of {account}"), "user"),
    "admin.add": _words("people", N_("{who} made {user} an admin of the site"), "user"),
    "admin.remove": _words("people", N_("{who} ended that {user} is an admin of the site"), "user"),
    "announcement.add": _words(
        "task", N_("{who} sent an announcement to {audience}"), "announcement audience phase teams people"
    ),
    "board.live": _words(
        "boards",
        N_("{who} made the board of {phase} live again, after release {number}"),
        "phase number",
        public=True,
    ),
    "gold.add": _words("gold", N_("{who} brought gold {version} of {split}"), "level split version"),
    "gold.candidate": _words(
        "gold", N_("{who} made gold {version} of {split} a candidate"), "level split version"
    ),
    "gold.drop": _words(
        "gold", N_("{who} dropped the candidate gold {version} of {split}"), "level split version"
    ),
    "gold.dry-run": _words(
        "gold",
        N_("{who} scored a file of their own against gold {version} of {split}"),
        "level split version",
    ),
    "gold.open": _words(
        "gold", N_("{who} opened the gold of the {split} items with {phase}"), "phase split", public=True
    ),
    "gold.publish": _words("gold", N_("{who} put gold {version} of {split} in force"), "level split version"),
    "gold.score": _words(
        "gold", N_("{who} had the files scored that gold {version} of {split} lacks"), "level split version"
    ),
    "items.declare_public": _words(
        "task", N_("{who} drew the public part of the {split} items"), "split seed levels", public=True
    ),
    "key.add": _words(
        "site", N_("{who} made a new signing key of the site ({public})"), "public", public=True
    ),
    "mail.again": _words("site", N_("{who} had a mail sent again ({mail_kind} {mail})"), "mail kind"),
    "mail.all_again": _words("site", N_("{who} had {mails} sent again"), "mails"),
    "phase.add": _words(
        "task", N_("{who} added the phase {phase} on the {split} items"), "phase split", public=True
    ),
    "phase.edit": _words("task", N_("{who} changed {phase}: {changed}"), "phase changed", public=True),
    "phase.extend": _words(
        "task", N_("{who} extended {phase} for {whom}{until}"), "phase team closes", public=True
    ),
    "phase.remove": _words("task", N_("{who} removed the phase {phase}"), "phase", public=True),
    "release.add": _words(
        "boards",
        N_("{who} released the board of {phase} as release {number}{anonymous}{opens_gold}{note}"),
        "phase number sha256 statement anonymous opens_gold note",
        public=True,
    ),
    "release.cancel": _words(
        "boards", N_("{who} cancelled the release of {phase} planned{due_at}"), "phase due_at"
    ),
    "release.fail": _words(
        "boards", N_("{who} could not make the release of {phase} planned{due_at}"), "phase due_at"
    ),
    "release.live": _words(
        "boards",
        N_("{who} released the live board of {phase} as release {number}"),
        "phase number sha256 statement anonymous opens_gold note",
        public=True,
    ),
    "release.name": _words(
        "boards",
        N_("{who} showed the names in release {number} of {phase}"),
        "phase number sha256 statement",
        public=True,
    ),
    "release.plan": _words("boards", N_("{who} planned a release of {phase}{due_at}"), "phase due_at"),
    "release.withdraw": _words(
        "boards", N_("{who} withdrew release {number} of {phase}"), "phase number", public=True
    ),
    "role.accept": _words("people", N_("{who} took a role by invitation {invitation}"), "invitation"),
    "role.add": _words("people", N_("{who} gave {user} the role of {role}"), "user role"),
    "role.change": _words("people", N_("{who} changed the role of {user} to {role}"), "user role"),
    "role.invite": _words("people", N_("{who} made invitation {invitation} to be {role}"), "invitation role"),
    "role.remove": _words("people", N_("{who} ended the role of {user}"), "user"),
    "role.revoke": _words("people", N_("{who} took back invitation {invitation} to a role"), "invitation"),
    "run.create": _words("runs", N_("{who} added the run {run}"), "run team"),
    "run.edit": _words("runs", N_("{who} changed what is said of the run {run}: {changed}"), "run changed"),
    "run.not-primary": _words("runs", N_("{who} made the run {run} primary no longer"), "run"),
    "run.order": _words("runs", N_("{who} put the runs into another order: {order}"), "team order"),
    "run.primary": _words("runs", N_("{who} made the run {run} the primary one"), "run"),
    "run.restore": _words("runs", N_("{who} brought the run {run} back"), "run"),
    "run.withdraw": _words("runs", N_("{who} withdrew the run {run}"), "run"),
    "runs.download": _words("runs", N_("{who} downloaded all {files} of {phase}"), "phase files"),
    "submission.accept": _words(
        "files", N_("{who} {sent} {file}{accepted}"), "submission run level sha256 receipt came_with_task"
    ),
    "submission.late": _words(
        "files",
        N_("{who} {sent} {file}{accepted_late}"),
        "submission run level sha256 receipt came_with_task",
    ),
    "submission.restore": _words("files", N_("{who} brought {file} back"), "submission"),
    "submission.withdraw": _words("files", N_("{who} withdrew {file}"), "submission"),
    "task.edit": _words("task", N_("{who} changed the task’s texts: {changed}"), "changed", public=True),
    "task.export": _words("task", N_("{who} exported the task, with {files}"), "people files history"),
    "task.import": _words(
        "task", N_("{who} hosted the task here{came_with}"), "slug history submissions releases", public=True
    ),
    "team.affiliations": _words("teams", N_("{who} changed the affiliations of {team}"), "team"),
    "team.approve": _words("teams", N_("{who} approved {team}"), "team"),
    "team.captain": _words("teams", N_("{who} made {user} the captain of {team}"), "team user"),
    "team.create": _words("teams", N_("{who} created {team}"), "team"),
    "team.decline": _words("teams", N_("{who} declined {team}"), "team"),
    "team.dissolve": _words("teams", N_("{who} was the last to leave {team}, which ended it"), "team"),
    "team.invite": _words("teams", N_("{who} made an invitation to {team}"), "team invitation"),
    "team.join": _words("teams", N_("{who} joined {team}"), "team"),
    "team.leave": _words("teams", N_("{who} left {team}"), "team"),
    "team.remove": _words("teams", N_("{who} took {user} out of {team}"), "team user"),
    "team.rename": _words("teams", N_("{who} changed the name of {team}"), "team"),
    "team.revoke": _words("teams", N_("{who} took back an invitation to {team}"), "team invitation"),
    "terms.accept": _words("task", N_("{who} accepted version {version} of the terms"), "version sha256"),
    "terms.add": _words(
        "task", N_("{who} put version {version} of the terms in force"), "version sha256", public=True
    ),
    "token.make": _words("people", N_("{who} made a token for scripts"), "token scopes ends"),
    "token.revoke": _words("people", N_("{who} revoked a token for scripts"), "token"),
}
"""By the name of the action, in their order."""

PUBLIC = tuple(name for name, words in ACTIONS.items() if words.public)


def actions_of(kind: Kind) -> list[str]:
    """The actions of a kind."""
    return [name for name, words in ACTIONS.items() if words.kind == kind]


def kind_of(action: str) -> Kind | None:
    """Of which kind an action is; None: it is told in the download alone."""
    return ACTIONS[action].kind if action in ACTIONS else None
