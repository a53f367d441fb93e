"""How figures look, and how they are saved: the same data gives the same bytes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from scorer.errors import RequestError
from scorer.reports.latex import shorten_name, transliterate
from scorer.reports.paper_elements import PaperFigure, Rows
from scorer.reports.records import write_tsv

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INCH = 2.54
COLUMN, PAGE = 7.7 / _INCH, 16 / _INCH
"""The width of a column and of a page in inches."""
ROW = 8.8 / 72
"""The height of a row with a name in inches."""
PANEL_ROW = 0.16
"""The height of a row with a name and a box in inches."""
GREY, LIGHT = "0.45", "0.85"
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 7.5,
    "axes.titlesize": 7.5,
    "axes.labelsize": 7.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "legend.columnspacing": 1.2,
    "axes.linewidth": 0.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.titlelocation": "left",
    "grid.color": LIGHT,
    "grid.linewidth": 0.4,
    "xtick.major.width": 0.5,
    "ytick.major.width": 0.5,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 1,
    "lines.markersize": 4,
    "patch.linewidth": 0.5,
    "figure.constrained_layout.use": True,
    "text.parse_math": False,  # a name may have dollar signs
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "assay",
}
"""What differs from matplotlib's own style: small sans serif text, thin axes, embedded TrueType fonts."""
BOX: dict[str, Any] = {
    "manage_ticks": False,
    "patch_artist": True,
    "boxprops": {"facecolor": LIGHT, "linewidth": 0.5},
    "whiskerprops": {"linewidth": 0.5},
    "capprops": {"linewidth": 0.5},
    "medianprops": {"color": "black", "linewidth": 1},
}
"""How box plots look."""
INSTALL_HINT = "install it with pip install 'assay[paper]'"
_NAME = 26
"""The number of characters of a name; the middle of a longer one is left out."""


@dataclass(frozen=True, slots=True)
class Series:
    """How a series of marks looks. Series differ in shape and line, and so in grey, too."""

    color: str
    marker: str
    line: str | tuple[int, tuple[int, ...]]


SERIES = (
    Series("#0072B2", "o", "-"),
    Series("#D55E00", "s", "--"),
    Series("#009E73", "^", "-."),
    Series("#CC79A7", "D", ":"),
    Series("#E69F00", "v", (0, (5, 1, 1, 1, 1, 1))),
    Series("#56B4E9", "P", (0, (1, 1))),
    Series("#000000", "X", "-"),
)
"""Colors of Okabe and Ito (2008), Color Universal Design, which color-blind readers can tell apart."""


def figures_fault() -> str | None:
    """Return why no figure can be drawn, or None."""
    return None if find_spec("matplotlib") else f"figures need the package matplotlib; {INSTALL_HINT}"


def save(figure: PaperFigure, folder: Path, *, draws: bool = True) -> None:
    """Draw a figure and write it as NAME.pdf and NAME.svg, and its data as NAME.tsv with all digits.

    The caption is the title in the metadata of the pictures.

    Raises
    ------
    RequestError
        If matplotlib is not installed; with `draws=False`, only the data is written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    data = write_tsv(figure.table.head, figure.table.rows)
    (folder / f"{figure.name}.tsv").write_text(data, encoding="utf-8")
    if not draws:
        return
    with _styled() as make:
        drawn = make(figsize=(PAGE if figure.is_wide else COLUMN, COLUMN))
        figure.draw(drawn, figure.table.records)
        for ending, dated in (("pdf", ("CreationDate", "Creator", "Producer")), ("svg", ("Date", "Creator"))):
            metadata = {"Title": figure.caption, **dict.fromkeys(dated)}
            drawn.savefig(folder / f"{figure.name}.{ending}", metadata=metadata)


@contextmanager
def _styled() -> Iterator["type[Figure]"]:
    """Load matplotlib and set the style, whatever the user's own configuration says."""
    fault = figures_fault()
    if fault is not None:
        raise RequestError(fault)
    from matplotlib import rc_context, rcdefaults, rcParams  # noqa: PLC0415  an optional dependency
    from matplotlib.figure import Figure  # noqa: PLC0415  the same

    with rc_context():
        rcdefaults()
        rcParams.update(STYLE)
        yield Figure


def series_of(number: int) -> Series:
    """Return the look of a series by its number."""
    return SERIES[number % len(SERIES)]


def figure_name(text: str) -> str:
    """Return a name for a figure: without characters that fonts lack, and without the middle if it is long.

    >>> figure_name("Ṡea")
    'Sea'
    """
    text = transliterate(text)
    return shorten_name(text, _NAME)


def name_rows(axes: "Axes", names: list[str]) -> None:
    """Name the rows of a figure, from the top, on the left."""
    axes.set_yticks(range(len(names)), [figure_name(name) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")


def rows_height(count: int, above: float = 0.2) -> float:
    """Return the height of a figure with named rows, an axis and something above them, in inches."""
    return count * ROW + 0.45 + above


def draw_boxes(
    axes: "Axes",
    rows: Rows,
    columns: Sequence[str],
    positions: Sequence[float],
    orientation: Literal["horizontal", "vertical"],
) -> None:
    """Draw a box plot of each row, with the mean as a diamond.

    `columns` have the lower whisker, the quartiles, the upper whisker and the mean.
    """
    names = ("whislo", "q1", "med", "q3", "whishi", "mean")
    boxes = [dict(zip(names, (row[column] for column in columns), strict=True)) for row in rows]
    means = {"marker": "D", "markersize": 2.5, "markerfacecolor": SERIES[1].color, "markeredgecolor": "none"}
    axes.bxp(
        boxes,
        positions,
        widths=0.6,
        orientation=orientation,
        showfliers=False,
        showmeans=True,
        meanprops=means,
        **BOX,
    )
