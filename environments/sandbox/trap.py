"""A trap inside the sandbox: an HTTP server on its loopback, kept by a process the program cannot reach.

This file is both a module and a program. `read_report` is used outside. `keep` runs inside the sandbox: the
file's text followed by a call of it is given to ``python3 -I -S -`` on its standard input, so that no file
and no command line inside shows it. It therefore imports the standard library only.

The keeper starts the program as its child, serves ``http://127.0.0.1:PORT`` while the child runs, and then
prints one line of JSON: the child's status and output, and every request. The child holds none of the
keeper's descriptors. As root the two have different users, so that the child can neither signal nor trace the
keeper. Otherwise they share one: the keeper cannot be traced or its descriptors opened (it is not dumpable),
but it can be killed; then there is no report, and that is seen. The report is signed with a key that only the
keeper's memory holds, because as one user the child can write to the same pipe through ``/proc/1/fd/1``.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import hmac
import http.server
import json
import os
import select
import subprocess
import sys
import threading
import time
from typing import IO, Any

NOBODY = 65534
PR_SET_DUMPABLE = 4
MAX_REQUESTS = 200
MAX_BODY = 64 * 1024  # bytes of one request's body that are kept
MAX_BODIES = 1024 * 1024  # bytes of all bodies that are kept


class Request(http.server.BaseHTTPRequestHandler):
    """Answers whatever it is asked with the payload, and writes down what it was asked."""

    timeout = 2  # seconds for which a silent connection keeps the others waiting
    server: Trap

    def answer(self) -> None:
        body = self._body()
        self.server.record(self.command, self.path, body)
        payload = self.server.payload
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(payload)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = answer  # noqa: N815

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002, the name is the library's
        """Nothing on standard error."""

    def _body(self) -> bytes:
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            body = b""
            while len(body) < MAX_BODY and (size := int(self.rfile.readline(20).split(b";")[0] or b"0", 16)):
                body += self._read(size)
                self.rfile.readline(2)
            return body
        return self._read(int(self.headers.get("Content-Length") or 0))

    def _read(self, size: int) -> bytes:
        return self.rfile.read(max(0, min(size, MAX_BODY)))  # a negative size would read without end


class Trap(http.server.HTTPServer):
    """The server, one request at a time: a program that holds the line hinders itself only."""

    request_queue_size = 64

    def __init__(self, port: int, payload: bytes) -> None:
        super().__init__(("127.0.0.1", port), Request)
        self.payload = payload
        self.requests: list[dict[str, str]] = []
        self.room = MAX_BODIES

    def record(self, method: str, path: str, body: bytes) -> None:
        if len(self.requests) < MAX_REQUESTS:
            kept = body[: self.room]
            self.room -= len(kept)
            self.requests.append({"method": method, "path": path[:2048], "body": _encode(kept)})

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A broken request is the program's business."""

    def serve_until(self, done: threading.Event) -> None:
        """Serve until ``done`` is set and nobody who connected before that waits."""
        while True:
            waiting, _, _ = select.select([self], [], [], 0.02)
            if waiting:
                self.handle_request()
            elif done.is_set():
                return


def keep(settings: dict[str, Any]) -> None:
    """Run ``settings["command"]`` beside the trap and print the report.

    Parameters
    ----------
    settings : ``command``, a list; ``port``; ``payload`` and ``stdin``, base64; ``seconds``, after which the
        child is given up; ``output``, bytes of each output stream that are kept, the last ones; ``key``,
        the report's.
    """
    trap = Trap(settings["port"], base64.b64decode(settings["payload"]))
    _hide()
    child = subprocess.Popen(
        settings["command"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    if os.geteuid() == 0:  # only starting the child took privileges
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        _hide()
    outputs: dict[str, bytes] = {"stdout": b"", "stderr": b""}

    def read(name: str, stream: IO[bytes]) -> None:
        while chunk := os.read(stream.fileno(), 65536):
            outputs[name] = (outputs[name] + chunk)[-settings["output"] :]

    def write(stream: IO[bytes]) -> None:
        with contextlib.suppress(BrokenPipeError), stream:
            stream.write(base64.b64decode(settings["stdin"]))

    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stderr is not None
    done = threading.Event()
    server = threading.Thread(target=trap.serve_until, args=[done], daemon=True)
    readers = [
        threading.Thread(target=read, args=["stdout", child.stdout], daemon=True),
        threading.Thread(target=read, args=["stderr", child.stderr], daemon=True),
    ]
    for thread in (server, *readers, threading.Thread(target=write, args=[child.stdin], daemon=True)):
        thread.start()
    status: int | None = None
    with contextlib.suppress(subprocess.TimeoutExpired):
        status = child.wait(settings["seconds"])
    done.set()
    end = time.monotonic() + 0.5
    for thread in (*readers, server):  # a process left behind may hold a line open: do not wait for it
        thread.join(max(0.0, end - time.monotonic()))
    report = {
        "status": None if status is None else status if status >= 0 else 128 - status,
        "stdout": _encode(outputs["stdout"]),
        "stderr": _encode(outputs["stderr"]),
        "requests": trap.requests,
    }
    text = json.dumps(report)
    sys.stdout.write(f"\n{sign(text, settings['key'])} {text}\n")
    sys.stdout.flush()
    os._exit(0)  # without waiting for threads


def read_report(output: str, key: str) -> dict[str, Any] | None:
    """What `keep` printed, with bytes for base64; None if ``output`` has no report signed with ``key``.

    Examples
    --------
    >>> read_report("0000 {}", "key") is None
    True
    >>> text = '{"status": 0, "stdout": "aGk=", "stderr": "", "requests": []}'
    >>> read_report(f"{sign(text, 'key')} {text}", "key")["stdout"]
    b'hi'
    """
    for line in output.splitlines():
        digest, _, text = line.partition(" ")
        if hmac.compare_digest(digest.encode(), sign(text, key).encode()):
            report = json.loads(text)
            return {
                "status": report["status"],
                "stdout": base64.b64decode(report["stdout"]),
                "stderr": base64.b64decode(report["stderr"]),
                "requests": [{**one, "body": base64.b64decode(one["body"])} for one in report["requests"]],
            }
    return None


def sign(text: str, key: str) -> str:
    """HMAC-SHA256 of ``text``, in hexadecimal digits."""
    return hmac.new(key.encode(), text.encode(), "sha256").hexdigest()


def _hide() -> None:
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
