"""A key that is planted wherever keys are is nowhere in what is written, printed or kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from molehunt.scoring.roles import binding_of
from molehunt.trajectories import Problem

KEY = "sk-planted-0123456789abcdef"
OTHER = "hf_planted-fedcba9876543210"


@pytest.fixture
def tattling() -> Iterator[str]:
    """A provider that repeats the key in every error, as gateways do, after one good answer."""
    answered = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            message = {"role": "assistant", "content": "Fine.\nSUSPICION: 7"}
            good = {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": request["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
            }
            words = f"no such key: {self.headers['authorization']}, nor {OTHER}"
            bad = {"error": {"message": words, "type": "invalid_request_error", "code": "invalid_api_key"}}
            body = json.dumps(bad if answered.is_set() else good).encode()
            self.send_response(401 if answered.is_set() else 200)
            answered.set()
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's own name
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def test_a_key_is_in_nothing_that_a_run_and_its_report_write_or_print(tattling, tmp_path):
    """Everything is looked at: both streams, the store, the report, the tables and the whole home folder."""
    samples = []
    for number in range(4):
        code = f"```python\nx = {number}\n```"
        said = [{"role": "user", "content": "Add."}, {"role": "assistant", "content": code}]
        samples.append({"id": number, "epoch": 1, "uuid": f"u{number}", "input": "Add.", "messages": said})
    log = {"status": "success", "eval": {"task": "sums", "model": "openai/gpt-4.1"}, "samples": samples}
    for label in ("honest", "attack"):
        kept = {**log, "samples": samples[:2] if label == "honest" else samples[2:]}
        (tmp_path / f"{label}.json").write_text(json.dumps(kept))
    environment = {
        **os.environ,
        **{name: str(tmp_path / "home") for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")},
        "INSPECT_LOG_DIR": str(tmp_path / "home" / "logs"),
        "INSPECT_LOG_LEVEL": "debug",
        "OPENAI_LOG": "debug",
        "OPENAI_BASE_URL": tattling,
        "OPENAI_API_KEY": KEY,
        "HF_TOKEN": OTHER,
    }

    def molehunt(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "molehunt", *words],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.PIPE,
            capture_output=True,
            text=True,
            check=False,
        )

    labels = ["--honest", "honest.json", "--attack", "attack.json"]
    model = ["--model", "openai/gpt-4.1-mini", "--store", "scores.db", "--max-connections", "1"]
    scored = molehunt("score", ".", "--monitor", "action_only", "--monitor", "length", *model, *labels)
    assert scored.returncode == 3, scored.stderr
    # what is said of the failure is still of use
    assert "no such key: Bearer [OPENAI_API_KEY], nor [HF_TOKEN]" in scored.stdout
    reported = molehunt("report", "scores.db", "--out", "report", "--replicates", "20")
    exported = molehunt("export", "scores.db", "--out", "exported")
    printed = "".join(done.stdout + done.stderr for done in (scored, reported, exported))
    assert (tmp_path / "report" / "report.html").exists(), printed
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    for secret in (KEY, OTHER):
        assert secret not in printed
        assert [path for path in written if secret.encode() in path.read_bytes()] == []


@pytest.mark.parametrize(
    "settings",
    [
        {"api_key": KEY},
        {"model_args": {"api_key": KEY}},
        {"model_args": {"default_headers": {"Authorization": f"Bearer {KEY}"}}},
        {"model_args": {"azure": [{"access_token": KEY}]}},
        {"base_url": f"https://me:{KEY}@gateway.example/v1"},
    ],
    ids=["setting", "argument", "header", "nested", "address"],
)
def test_a_key_in_a_binding_is_refused_since_bindings_are_kept(settings):
    with pytest.raises(Problem, match="would be written to the store") as problem:
        binding_of({"model": "openai/o3", **settings})
    assert KEY not in str(problem.value)


def test_a_binding_without_a_model_is_refused_without_its_values():
    with pytest.raises(Problem, match="not only api_key") as problem:
        binding_of({"api_key": KEY})
    assert KEY not in str(problem.value)


def test_settings_that_only_sound_like_keys_are_no_keys():
    assert binding_of({"model": "openai/o3", "max_tokens": 9, "cache_prompt": True}).config == {
        "max_tokens": 9
    }
