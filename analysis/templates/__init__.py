"""Pages of HTML: templates that escape every text which is not ours, and let nothing run but one script.

A page's security policy names its own style and script by digest and forbids all else: no other script, no
style in an element, no picture but the empty icon, no request, no form.
"""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from molehunt.analysis import wording
from molehunt.trajectories.wording import count

FOLDER = Path(__file__).parent
WORDINGS = (
    "decimal",
    "signed",
    "between",
    "between_percents",
    "percent",
    "dollars",
    "paid",
    "seconds",
    "p_value",
    "listed",
)


def render(name: str, **values: Any) -> str:
    """The page that the template ``name`` makes of ``values``, with its style, its script and its policy."""
    style, script = (_read(f"page.{ending}") for ending in ("css", "js"))
    return (
        _environment()
        .get_template(f"{name}.html")
        .render(
            style=Markup(style),
            script=Markup(script),
            policy=(
                f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
                "img-src data:; base-uri 'none'; form-action 'none'"
            ),
            **values,
        )
    )


def breakable(text: str) -> Markup:
    """``text``, escaped, with places where a narrow screen may break a long name.

    Examples
    --------
    >>> breakable("a_b <i>")
    Markup('a_<wbr>b &lt;i&gt;')
    """
    # none of these marks occurs in an escape
    return Markup(re.sub(r"([_/,=]|\((?!\)))", r"\1<wbr>", str(escape(_tame(text)))))


def visible(text: str) -> Markup:
    r"""``text``, escaped, with every character that is obeyed instead of seen written out by its number.

    Such are control characters, those that turn the direction of writing, and those without width; line feed
    and tab stay what they are.

    Examples
    --------
    >>> visible("a\u202eb\n")
    Markup('a<i class="control" title="RIGHT-TO-LEFT OVERRIDE">U+202E</i>b\n')
    """
    return Markup(_UNSEEN.sub(_written_out, str(escape(text))))


_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\U000e0000-\U000e007f]"
)


def _written_out(found: re.Match[str]) -> str:
    character = found[0]
    name = unicodedata.name(character, "control character")
    return f'<i class="control" title="{name}">U+{ord(character):04X}</i>'


def _tame(value: Any) -> Any:
    """A text without what would be obeyed, for places that take no elements; any other value as it is."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", value)
    return value


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_tame,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {name: getattr(wording, name) for name in WORDINGS}
    environment.filters |= {"breakable": breakable, "count": count, "visible": visible}
    return environment


@cache
def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    # a browser digests what stands between the tags
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
