"""Counts, names, hashes and lines of files as pages show them."""

import re

from markupsafe import Markup

from server.core.i18n import N_, _, ngettext

DASH = "–"
_MAX_CHARACTERS = 200
_OPTION = re.compile(r" \((?:[a-z]+ = true, or )?(?:--[a-z ]+|first_is_score|sure)\)")


def count_noun(count: int, singular: str, plural: str | None = None) -> str:
    """Format a count with its noun, for the console: "1 file", "2 files", "2 entries"."""
    return f"{count} {singular if count == 1 else plural or singular + 's'}"


def sentence(text: str) -> str:
    """Make a phrase a sentence, with a capital letter and a full stop unless it has one."""
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?")) else ".")


def message_sentence(message: str) -> str:
    """Make a message about a file a sentence, without the options of commands: pages have boxes for them."""
    return sentence(_OPTION.sub("", message))


def format_warning(warning: str, filename: str) -> str:
    """Format a warning without the name of its file: "file.tsv:3: ..." becomes "Line 3: ..."."""
    line, _colon, words = warning.removeprefix(f"{filename}:").partition(": ")
    return (
        _("Line %(line)s: %(words)s.", line=line, words=words)
        if line.isdecimal()
        else sentence(warning.removeprefix(f"{filename}:"))
    )


def short_hash(sha256: str) -> str:
    """Return the first characters of a hash, as many as people compare."""
    return sha256[:10]


def show_whitespace(text: str) -> Markup:
    """Show a line of a file with visible tabs, spaces and invisible characters."""
    shown = Markup("").join(_show_character(char) for char in text[:_MAX_CHARACTERS])
    return shown + Markup('<span class="ws">…</span>') if len(text) > _MAX_CHARACTERS else shown


def _show_character(char: str) -> Markup:
    if char == "\t":
        return Markup('<span class="ws">→</span>\t')
    if char == " ":
        return Markup('<span class="ws">·</span>')
    if not char.isprintable() or char.isspace():
        return Markup('<span class="ws named">U+{:04X}</span>').format(ord(char))
    return Markup.escape(char)


def format_size(count: int) -> str:
    """Format a number of bytes for people, rounded down; a kB has 1000 bytes."""
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


def describe_browser(agent: str) -> str:
    """Describe a browser by its User-Agent in a few words: "Firefox on Linux"."""
    name = next((words for mark, words in _BROWSERS if mark in agent), None)
    system = next((words for mark, words in _SYSTEMS if mark in agent), None)
    if name is None:
        return agent[:60] or _("Unknown program")
    return name if system is None else _("%(browser)s on %(system)s", browser=name, system=_(system))
