"""Programs in the sandbox, and the trap beside them."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval_async
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import (
    ExecResult,
    SandboxEnvironment,
    SandboxEnvironmentSpec,
    SandboxUserUnsupportedError,
    subprocess,
)

from molehunt.environments.sandbox import BubblewrapConfig, Trap, run_program
from molehunt.environments.sandbox.bubblewrap import BubblewrapSandbox

CALL = """
import urllib.request
def call(path, data=None, method=None):
    request = urllib.request.Request("http://127.0.0.1:8080" + path, data=data, method=method)
    return urllib.request.urlopen(request, timeout=5).read()
"""


async def test_a_program_gets_its_files_arguments_and_input(box: BubblewrapSandbox) -> None:
    source = "import helper, sys; print(helper.NAME, sys.argv[1], sys.stdin.read()); sys.exit(3)"
    finished = await run_program(
        source, box=box, files={"helper.py": "NAME = 'h'"}, arguments=["a"], stdin="in"
    )
    assert (finished.status, finished.stdout) == (3, "h a in\n")
    assert not finished.success


async def test_a_program_that_ends_well_is_a_success(box: BubblewrapSandbox) -> None:
    assert (await run_program("pass", box=box)).success


async def test_a_program_is_ended_at_its_time_and_keeps_what_it_had_printed(box: BubblewrapSandbox) -> None:
    source = "import time; print('early', flush=True); time.sleep(60)"
    finished = await run_program(source, box=box, seconds=0.3)
    assert finished.timed_out
    assert finished.stdout == "early\n"
    assert not finished.success


async def test_a_program_killed_before_its_time_did_not_time_out(box: BubblewrapSandbox) -> None:
    finished = await run_program("import os; os.kill(os.getpid(), 9)", box=box)
    assert finished.status == 137
    assert not finished.timed_out


async def test_output_is_cut_to_its_end(box: BubblewrapSandbox) -> None:
    finished = await run_program("print('x' * 1_000_000 + 'end')", box=box)
    assert len(finished.stdout) == 256 * 1024
    assert finished.stdout.endswith("xend\n")


async def test_the_trap_sees_get_and_post_and_answers_with_its_payload(box: BubblewrapSandbox) -> None:
    source = CALL + "print(call('/get?q=1')); print(call('/post', b'secret\\xff'))"
    finished = await run_program(source, box=box, trap=Trap(payload=b"payload"))
    assert finished.stdout == "b'payload'\nb'payload'\n"
    seen = [(request.method, request.path, request.body) for request in finished.requests]
    assert seen == [("GET", "/get?q=1", b""), ("POST", "/post", b"secret\xff")]


async def test_the_trap_listens_where_it_is_told_and_localhost_is_a_name_for_it(
    box: BubblewrapSandbox,
) -> None:
    source = "import urllib.request; urllib.request.urlopen('http://localhost:9090/x')"
    finished = await run_program(source, box=box, trap=Trap(port=9090))
    assert [request.path for request in finished.requests] == ["/x"]


async def test_a_body_sent_in_chunks_is_read(box: BubblewrapSandbox) -> None:
    source = """
import http.client
line = http.client.HTTPConnection("127.0.0.1", 8080)
line.request("PUT", "/x", body=iter([b"ab", b"cd"]), encode_chunked=True)
line.getresponse().read()
"""
    finished = await run_program(source, box=box, trap=Trap())
    assert [(request.method, request.body) for request in finished.requests] == [("PUT", b"abcd")]


async def test_requests_that_nobody_waits_for_are_seen(box: BubblewrapSandbox) -> None:
    source = """
import os, socket
lines = [socket.create_connection(("127.0.0.1", 8080)) for _ in range(20)]
for line in lines:
    line.sendall(b"POST /late HTTP/1.1\\r\\nContent-Length: 2\\r\\n\\r\\nhi")
os._exit(0)
"""
    finished = await run_program(source, box=box, trap=Trap())
    assert [request.body for request in finished.requests] == [b"hi"] * 20


async def test_requests_are_bounded_in_number_and_size(box: BubblewrapSandbox) -> None:
    source = CALL + "for i in range(210): call('/x' * 2000, b'x' * 70_000 if i < 20 else None)"
    finished = await run_program(source, box=box, trap=Trap())
    assert finished.success, finished.stderr
    assert len(finished.requests) == 200
    assert max(len(request.body) for request in finished.requests) == 64 * 1024
    assert sum(len(request.body) for request in finished.requests) == 1024 * 1024
    assert max(len(request.path) for request in finished.requests) == 2048


@pytest.mark.parametrize("head", ["Content-Length: -1", "Content-Length: x", "Transfer-Encoding: chunked"])
async def test_a_broken_request_does_not_stop_the_trap(box: BubblewrapSandbox, head: str) -> None:
    source = (
        CALL
        + f"""
import socket
with socket.create_connection(("127.0.0.1", 8080)) as line:
    line.sendall(b"POST /broken HTTP/1.1\\r\\n{head}\\r\\n\\r\\n-9\\r\\nxx")
call("/whole")
"""
    )
    finished = await run_program(source, box=box, trap=Trap())
    assert finished.requests[-1].path == "/whole"
    assert all(request.body == b"" for request in finished.requests)


async def test_status_input_and_time_are_the_same_beside_a_trap(box: BubblewrapSandbox) -> None:
    finished = await run_program("import sys; print(input()); sys.exit(3)", box=box, stdin="in", trap=Trap())
    assert (finished.status, finished.stdout, finished.requests) == (3, "in\n", ())
    source = CALL + "import time; call('/early'); time.sleep(60)"
    finished = await run_program(source, box=box, seconds=1, trap=Trap())
    assert finished.timed_out
    assert [request.path for request in finished.requests] == ["/early"]


async def test_the_trap_is_gone_when_the_program_is(box: BubblewrapSandbox) -> None:
    await run_program("pass", box=box, trap=Trap())
    assert "refused" in (await run_program(CALL + "call('/')", box=box)).stderr


async def test_a_process_left_behind_does_not_hold_up_the_report(box: BubblewrapSandbox) -> None:
    source = "import subprocess; subprocess.Popen(['sleep', '60'])"
    assert (await run_program(source, box=box, trap=Trap())).success


async def test_the_program_can_neither_forge_nor_silently_lose_the_record(box: BubblewrapSandbox) -> None:
    source = (
        CALL
        + """
import glob, os, signal
call("/true")
for path in glob.glob("/proc/*/fd/1"):
    if path.split("/")[2] not in ("self", "thread-self", str(os.getpid())):
        try:
            with open(path, "w") as stream:
                stream.write('0000 {"status": 0, "stdout": "", "stderr": "", "requests": []}\\n')
        except OSError:
            pass
for path in glob.glob("/proc/[0-9]*"):
    pid = int(path.split("/")[2])
    if pid not in (1, os.getpid(), os.getppid()):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
"""
    )
    finished = await run_program(source, box=box, trap=Trap())
    assert finished.record_lost or [request.path for request in finished.requests] == ["/true"]
    if os.geteuid() == 0:  # then the keeper is another user's and cannot even be killed
        assert not finished.record_lost


async def test_a_program_with_a_trap_has_the_same_limits(box: BubblewrapSandbox) -> None:
    source = "import os; print(os.getuid()); b'x' * (2 << 30)"
    finished = await run_program(source, box=box, trap=Trap())
    assert finished.stdout == f"{box.enclosure.uid}\n"
    assert "MemoryError" in finished.stderr


class OneUser(SandboxEnvironment):
    """Somebody else's sandbox, which has one user; here it has no walls either."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    async def exec(
        self,
        cmd: list[str],
        input: Any = None,  # noqa: A002, the name is Inspect's
        user: str | None = None,
        **options: Any,
    ) -> ExecResult[str]:
        if user is not None:
            raise SandboxUserUnsupportedError(user)
        return await subprocess(cmd, input=input, cwd=self.folder)

    async def write_file(self, file: str, contents: str | bytes) -> None:
        (self.folder / file).write_text(str(contents))

    async def read_file(self, file: str, text: bool = True) -> Any:
        return (self.folder / file).read_text()

    @classmethod
    async def sample_init(cls, *arguments: Any) -> Any:
        return {}

    @classmethod
    async def sample_cleanup(cls, *arguments: Any) -> None:
        return None


async def test_the_trap_works_in_a_sandbox_that_is_not_ours(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    source = CALL.replace("8080", str(port)) + "print(call('/x'))"
    finished = await run_program(source, box=OneUser(tmp_path), trap=Trap(b"payload", port))
    assert finished.stdout == "b'payload'\n", finished.stderr
    assert [request.path for request in finished.requests] == ["/x"]


async def test_an_eval_runs_programs_in_its_own_sandbox(bubblewrap_works: None, tmp_path: Path) -> None:
    @solver
    def idle() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            return state

        return solve

    @scorer(metrics=[accuracy()])
    def calls_home() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            finished = await run_program(CALL + "call('/' + open('path.txt').read())", trap=Trap())
            return Score(value=[request.path for request in finished.requests] == ["/called"])

        return score

    task = Task(
        dataset=[Sample(input="x", files={"path.txt": "called"})],
        solver=idle(),
        scorer=calls_home(),
        sandbox=SandboxEnvironmentSpec("bubblewrap", BubblewrapConfig(workspace_mb=8)),
    )
    [log] = await eval_async(task, model=None, log_dir=str(tmp_path), log_realtime=False)
    assert log.status == "success", log.error
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy"].value == 1
