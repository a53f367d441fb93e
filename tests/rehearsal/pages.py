"""What a browser reads of a page: its forms, and its error messages."""

import re
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser


@dataclass
class Form:
    """A form on a page: its action, and what it would send without changes."""

    action: str
    method: str
    values: dict[str, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    """Every field, also those that would not be sent: boxes that are not ticked, files."""
    choices: dict[str, dict[str, str]] = field(default_factory=dict)
    """The options of each list: what is sent, by the words that people read."""


class _Forms(HTMLParser):
    """Collects the forms of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.inside: Form | None = None
        self.list = self.option = self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        name = given.get("name", "")
        if tag == "form":
            self.inside = Form(given.get("action", ""), given.get("method", "get"))
            self.forms.append(self.inside)
        elif self.inside is not None and tag in ("input", "select", "textarea"):
            self.inside.names.add(name)
            self._field(tag, name, given)
        elif self.inside is not None and tag == "button" and name:
            self.inside.names.add(name)
        elif self.inside is not None and tag == "option" and self.list:
            self.option, self.text = given.get("value", ""), ""
            if "selected" in given or self.list not in self.inside.values:
                self.inside.values[self.list] = self.option

    def _field(self, tag: str, name: str, given: dict[str, str]) -> None:
        assert self.inside is not None
        kind = given.get("type", "text") if tag == "input" else tag
        if kind == "select":
            self.list, self.inside.choices[name] = name, {}
        elif kind == "textarea":
            self.list, self.inside.values[name] = name, ""
        elif kind in ("radio", "checkbox"):
            if "checked" in given:
                self.inside.values[name] = given.get("value", "on")
        elif kind != "file":
            self.inside.values[name] = given.get("value", "")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.inside is not None and self.list and self.list not in self.inside.choices:
            self.inside.values[self.list] += data

    def handle_endtag(self, tag: str) -> None:
        if self.inside is not None and tag == "option":
            self.inside.choices[self.list][self.text.strip()] = self.option
        elif self.inside is not None and tag == "textarea":
            self.inside.values[self.list] = self.inside.values[self.list].removeprefix("\n")
        if tag in ("select", "textarea"):
            self.list = ""
        elif tag == "form":
            self.inside = None


def forms_of(html: str) -> list[Form]:
    """The forms of a page, in their order."""
    found = _Forms()
    found.feed(html)
    return found.forms


def words_of(html: str) -> str:
    """What people read of a piece of a page."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def complaints_of(html: str) -> str:
    """What a page says is wrong, or its beginning where it says nothing of the kind."""
    notes = re.findall(r'<(\w+) class="note bad"[^>]*>(.*?)</\1>', html, re.DOTALL)
    lists = re.findall(r'<ol class="problems".*?</ol>', html, re.DOTALL)
    main = re.search(r"<main.*?</main>", html, re.DOTALL)
    complaints = [words_of(note) for _, note in notes] + [words_of(one) for one in lists]
    return " ".join(complaints) or words_of(main[0] if main else html)[:600]
