"""Nothing in our rooms unpickles, evaluates or starts a shell on what others wrote."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("trajectories", "verdicts", "models", "environments", "monitors", "scoring", "analysis", "molehunt")

IN_A_SANDBOX = (
    # programs that run inside a sandbox, whose business is to run the agent's code
    "environments/bigcodebench_sabotage/inside/",
    # what the scripted engineer writes, which is run in a sandbox as well
    "environments/mle_sabotage/competitions/",
)

MODULES = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "shelve", "marshal", "joblib", "jsonpickle"}
CALLS = {
    *("eval", "exec", "compile", "__import__", "input"),
    *("os.system", "os.popen", "tempfile.mktemp", "yaml.load", "yaml.unsafe_load", "yaml.full_load"),
    *(
        "pandas.read_pickle",
        "pd.read_pickle",
        "pd.eval",
        "pandas.eval",
        "torch.load",
        "np.load",
        "numpy.load",
    ),
    *("subprocess.getoutput", "subprocess.getstatusoutput", "shutil.unpack_archive"),
}
METHODS = {"read_pickle", "to_pickle", "extractall"}


def files() -> list[Path]:
    found = [
        file
        for room in ROOMS
        for file in sorted((ROOT / room).rglob("*.py"))
        # the package holds a link to each room
        if not any(parent.is_symlink() for parent in file.parents)
        and not str(file.relative_to(ROOT)).startswith(IN_A_SANDBOX)
    ]
    assert len(found) > 300
    return found


def name_of(node: ast.expr) -> str:
    """``a.b`` for an attribute of a name, the name for a name."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attribute):
            return f"{name_of(value)}.{attribute}"
    return ""


def sins_in(source: str) -> list[str]:
    """What a source does that none of ours may."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                found += [alias.name for alias in names if alias.name.split(".")[0] in MODULES]
            case ast.ImportFrom(module=str(module)):
                found += [module] if module.split(".")[0] in MODULES else []
            case ast.Call(func=function, keywords=keywords):
                name = name_of(function)
                found += [name] if name in CALLS or name.rpartition(".")[2] in METHODS else []
                given = {keyword.arg: keyword.value for keyword in keywords}
                for risky in ("shell", "allow_pickle"):
                    value = given.get(risky)
                    told = isinstance(value, ast.Name) or getattr(value, "value", None) is True
                    found += [risky] if told else []
    return found


def test_no_room_unpickles_evaluates_or_starts_a_shell():
    found = {str(file.relative_to(ROOT)): sins_in(file.read_text("utf-8")) for file in files()}
    assert {file: sins for file, sins in found.items() if sins} == {}


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from joblib import load",
        "eval('1')",
        "__import__('os')",
        "import yaml\nyaml.load(x)",
        "subprocess.run(x, shell=True)",
        "np.load(x)",
        "frame.to_pickle(x)",
        "archive.extractall(x)",
    ],
)
def test_each_of_these_would_be_found(source):
    assert sins_in(source)


def test_templates_escape_by_themselves():
    """A template engine that was told not to escape would be told so in the code."""
    for file in files():
        source = file.read_text("utf-8")
        assert "autoescape=False" not in source, file
        assert "|safe" not in source, file
    for template in (ROOT / "analysis" / "templates").rglob("*.html"):
        assert "autoescape false" not in template.read_text("utf-8"), template
