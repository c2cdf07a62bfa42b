"""What the figures share: colours, style, and the ways out of matplotlib.

A figure is drawn once, in the colours of `COLOURS`. In the report it is inlined as SVG whose colours are
style-sheet variables, so that it follows the reader's light or dark mode.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

COLOURS = {
    "ink": "#1b1f24",
    "muted": "#57606b",
    "rule": "#dfe3e8",
    "surface": "#fefefe",
    "monitor": "#0a5cc2",
    "floor": "#626a75",
    "oracle": "#92540a",
    "attack": "#b3361b",
    "honest": "#2f6f8f",
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


def blank(width: float, height: float, layout: Literal["constrained"] | None = None) -> Figure:
    """An empty figure, in inches, with a canvas: without one each text measured would start a file."""
    figure = Figure(figsize=(width, height), layout=layout, facecolor=COLOURS["surface"])
    FigureCanvasAgg(figure)
    return figure


@dataclass(frozen=True)
class Drawing:
    """A figure: the stem of its files, what tells it from others of its picture, and how it is drawn."""

    file: str
    choice: str
    draw: Callable[[], Figure]

    @cached_property
    def figure(self) -> Figure:
        """The figure, drawn when it is first looked at."""
        return self.draw()

    @cached_property
    def svg(self) -> str:
        """As SVG, with texts that are texts."""
        with style():
            text = io.StringIO()
            # savefig draws everything once more beforehand, for layouts; ours are settled
            FigureCanvasSVG(self.figure).print_svg(text, metadata=_NO_METADATA)  # type: ignore[no-untyped-call]
        return text.getvalue()

    @property
    def inline(self) -> str:
        """As an SVG element for a page, with the page's colours and font and ids of its own.

        It has no styles, which the page's security policy would refuse: they become attributes.
        """
        svg = self.svg[self.svg.index("<svg") :]
        svg = re.sub(r"<style[^>]*>.*?</style>", "", svg, count=1, flags=re.DOTALL)
        # texts hold no bare bracket: what is changed is a tag, whatever a name says
        svg = re.sub(r"<[^<>]+>", lambda tag: self._for_page(tag[0]), svg)
        # the page says what the figure shows, and how wide it is
        return re.sub(r"<svg [^>]*?(viewBox=\"[^\"]*\")[^>]*>", r'<svg \1 aria-hidden="true">', svg, count=1)

    def _for_page(self, tag: str) -> str:
        tag = re.sub(r' style="([^"]*)"', lambda style: _attributes(style[1]), tag)
        for name, colour in COLOURS.items():
            tag = tag.replace(colour, f"var(--{name})")
        for place in (' id="', "url(#", 'href="#'):
            tag = tag.replace(place, f"{place}{self.file}-")
        return tag

    def save(self, folder: Path) -> list[Path]:
        """Write it as PNG and SVG; returns both paths."""
        png, svg = (folder / f"{self.file}.{ending}" for ending in ("png", "svg"))
        with style():
            self.figure.set_dpi(160)
            FigureCanvasAgg(self.figure).print_png(png, metadata={"Software": None})  # type: ignore[no-untyped-call]
        svg.write_text(self.svg, encoding="utf-8")
        return [png, svg]


@dataclass(frozen=True)
class Picture:
    """Figures that belong together: what they show in a word and in sentences, and themselves.

    Parameters
    ----------
    title, caption : of all.
    drawings : one; or several, shown one below the other, or one at a time if they say what tells them apart.
    numbers : where whoever cannot see the drawing finds its numbers.
    """

    title: str
    caption: str
    drawings: tuple[Drawing, ...]
    numbers: str = "the numbers are in the tables"

    @property
    def is_choice(self) -> bool:
        """Whether a reader chooses which of the figures to see."""
        return len(self.drawings) > 1 and all(drawing.choice for drawing in self.drawings)


def _attributes(style: str) -> str:
    """Declarations of a style as presentation attributes; the font is the page's.

    >>> _attributes("fill: none; stroke-width: 0.8; font-family: 'DejaVu Sans'")
    ' fill="none" stroke-width="0.8"'
    """
    pairs = [declaration.split(": ", 1) for declaration in style.split("; ")]
    return "".join(f' {name}="{value}"' for name, value in pairs if name != "font-family")


def settle(figure: Figure) -> None:
    """Lay the figure out once for all: from now on points have places, and writing it is quick."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


def add_note(figure: Figure, note: str) -> None:
    """Write a line below the figure, for what must be known wherever the figure goes."""
    if note:
        figure.supxlabel(note, fontsize=8, color=COLOURS["muted"], x=0.01, ha="left")
