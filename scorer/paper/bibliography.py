"""The bibliography of the systems, from what their teams gave."""

import re

from scorer.paper.sources import BoardSource
from scorer.reports.latex import latex_text

_BRACES = str.maketrans("{}", "()")
"""BibTeX counts braces even if LaTeX escapes them."""


def systems_bib(source: BoardSource | None) -> str:
    """Write an entry for each system whose team gave authors or links; empty if none did."""
    entries = list[str]()
    for row in source.rows if source else ():
        run = source.run_of(row) if source else None
        if run is None or run.baseline or not (run.authors or run.links):
            continue
        fields = {
            "author": f"{{{_escape(run.authors or row.team)}}}",
            "title": f"{{{_escape(f'{row.team}: {row.run}')}}}",
            "howpublished": " ".join(f"\\url{{{link.translate(_BRACES)}}}" for link in run.links),
            "note": _escape(run.method or run.description),
        }
        lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
        entry = f"@misc{{{_key(row.team, row.run)},\n" + ",\n".join(lines) + "\n}\n"
        if entry not in entries:
            entries.append(entry)
    return "\n".join(entries)


def _escape(text: str) -> str:
    return latex_text(text.translate(_BRACES)).replace("{[}", "[").replace("{]}", "]").replace("{*}", "*")


def _key(*names: str) -> str:
    return "-".join(re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower() or "x" for name in names)
