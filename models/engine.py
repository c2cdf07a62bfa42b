"""One loaded model: chat, log-probabilities and token counts, one request at a time."""

from __future__ import annotations

import functools
import json
import os
import secrets
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_CONTEXT = 32_768
"""Tokens of context at most, unless asked otherwise: a long-context model's full window can exceed memory."""

PROMPTS_KEPT = 512
"""MiB of earlier prompts kept for reuse; llama.cpp's own limit is 8 GiB, which a long run would fill."""


class EngineError(RuntimeError):
    """The engine would not load a model or answer a request; the message is its own."""


class WindowExceeded(EngineError):
    """A prompt is longer than the model's context window."""


@dataclass(frozen=True)
class Reply:
    """What a model said.

    Parameters
    ----------
    text, reasoning : what it wrote, and what it wrote inside a thinking block.
    stop : ``stop`` or ``length``.
    logprobs : per output token, its alternatives as the engine returns them.
    prompt_tokens, cached_tokens, output_tokens : prompt tokens include the cached ones.
    """

    text: str
    reasoning: str
    stop: str
    logprobs: list[dict[str, Any]]
    prompt_tokens: int
    cached_tokens: int
    output_tokens: int


class Engine:
    """A GGUF model in this process, through llama.cpp.

    A prompt that begins like the one before it reuses that part of the key–value cache. Results are the same
    to the bit for the same order of calls; a cached beginning can move a log-probability by about 0.1.

    Parameters
    ----------
    path : the GGUF file.
    context : tokens of context; the model's own window is never exceeded.
    threads : cores to use; one is left to the rest by default, since oversubscribed threads crawl.

    Raises
    ------
    EngineError
        If the engine is not installed or cannot load the file.
    """

    def __init__(self, path: Path, context: int = MAX_CONTEXT, threads: int | None = None) -> None:
        try:
            import xllamacpp
        except ImportError as error:
            raise EngineError("embedded models need the extra: pip install 'molehunt[embedded]'") from error
        self._key = secrets.token_urlsafe(24)
        cores = threads or max(1, (os.cpu_count() or 2) - 1)
        params = xllamacpp.CommonParams()
        params.model.path = str(path)
        params.n_ctx = context
        params.n_parallel = 1
        params.cpuparams.n_threads = cores
        params.cpuparams_batch.n_threads = cores
        params.cache_ram_mib = PROMPTS_KEPT
        params.verbosity = -1
        # the engine listens on a loopback port, on which tokens are counted; nobody else may use it
        params.api_keys = [self._key]
        params.ui = False
        params.offline = True
        try:
            self._server = xllamacpp.Server(params)
        except RuntimeError as error:
            raise EngineError(f"llama.cpp cannot load {path}: {error}") from error
        self.context = int(self._http("/props")["default_generation_settings"]["n_ctx"])

    def chat(self, messages: list[dict[str, str]], **options: Any) -> Reply:
        """Answer ``messages``, each with ``role`` and ``content``; ``options`` are llama.cpp's own.

        Raises
        ------
        WindowExceeded
            If the prompt does not fit the context window.
        EngineError
            If llama.cpp refuses the request.
        """
        answer = self._server.handle_chat_completions({"messages": messages, **options})
        if "error" in answer:
            kind = (
                WindowExceeded if answer["error"].get("type") == "exceed_context_size_error" else EngineError
            )
            raise kind(answer["error"]["message"])
        choice, usage = answer["choices"][0], answer["usage"]
        return Reply(
            text=choice["message"].get("content") or "",
            reasoning=choice["message"].get("reasoning_content") or "",
            stop=choice["finish_reason"],
            logprobs=(choice.get("logprobs") or {}).get("content") or [],
            prompt_tokens=usage["prompt_tokens"],
            cached_tokens=usage["prompt_tokens_details"]["cached_tokens"],
            output_tokens=usage["completion_tokens"],
        )

    def count(self, text: str) -> int:
        """Number of tokens of ``text``, by the model's own tokenizer."""
        return len(self._http("/tokenize", {"content": text})["tokens"])

    def _http(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        request = urllib.request.Request(
            self._server.listening_address + path,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"},
        )
        # no proxy of the environment may stand between this process and its own port
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=60) as response:
            answer: dict[str, Any] = json.load(response)
        return answer


@functools.cache
def load(path: Path, context: int = MAX_CONTEXT, threads: int | None = None) -> Engine:
    """The engine of ``path``, loaded once in a process however many models ask for it."""
    return Engine(path, context, threads)
