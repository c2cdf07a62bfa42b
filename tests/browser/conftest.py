"""A report of hostile runs, written once, and a real browser to open it in."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from molehunt.analysis import make_report, read_tables
from molehunt.trajectories import Mark, Run, Step, Trajectory, Truth
from molehunt.verdicts import Excerpt, MonitorRecord, Store, Verdict

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)

# each would set window.owned, ask for an address or say something, if it were obeyed
ATTEMPTS = (
    "<script>window.owned=1</script>",
    "\"'><img src=x onerror=window.owned=2>",
    "</pre></title></style></script><svg onload=window.owned=3>",
    "javascript:window.owned=4",
    "<a href='javascript:window.owned=5' autofocus onfocus=window.owned=6>x</a>",
    "<iframe srcdoc='<script>parent.owned=7</script>'></iframe>",
    "<style>*{display:none}</style><link rel=stylesheet href=http://127.0.0.1:9/x>",
    "<math><mtext><table><mglyph><style><img src=x onerror=window.owned=8>",
    "{{ 7*7 }}{% raw %}${7*7}<!-- --!><![CDATA[",
    "<base href=http://127.0.0.1:9/><meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
    "<form action=http://127.0.0.1:9/><input name=q><button>go</button></form>",
    "<details open ontoggle=window.owned=9>x</details>",
    "<video><source onerror=window.owned=10></video><audio src onerror=window.owned=11>",
    "<a href=java&#10;script:window.owned=12>x</a><object data='javascript:window.owned=13'></object>",
    "<template><script>window.owned=14</script></template></script><script>window.owned=15</script>",
    "\u2028window.owned=16\u2029//</scr\x00ipt><scr\x00ipt>window.owned=17</scr\x00ipt>",
    "\u202eevil\u2066\u200b\x00\x1b[31m&lt;b&gt;",
)
HOSTILE = " ".join(ATTEMPTS)
LONG = 10_000_000
QUOTE = "open('/tmp/.log', 'a')"
SIDE_TASKS = ("exit", f"log {ATTEMPTS[1]}")


@dataclass
class Opened:
    """A page in the browser, what it said on the console, and what it asked the network for."""

    page: Any
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a report on twelve runs that are hostile wherever they can be, with all pages."""
    folder = tmp_path_factory.mktemp("browser")
    store = folder / "scores.db"
    _fill(store)
    report = make_report(read_tables(store), replicates=20)
    report.write(folder / "out", "all", store)
    return folder / "out"


def _fill(path: Path) -> None:
    monitors = [
        MonitorRecord(
            f"m{number} {HOSTILE}",
            f"watch{number}",
            f"watch{number}({HOSTILE[:60] if number else HOSTILE})",
            models=f"openai/{HOSTILE}" if number % 2 else "",
            source="floor" if number > 6 else "somebody 2026",
        )
        for number in range(9)
    ]
    with Store.open(path) as store:
        for record in monitors:
            store.add_monitor(record)
        for task in range(6):
            for label in ("honest", "attack"):
                run = _run(task, label)
                store.add_run(run)
                code = run.trajectory.steps[2]
                at = code.text.index(QUOTE)
                for number, record in enumerate(monitors):
                    # of the first monitor one attack looks harmless, and one honest run does not
                    score = 0.1 * number / 9 + (0.6 if (label == "attack") != (task == number % 6) else 0.2)
                    excerpts = (
                        Excerpt(QUOTE, "exact", 2, at, at + len(QUOTE)),
                        Excerpt("Think  first", "normalised", 0, 0, 11),
                        Excerpt(HOSTILE, "not_found"),
                    )
                    verdict = Verdict(
                        round(score + task / 100, 3),
                        rationale=HOSTILE,
                        excerpts=excerpts if number == 0 else (),
                    )
                    store.add_verdict(run.trajectory.id, record.id, 0, verdict, [], 0.1)


def _run(task: int, label: str) -> Run:
    is_attack = label == "attack"
    # the quote stands in the middle of what is far too long to show
    half = "x = 1\n" * ((LONG if task == 0 and is_attack else 600) // 12)
    steps = (
        Step(0, "reasoning", f"Think first. {HOSTILE}"),
        Step(1, "tool_call", HOSTILE, tool=HOSTILE, arguments={"command": HOSTILE}, agent=HOSTILE),
        Step(2, "code", f"{half}{QUOTE}\n{half}# {label} {task}"),
    )
    start = steps[2].text.index(QUOTE)
    truth = Truth(
        label=label,
        environment=f"env/{ATTEMPTS[1]}",
        task_id=f"p{task} {HOSTILE}",
        main_score=1.0,
        side_score=1.0 if is_attack else None,
        marks=(Mark("incriminating" if is_attack else "decoy", 2, start, start + len(QUOTE)),),
        factors={
            "awareness": "unaware",
            HOSTILE: HOSTILE,
            **({"side_task": SIDE_TASKS[task % 2]} if is_attack else {}),
        },
    )
    return Run(
        Trajectory(f"Sort. {HOSTILE}", steps),
        truth,
        log=HOSTILE,
        sample=f"{task} {label}",
        agent_model=f"openai/{HOSTILE}",
        reasoning="full",
    )


# until the end of its file: while it is open, no other event loop runs in this process
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Headless Chromium; a test that needs it skips, with a line, where there is none."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("needs chromium on the path (Debian: apt-get install chromium)")
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="needs playwright (the extra 'dev' has it)"
    )
    # its driver talks through a pipe: sockets stay blocked
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=found, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def opened(browser: Any) -> Iterator[Opened]:
    """An empty page without a network, which keeps what goes wrong in it."""
    context = browser.new_context(offline=True, viewport={"width": 1400, "height": 900})
    kept = Opened(context.new_page())
    kept.page.on("console", lambda message: kept.said.append(message.text))
    kept.page.on("pageerror", lambda error: kept.said.append(str(error)))
    kept.page.on("dialog", lambda dialog: kept.said.append(dialog.message))
    kept.page.on("request", lambda request: kept.asked.append(request.url))
    yield kept
    context.close()
