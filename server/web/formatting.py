"""How counts, names, hashes and lines of files are written on pages."""

from collections.abc import Iterable
from datetime import datetime
from itertools import accumulate

from markupsafe import Markup

from server.core.i18n import N_, _, ngettext
from server.runs.links import is_link, links_of
from server.runs.models import Run
from server.submissions.run_history import Upload
from server.submissions.runs import RunState
from server.tasks.models import Task

DASH = "–"
_LINE_SHOWN = 200


def plural(count: int, noun: str) -> str:
    """A count with its noun: "1 file", "2 files"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def sentence(text: str) -> str:
    """A phrase as a sentence: a capital, and a full stop unless it has one."""
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?")) else ".")


def by_line(warning: str, filename: str) -> str:
    """A warning about a file whose name stands beside it: "file.tsv:3: ..." becomes "Line 3: ..."."""
    line, _colon, words = warning.removeprefix(f"{filename}:").partition(": ")
    return (
        _("Line %(line)s: %(words)s.", line=line, words=words)
        if line.isdecimal()
        else sentence(warning.removeprefix(f"{filename}:"))
    )


def short(sha256: str) -> str:
    """As much of a hash as people compare."""
    return sha256[:10]


def visible(text: str) -> Markup:
    """A line of a file as it is, with tabs, blanks and characters that nobody can see made visible."""
    shown = Markup("").join(_visible(char) for char in text[:_LINE_SHOWN])
    return shown + Markup('<span class="ws">…</span>') if len(text) > _LINE_SHOWN else shown


def _visible(char: str) -> Markup:
    if char == "\t":
        return Markup('<span class="ws">→</span>\t')
    if char == " ":
        return Markup('<span class="ws">·</span>')
    if not char.isprintable() or char.isspace():
        return Markup('<span class="ws named">U+{:04X}</span>').format(ord(char))
    return Markup.escape(char)


def splits(task: Task) -> list[str]:
    """The names of a task's splits, in the order in which people meet them."""
    names = {split.name for level in task.levels for split in level.splits}
    return sorted(names, key=("trial", "training", "test").index)


SPLITS = {"trial": N_("Trial"), "training": N_("Training"), "test": N_("Test")}
KINDS = {"items": N_("Items"), "gold": N_("Gold"), "senses": N_("Senses"), "public": N_("Public items")}


def split_words(name: str) -> str:
    """The name of a split, to head a column with."""
    return _(SPLITS[name])


def kind_words(kind: str) -> str:
    """What a data file holds."""
    return _(KINDS[kind])


def history(filed: RunState) -> list[Upload]:
    """What is shown of the uploads of a run, the newest first, refused ones too."""
    files = [Upload(file.submission, file) for level in filed.levels for file in level.files]
    refusals = [Upload(refusal, None) for level in filed.levels for refusal in level.refusals]
    merged = sorted(
        [*_timed(files), *_timed(refusals)], key=lambda one: (one[0], one[1].came.id), reverse=True
    )
    return [upload for _time, upload in merged]


def _timed(uploads: list[Upload]) -> Iterable[tuple[datetime, Upload]]:
    """Each with its time, or that of an earlier one: the clock may have stepped back between them."""
    stored = sorted(uploads, key=lambda upload: upload.came.id)
    return zip(accumulate((upload.came.arrived_at for upload in stored), max), stored, strict=True)


def described(run: Run) -> bool:
    """Whether its team has said anything of a run for the paper."""
    return any((run.method, run.resources, run.links, run.authors))


def links(run: Run) -> list[str]:
    """The addresses of a run that a page may make links of."""
    return [link for link in links_of(run.links) if is_link(link)]


def size(count: int) -> str:
    """A number of bytes for people, rounded down; a kB has 1000 of them."""
    if count < 10_000:
        return ngettext("%(num)d byte", "%(num)d bytes", count)
    return f"{count // 1000} kB" if count < 10_000_000 else f"{count // 1_000_000} MB"


_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("Firefox", "Firefox"),
    ("Chrom", "Chrome"),
    ("Safari", "Safari"),
)
_SYSTEMS = (
    ("Windows", "Windows"), ("iPhone", N_("an iPhone")), ("iPad", N_("an iPad")), ("Android", "Android"),
    ("Macintosh", N_("a Mac")), ("Linux", "Linux"),
)  # fmt: skip


def browser(agent: str) -> str:
    """What a browser says of itself, in a few words: "Firefox on Linux"."""
    name = next((words for mark, words in _BROWSERS if mark in agent), None)
    system = next((words for mark, words in _SYSTEMS if mark in agent), None)
    if name is None:
        return agent[:60] or _("A program that gives no name")
    return name if system is None else _("%(browser)s on %(system)s", browser=name, system=_(system))
