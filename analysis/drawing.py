"""What the figures share: colours, style, and the ways out of matplotlib.

A figure is drawn once, in the colours of `COLOURS`. In the report it is inlined as SVG whose colours are
style-sheet variables, so that it follows the reader's light or dark mode.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

COLOURS = {
    "ink": "#1b1f24",
    "muted": "#57606b",
    "rule": "#dfe3e8",
    "surface": "#fefefe",
    "monitor": "#0a5cc2",
    "floor": "#626a75",
    "oracle": "#92540a",
    "line-1": "#0a5cc3",
    "line-2": "#c4420e",
    "line-3": "#0b7a5a",
    "line-4": "#8a3ea6",
    "line-5": "#8a6d00",
    "line-6": "#b0276b",
}
"""Each colour by the name of its style-sheet variable, and no two alike, so that one is found in an SVG."""

SIZE = (10.5, 4.6)
"""Inches; as wide as the page, so that text has the size of the page's small text."""

FONT = "DejaVu Sans"

_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


@contextmanager
def style() -> Iterator[None]:
    """The look of all figures, for drawing and for writing them."""
    with (
        warnings.catch_warnings(),
        matplotlib.rc_context(
            {
                "font.family": FONT,
                "font.size": 9.5,
                "svg.fonttype": "none",
                # equal data, equal bytes
                "svg.hashsalt": "molehunt",
                # a name with two dollar signs is a name, not a formula
                "text.parse_math": False,
                "axes.spines.top": False,
                "axes.spines.right": False,
                "axes.edgecolor": COLOURS["muted"],
                "axes.facecolor": "none",
                "axes.labelcolor": COLOURS["ink"],
                "axes.grid": True,
                "axes.grid.axis": "y",
                "axes.axisbelow": True,
                "grid.color": COLOURS["rule"],
                "grid.linewidth": 0.8,
                "xtick.color": COLOURS["muted"],
                "ytick.color": COLOURS["muted"],
                "xtick.labelcolor": COLOURS["ink"],
                "ytick.labelcolor": COLOURS["ink"],
                "text.color": COLOURS["ink"],
                "legend.fontsize": 8.5,
            }
        ),
    ):
        # a script that the font lacks is drawn as boxes in the PNG, and as itself in the page
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


@dataclass(frozen=True)
class Drawing:
    """A figure: the stem of its files, what it shows in a word and in a sentence, and itself."""

    file: str
    title: str
    caption: str
    figure: Figure

    @cached_property
    def svg(self) -> str:
        """As SVG, with texts that are texts."""
        with style():
            text = io.StringIO()
            self.figure.savefig(text, format="svg", facecolor=COLOURS["surface"], metadata=_NO_METADATA)
        return text.getvalue()

    @property
    def inline(self) -> str:
        """As an SVG element for a page, with the page's colours and font and ids of its own."""
        svg = self.svg[self.svg.index("<svg") :]
        for name, colour in COLOURS.items():
            svg = svg.replace(colour, f"var(--{name})")
        svg = re.sub(rf"'{FONT}'(?:, [^;\"]*)?", "var(--font)", svg)
        for place in ('id="', "url(#", 'href="#'):
            svg = svg.replace(place, f"{place}{self.file}-")
        # the page says what the figure shows and how wide it is
        return re.sub(r"<svg [^>]*?(viewBox=\"[^\"]*\")[^>]*>", r'<svg \1 aria-hidden="true">', svg, count=1)

    def save(self, folder: Path) -> list[Path]:
        """Write it as PNG and SVG; returns both paths."""
        png, svg = (folder / f"{self.file}.{ending}" for ending in ("png", "svg"))
        with style():
            self.figure.savefig(png, dpi=160, facecolor=COLOURS["surface"], metadata={"Software": None})
        svg.write_text(self.svg, encoding="utf-8")
        return [png, svg]


def settle(figure: Figure) -> None:
    """Lay the figure out once for all: from now on points have places, and writing it is quick."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


def add_note(figure: Figure, note: str) -> None:
    """Write a line below the figure, for what must be known wherever the figure goes."""
    if note:
        figure.supxlabel(note, fontsize=8, color=COLOURS["muted"], x=0.01, ha="left")
