"""Writes a paper into a folder: LaTeX, numbers, bibliography, figures, data, README and checklist."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scorer._version import __version__
from scorer.errors import RequestError
from scorer.paper.bibliography import systems_bib
from scorer.paper.catalog import SECTIONS, Catalog, Section
from scorer.paper.checklist import checklist
from scorer.paper.methods import methods
from scorer.paper.numbers import Macros, macro_name, numbers, numbers_tex, own_words
from scorer.paper.sources import Sources
from scorer.reports.latex import STYLES, Style, latex_figure, latex_table, latex_text, transliterate
from scorer.reports.paper_elements import PaperFigure, PaperTable
from scorer.values import Undefined

Element = PaperTable | PaperFigure
_LINE = 60
"""The characters of a line of names."""
_RUNS = ("pdflatex twice", "pdflatex, bibtex, and pdflatex twice")
"""What compiles main.tex, without and with a bibliography."""
_DOI = re.compile(r"doi:(10\.[^\s),;]+[^\s),;.])")


@dataclass(frozen=True, slots=True)
class Paper:
    """The files of a paper.

    Parameters
    ----------
    files : dict of str to bytes
        By path, without the pictures of figures.
    figures : tuple of PaperFigure
        The figures, which still have to be drawn.
    replaced : dict of str to str
        Words with characters that pdflatex cannot set, and what is written in their place.
    """

    files: dict[str, bytes]
    figures: tuple[PaperFigure, ...]
    replaced: dict[str, str]


def make_paper(
    catalog: Catalog, style: str = "plain", only: tuple[str, ...] = (), *, draws: bool = True
) -> Paper:
    """Make the files of a paper.

    Parameters
    ----------
    catalog : Catalog
        The tables and figures of the sources.
    style : str
        The style of main.tex, one of `STYLES`.
    only : tuple of str
        The names of the tables and figures to make; by default all that the sources have.
    draws : bool
        Whether results.tex has the figures.

    Returns
    -------
    Paper

    Raises
    ------
    RequestError
        If a name is unknown, or the sources have nothing of what was asked for.
    """
    made, lacking = dict[Section, list[Element]](), dict[str, str]()
    for entry in catalog.chosen(only):
        elements = entry.make()
        if isinstance(elements, Undefined):
            lacking[entry.name] = elements.reason
        else:
            made.setdefault(entry.section, []).extend(elements)
    every = [element for section in SECTIONS for element in made.get(section, ())]
    if only and not every:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in lacking.items())
        raise RequestError(f"nothing of what --only names can be made: {reasons}")
    tables = [element for element in every if isinstance(element, PaperTable)]
    figures = [element for element in every if isinstance(element, PaperFigure)]
    shown = every if draws else tables
    macros, bibliography = numbers(catalog.sources), systems_bib(catalog.sources.board)
    words = sorted({word for text in _texts(catalog.sources, every) for word in text.split()})
    replaced = {word: transliterate(word) for word in words if transliterate(word) != word}
    texts = {
        "main.tex": _main(style, catalog.sources, replaced, has_references=bool(bibliography)),
        "results.tex": _results(style, catalog.sources, made, shown, macros),
        "numbers.tex": numbers_tex(macros),
        "systems.bib": bibliography,
        "README.md": _readme(catalog.sources, every, lacking, style, _RUNS[bool(bibliography)]),
        "checklist.md": checklist(catalog.sources),
    }
    texts |= {f"tables/{table.name}.csv": table.csv() for table in tables}
    texts |= {f"tables/{table.name}.md": table.markdown() for table in tables}
    files = {name: text.encode() for name, text in texts.items()}
    return Paper(files, tuple(figures), replaced)


def _texts(sources: Sources, elements: Sequence[Element]) -> Iterator[str]:
    """Yield every text that is typeset."""
    yield sources.title
    for run in sources.board.bundle.runs if sources.board is not None else ():
        yield from (run.authors, run.method, run.description)
    for element in elements:
        yield element.caption
        yield from element.table.headings.values()
        yield from (cell for row in element.table.rows for cell in row if isinstance(cell, str))


def _main(style: str, sources: Sources, replaced: dict[str, str], *, has_references: bool) -> str:
    """Write the document that inputs the results."""
    chosen, organizers = STYLES[style], ""
    if sources.board is not None:
        organizers = sources.board.bundle.task.organizers
    front = [
        f"\\title{{{latex_text(sources.title)}: Overview}}",
        f"\\author{{{_author(organizers or 'Authors', chosen)}}}",
    ]
    abstract = ["\\begin{abstract}", "Write the abstract here.", "\\end{abstract}"]
    lines = [f"% Written by scorer {__version__}. Run {_RUNS[has_references]}."]
    if chosen.needs:
        lines.append(f"% Put {chosen.needs} beside this file.")
    if replaced:
        lines.append(
            "% To set names in other scripts, compile with lualatex, load fontspec with a font that has them,"
        )
        lines.append("% take inputenc and fontenc out, and put these names back:")
        lines += [f"%   {new}: {old}" for old, new in replaced.items()]
    lines += [chosen.document.rstrip(), "\\input{numbers}"]
    if chosen.is_ceur:  # which has notes at the foot of the first page, above what floats there
        workshop = "\\conference{Write the workshop, its date and its place here.}"
        lines += ["\\begin{document}", *front, workshop, *abstract, "\\maketitle", "\\suppressfloats"]
    else:
        lines += [*front, "\\date{}", "\\begin{document}", "\\maketitle", "\\suppressfloats[t]", *abstract]
    lines.append("\\input{results}")
    if has_references:
        named = [f"\\bibliographystyle{{{chosen.bibliography}}}"] if chosen.bibliography else []
        lines += ["\\nocite{*}", *named, "\\bibliography{systems}"]
    return "\n".join([*lines, "\\end{document}", ""])


def _author(names: str, style: Style) -> str:
    """Write names so that they are broken into lines: ceurart does it in braces alone, others never do."""
    text = latex_text(names)
    if style.is_ceur:
        return f"{{{text}}}"
    return text if len(text) <= _LINE else f"\\parbox{{0.95\\textwidth}}{{\\centering {text}}}"


def _results(
    style: str,
    sources: Sources,
    made: dict[Section, list[Element]],
    shown: Sequence[Element],
    macros: Macros,
) -> str:
    """Write the sections: a sentence or two that refers to everything, then tables and figures."""
    blocks = [f"% Written by scorer {__version__}."]
    for section, title in SECTIONS.items():
        elements = [element for element in made.get(section, ()) if element in shown]
        sentences = [*_prose(section, sources, macros), *([_refer(elements)] if elements else [])]
        if not sentences or not shown:
            continue
        blocks.append(f"\\section{{{title}}}\n\\label{{sec:{section}}}")
        blocks.append(" ".join(sentences))
        blocks += [_write(element, style) for element in elements]
    names = {element.name for element in shown}
    blocks.append("\\section{Methods}\n\\label{sec:methods}")
    blocks.append("\n".join(("{\\sloppy", *map(_link_dois, methods(sources, names)), "\\par}")))
    return "\n\n".join(blocks) + "\n"


def _link_dois(sentence: str) -> str:
    r"""Escape a sentence, and make its DOIs addresses, which can break at the end of a line.

    >>> print(_link_dois("A & B (2021, doi:10.1162/a_b), too."))
    A \& B (2021, \url{https://doi.org/10.1162/a_b}), too.
    """
    return _DOI.sub(
        lambda found: "\\url{https://doi.org/" + found[1].replace(r"\_", "_") + "}", latex_text(sentence)
    )


def _write(element: Element, style: str) -> str:
    write = latex_table if isinstance(element, PaperTable) else latex_figure
    return f"% {element.name}\n{write(element, STYLES[style])}"  # type: ignore[arg-type]  # the function of its class


def _prose(section: Section, sources: Sources, macros: Macros) -> Iterator[str]:
    """Yield sentences with those macros that there are."""
    sentences: dict[Section, list[tuple[str, ...]]] = {
        "data": [(r"{} has {} levels. The {} data have {} items.", "task", "levels", "split", "items")],
        "participation": [(r"Teams: {}; systems: {}.", "teams", "systems")],
        "results": [(r"The best total, {}, is that of {}.", "best total", "best total system")],
        "annotation": [],
    }
    for source in sources.campaigns:
        own = " ".join(own_words(sources, source))
        place = f" ({latex_text(source.title)})".replace("{", "{{").replace("}", "}}") if own else ""
        sentence = f"Annotators{place}: {{}}; ratings: {{}}."
        sentences["annotation"].append((sentence, f"{own} annotators", f"{own} ratings"))
    for sentence, *names in sentences[section]:
        used = [macro_name(name) for name in names]
        if all(name in macros for name in used):
            yield sentence.format(*(f"\\{name}{{}}" for name in used))


def _refer(elements: Sequence[Element]) -> str:
    """Refer to tables and figures.

    >>> from scorer.reports.table_report import ReportTable
    >>> table = PaperTable(ReportTable("sizes", "", ("n",), ()), "")
    >>> print(_refer([table]))
    See Table~\\ref{tab:sizes}.
    """
    names = [
        f"{element.kind.capitalize()}~\\ref{{{element.kind[:3]}:{element.name}}}" for element in elements
    ]
    *first, last = names
    return f"See {', '.join(first)} and {last}." if first else f"See {last}."


def _readme(
    sources: Sources, elements: Sequence[Element], lacking: dict[str, str], style: str, runs: str
) -> str:
    """Describe each file, the command that recomputes it, the methods, and what is not there."""
    named = [sources.board.name] if sources.board else []
    named += [source.name for source in sources.campaigns]
    needs = f" It needs {STYLES[style].needs}, which you add." if STYLES[style].needs else ""
    words = sources.board.words if sources.board else ""
    command = f"scorer paper {' '.join(named)} {words}".strip()
    lines = [
        f"# The tables and figures of {sources.title}",
        "",
        f"Made from {', '.join(named)} by scorer {__version__}. The same sources, options and version "
        "give the same files.",
        "",
        f"- `main.tex` is a document. Run {runs} on it.{needs} It inputs the others.",
        "- `results.tex` has the sections with all tables and figures, to input or to copy from.",
        "- `numbers.tex` has a macro for each number that the prose needs, with a comment.",
        "- `systems.bib` has the systems whose teams gave authors or links.",
        "- `checklist.md` answers what it can of the checklist on responsible research.",
        "- `tables/` has the tables as CSV, values with all digits, and as Markdown.",
        "- `figures/` has the figures as PDF and SVG, and their data as TSV.",
        "",
        "## Tables and figures",
        "",
        f"This makes each of them again: `{command} --only NAME --out FOLDER`, with the same options for "
        "intervals. Other commands print the same values:",
        "",
        "| name | what | other command |",
        "| --- | --- | --- |",
    ]
    for element in elements:
        command = f"`{element.command}`" if element.command else "–"
        lines.append(f"| {element.name} | {element.kind} | {command} |")
    lines += ["", "## Methods", ""]
    lines += [f"- {sentence}" for sentence in methods(sources, {element.name for element in elements})]
    if lacking:
        lines += ["", "## Not written", ""]
        lines += [f"- {name}: {reason}." for name, reason in lacking.items()]
    return "\n".join([*lines, ""])
