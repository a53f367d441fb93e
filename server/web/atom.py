"""An Atom feed (RFC 4287) as bytes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from xml.etree.ElementTree import Element, SubElement, tostring

ATOM = "http://www.w3.org/2005/Atom"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry; its address is its id, and must never change."""

    url: str
    title: str
    published: datetime
    updated: datetime
    summary: str


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed: its own address, which is its id, and the page that it is about."""

    url: str
    page: str
    title: str
    author: str
    since: datetime
    """When the feed was last updated if it has no entries."""
    entries: Sequence[FeedEntry]

    def as_xml(self) -> bytes:
        """Return the document, with the entry that was updated last first."""
        root = Element("feed", {"xmlns": ATOM, "xml:lang": "en"})
        entries = sorted(self.entries, key=lambda entry: entry.updated, reverse=True)
        _add(root, "id", self.url)
        _add(root, "title", self.title)
        _add(root, "updated", _instant(entries[0].updated if entries else self.since))
        _add(SubElement(root, "author"), "name", self.author)
        SubElement(root, "link", {"rel": "self", "type": "application/atom+xml", "href": self.url})
        SubElement(root, "link", {"rel": "alternate", "type": "text/html", "href": self.page})
        for entry in entries:
            _add_entry(root, entry)
        body: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
        return body + b"\n"


def _add_entry(root: Element, entry: FeedEntry) -> None:
    element = SubElement(root, "entry")
    _add(element, "id", entry.url)
    _add(element, "title", entry.title)
    _add(element, "published", _instant(entry.published))
    _add(element, "updated", _instant(entry.updated))
    SubElement(element, "link", {"rel": "alternate", "type": "text/html", "href": entry.url})
    _add(element, "summary", entry.summary)


def _add(parent: Element, name: str, text: str) -> None:
    SubElement(parent, name).text = _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def _instant(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
