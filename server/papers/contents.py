"""What a page shows of the tables and figures in a zip file."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePosixPath
from xml.etree import ElementTree
from zipfile import ZipFile

_TITLE = ".//{http://purl.org/dc/elements/1.1/}title"


@dataclass(frozen=True, slots=True)
class PaperContents:
    """Tables as Markdown and figures as SVG, each by name, in the order of the paper."""

    tables: dict[str, str]
    figures: dict[str, bytes]

    @property
    def captions(self) -> dict[str, str]:
        """The captions of the figures, which their metadata have."""
        return {name: ElementTree.fromstring(svg).findtext(_TITLE, "") for name, svg in self.figures.items()}  # noqa: S314  our own file


def read_contents(data: bytes) -> PaperContents:
    """Read the tables and figures of a zip file that `scorer paper` wrote."""
    with ZipFile(BytesIO(data)) as archive:
        paths = [PurePosixPath(name) for name in archive.namelist()]
        results = next(str(path) for path in paths if path.name == "results.tex")
        order = archive.read(results).decode()
        return PaperContents(
            {path.stem: archive.read(str(path)).decode() for path in _sort(paths, "tables/*.md", order)},
            {path.stem: archive.read(str(path)) for path in _sort(paths, "figures/*.svg", order)},
        )


def _sort(paths: Sequence[PurePosixPath], pattern: str, order: str) -> list[PurePosixPath]:
    """List the files of a kind in the order in which results.tex names them."""
    return sorted(
        (path for path in paths if path.match(pattern)), key=lambda path: order.find(f":{path.stem}}}")
    )
