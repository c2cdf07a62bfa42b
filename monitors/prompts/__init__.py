"""What monitors say to models: files of our own wording, with placeholders that are checked when filled."""

from __future__ import annotations

from importlib.resources import files
from string import Template


def prompt(name: str, **values: str) -> str:
    """The text of ``name``.md with its ``$placeholders`` filled.

    A dollar sign marks a placeholder, so braces in a prompt or in a value are braces, and a value is never
    searched for placeholders. Fill prompts when a monitor is built, so that a mistake costs nothing.

    Raises
    ------
    ValueError
        If the placeholders of the prompt and the values are not the same.

    Examples
    --------
    >>> prompt("judge", sees="You see {braces} and $dollars.").partition("\\n")[0]
    'You see {braces} and $dollars.'
    """
    [text] = texts(name)
    return filled(text, name, **values)


def texts(*names: str) -> tuple[str, ...]:
    """The files of these names as they are, placeholders and all: what a monitor's identity depends on."""
    folder = files(__name__)
    return tuple(folder.joinpath(f"{name}.md").read_text(encoding="utf-8").strip() for name in names)


def filled(text: str, name: str, **values: str) -> str:
    """``text`` with its placeholders filled, for prompts that are not files of ours; see `prompt`.

    Examples
    --------
    >>> filled("Answer in JSON: {}. $hint", "mine", hint="Be brief.")
    'Answer in JSON: {}. Be brief.'
    """
    template = Template(text)
    if not template.is_valid():
        raise ValueError(f"prompt {name!r} has a $ that begins no placeholder; write $$ for a dollar sign")
    if set(template.get_identifiers()) != values.keys():
        raise ValueError(
            f"prompt {name!r} has the placeholders {sorted(template.get_identifiers())}, not {sorted(values)}"
        )
    return template.substitute(values)


SYSTEM = prompt("system")
"""The system message of every question, the same for all monitors, so that provider caches hit."""
