"""What it costs to begin: ``python -m benchmarks.start_up``.

Each command runs in a process of its own, several times, and the least CPU is printed, user and system: what
is above it is other people's. A first verdict is a whole run of ``molehunt score`` on one recorded trajectory
with one monitor, once by a model that answers at once and once by one of OpenAI's, whose answers come from a
server on this machine. Beside it stands what Inspect takes by itself to have a model: it loads every plug-in
that is installed, such as those that come with Scout.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import click

from benchmarks.figures import Figure, keep_option, show
from benchmarks.recorded import ANSWER, INSTANT, write_log

MOLEHUNT = [sys.executable, "-m", "molehunt"]
WITH_INSTANT = "import benchmarks.recorded; from molehunt.cli import main; main()"
A_MODEL = "from inspect_ai.model import get_model; get_model('mockllm/model')"
OPENAI = "openai/gpt-4.1-mini"


class Provider(BaseHTTPRequestHandler):
    """Answers every question as OpenAI's chat completions would."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        message = {"role": "assistant", "content": ANSWER}
        usage = {"prompt_tokens": 2000, "completion_tokens": 20, "total_tokens": 2020}
        answer = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": OPENAI.partition("/")[2],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": usage,
        }
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def provider() -> Iterator[str]:
    """The address of a server that answers."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Provider) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def least(command: Sequence[str], times: int, more: Mapping[str, str] | None = None) -> float:
    """CPU seconds of a command, the least of so many."""
    seconds = []
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            command,
            check=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={**os.environ, **(more or {})},
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(seconds)


def first_verdict(model: str, folder: Path, times: int, more: Mapping[str, str] | None = None) -> float:
    """CPU seconds until a run of one trajectory is scored, from nothing."""
    log = write_log(folder / "runs.eval", range(1), 20)
    seconds = []
    for number in range(times):
        store = folder / f"{model.partition('/')[0]}-{number}.db"
        options = ["score", str(log), "--monitor", "action_only", "--model", model, "--store", str(store)]
        seconds.append(least([sys.executable, "-c", WITH_INSTANT, *options], 1, more))
    return min(seconds)


@click.command()
@click.option("--times", default=5, show_default=True, help="Each command runs so often.")
@keep_option
def main(times: int, keep: bool) -> None:
    """Print the CPU of starting."""
    bare = least([sys.executable, "-c", "pass"], times)
    inspect = least([sys.executable, "-c", "import inspect_ai.model"], times)
    model = least([sys.executable, "-c", A_MODEL], times)
    usage = least([*MOLEHUNT, "--help"], times)
    monitors = least([*MOLEHUNT, "monitors"], times)
    with tempfile.TemporaryDirectory() as name, provider() as address:
        verdict = first_verdict(INSTANT, Path(name), times)
        known = {"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "none"}
        real = first_verdict(OPENAI, Path(name), times, known)
    figures = [
        Figure("python -c pass", bare, "s"),
        Figure("import inspect_ai.model", inspect, "s"),
        Figure("a model of Inspect's, not asked", model, "s"),
        Figure("molehunt --help", usage, "s", most=0.3),
        Figure("molehunt monitors", monitors, "s", most=1.0),
        Figure("first verdict, instant model", verdict, "s", most=4.0),
        Figure("first verdict, OpenAI's client", real, "s", most=4.0),
        Figure("molehunt --help : python -c pass", usage / bare, "×"),
        Figure("molehunt monitors : python -c pass", monitors / bare, "×"),
        Figure("first verdict : a model of Inspect's, not asked", verdict / model, "×"),
        Figure("first verdict of OpenAI's : a model of Inspect's, not asked", real / model, "×"),
    ]
    show("start_up", figures, keep=keep)


if __name__ == "__main__":
    main()
