"""The Inspect provider ``embedded/…``: a GGUF model in process, with no key and no network."""

from __future__ import annotations

from typing import Any

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    Content,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    Logprob,
    Logprobs,
    ModelAPI,
    ModelInfo,
    ModelOutput,
    ModelUsage,
    TopLogprob,
    set_model_info,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from molehunt.models.engine import MAX_CONTEXT, Engine, EngineError, Reply, WindowExceeded, load
from molehunt.models.weights import NoWeights, find_weights

DEFAULT_MAX_TOKENS = 512
"""Tokens of an answer where the caller sets no limit: a small model that runs on would hold up all others."""

MOST_ITEMS = 6
"""Items of a list under a schema that sets no bound: a small model repeats itself without end."""

CHARACTERS_PER_TOKEN = 2
"""Assumed for the longest string: low, so that JSON is closed before its tokens run out."""

READ = frozenset([*"0123456789", "yes", "no", "true", "false"])
"""Tokens whose probabilities are read, in small letters or capitals: scores and answers of one word."""

_one_at_a_time: RunVar[anyio.CapacityLimiter] = RunVar("molehunt_embedded")


class EmbeddedAPI(ModelAPI):
    """``embedded/smollm2-135m``, or ``embedded/PATH.gguf`` for any other GGUF model.

    Requests run off the event loop, one at a time. Asked for log-probabilities, it returns those of digits
    and of yes, no, true and false beside the most likely tokens, since scores are read from them.

    Parameters
    ----------
    model_name : ``smollm2-135m`` or a path.
    context : tokens of context (``-M context=16384``).
    threads : cores to use (``-M threads=4``).

    Raises
    ------
    ValueError
        If the model cannot be loaded; the message says what to do.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - Inspect's own signature
        context: int = MAX_CONTEXT,
        threads: int | None = None,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        try:
            self.engine: Engine = load(find_weights(model_name).path, context, threads)
        except (NoWeights, EngineError) as error:
            raise ValueError(str(error)) from error
        set_model_info(
            f"embedded/{model_name}",
            ModelInfo(organization="embedded", model=model_name, context_length=self.engine.context),
        )

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - Inspect's own signature
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Answer one conversation; a prompt beyond the window stops with ``model_length``."""
        if tools:
            raise ValueError("embedded models judge and do not act: they take no tools")
        messages = [{"role": message.role, "content": message.text} for message in input]
        options = _options(config)
        limiter = _limiter()
        try:
            reply = await anyio.to_thread.run_sync(
                lambda: self.engine.chat(messages, **options), limiter=limiter
            )
        except WindowExceeded as error:
            return ModelOutput.from_content(self.model_name, str(error), stop_reason="model_length")
        return _output(self.model_name, reply)

    async def count_text_tokens(self, text: str) -> int:
        """Tokens of ``text`` by the model's own tokenizer; nothing is downloaded."""
        return await anyio.to_thread.run_sync(self.engine.count, text)

    def max_connections(self) -> int:
        """One: a second request would only wait."""
        return 1

    def max_tokens(self) -> int:
        """See `DEFAULT_MAX_TOKENS`."""
        return DEFAULT_MAX_TOKENS


def _limiter() -> anyio.CapacityLimiter:
    try:
        return _one_at_a_time.get()
    except LookupError:
        limiter = anyio.CapacityLimiter(1)
        _one_at_a_time.set(limiter)
        return limiter


def _options(config: GenerateConfig) -> dict[str, Any]:
    wanted: dict[str, Any] = {
        "max_tokens": config.max_tokens,
        "temperature": config.temperature,
        "top_p": config.top_p,
        "top_k": config.top_k,
        "seed": config.seed,
        "stop": config.stop_seqs,
        "frequency_penalty": config.frequency_penalty,
        "presence_penalty": config.presence_penalty,
    }
    options = {name: value for name, value in wanted.items() if value is not None}
    options.setdefault("max_tokens", DEFAULT_MAX_TOKENS)
    if config.logprobs:
        # far more than are asked for, so that the digits are among them
        options |= {"logprobs": True, "top_logprobs": max(1000, config.top_logprobs or 0)}
    if config.response_schema is not None:
        longest = CHARACTERS_PER_TOKEN * options["max_tokens"] // MOST_ITEMS
        schema = _bounded(config.response_schema.json_schema.model_dump(exclude_none=True), longest)
        options["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": config.response_schema.name, "schema": schema},
        }
    return options


def _bounded(schema: Any, longest: int) -> Any:
    """``schema`` with a bound on every list and string (in characters) that has none."""
    if isinstance(schema, list):
        return [_bounded(part, longest) for part in schema]
    if not isinstance(schema, dict):
        return schema
    bounds = {"array": {"maxItems": MOST_ITEMS}, "string": {"maxLength": longest}}
    kind = schema.get("type")
    bound = bounds.get(kind, {}) if isinstance(kind, str) and "enum" not in schema else {}
    return {**bound, **{name: _bounded(part, longest) for name, part in schema.items()}}


def _output(model: str, reply: Reply) -> ModelOutput:
    content: list[Content] = []
    if reply.reasoning:
        content.append(ContentReasoning(reasoning=reply.reasoning))
    content.append(ContentText(text=reply.text))
    choice = ChatCompletionChoice(
        message=ChatMessageAssistant(content=content, model=model, source="generate"),
        stop_reason="max_tokens" if reply.stop == "length" else "stop",
        logprobs=_logprobs(reply) if reply.logprobs else None,
    )
    usage = ModelUsage(
        input_tokens=reply.prompt_tokens - reply.cached_tokens,
        input_tokens_cache_read=reply.cached_tokens,
        output_tokens=reply.output_tokens,
        total_tokens=reply.prompt_tokens + reply.output_tokens,
    )
    return ModelOutput(model=model, choices=[choice], usage=usage)


def _logprobs(reply: Reply, top: int = 20) -> Logprobs:
    tokens = []
    for token in reply.logprobs:
        ranked = token["top_logprobs"]
        kept = ranked[:top] + [other for other in ranked[top:] if other["token"].strip().lower() in READ]
        tokens.append(
            Logprob(
                token=token["token"],
                logprob=token["logprob"],
                bytes=token["bytes"],
                top_logprobs=[
                    TopLogprob(token=other["token"], logprob=other["logprob"], bytes=other["bytes"])
                    for other in kept
                ],
            )
        )
    return Logprobs(content=tokens)
