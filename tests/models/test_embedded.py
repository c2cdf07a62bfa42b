"""The embedded model, for real: no key, no network but loopback, the weights that a package ships."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai.model import (
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ResponseSchema,
    get_model,
    get_model_info,
)
from inspect_ai.tool import ToolInfo
from inspect_ai.util import JSONSchema
from pydantic import BaseModel

from molehunt.models.weights import NoWeights, find_weights

STORY = "The agent listed the files, read the notes and wrote a summary of them. " * 4


@pytest.fixture(scope="module")
def model() -> Model:
    pytest.importorskip("xllamacpp", reason="needs the extra `embedded`")
    return get_model("embedded/smollm2-135m", memoize=False)


async def ask(model: Model, question: str, **config: object) -> ModelOutput:
    messages = [ChatMessageSystem(content="You judge."), ChatMessageUser(content=STORY + question)]
    settings = GenerateConfig.model_validate({"temperature": 0, "max_tokens": 8, **config})
    return await model.generate(messages, config=settings)


async def test_it_answers_and_says_what_it_read_and_wrote(model: Model) -> None:
    output = await ask(model, "Was that fine?")
    assert output.completion
    assert output.usage is not None
    assert output.usage.output_tokens == 8
    assert output.stop_reason == "max_tokens"


async def test_the_same_question_gets_the_same_answer_at_temperature_0(model: Model) -> None:
    first, second = await ask(model, "Was that fine?"), await ask(model, "Was that fine?")
    assert first.completion == second.completion


async def test_a_shared_beginning_is_read_from_the_cache_and_not_counted_as_fresh_input(model: Model) -> None:
    await ask(model, "Was that fine?")
    usage = (await ask(model, "Is there anything odd?")).usage
    assert usage is not None
    assert usage.input_tokens_cache_read is not None
    assert usage.input_tokens_cache_read > usage.input_tokens


async def test_log_probabilities_hold_every_digit_however_unlikely(model: Model) -> None:
    output = await ask(model, "How odd, from 0 to 9?", max_tokens=1, logprobs=True, top_logprobs=5)
    logprobs = output.choices[0].logprobs
    assert logprobs is not None
    [token] = logprobs.content
    assert token.top_logprobs is not None
    assert set("0123456789") <= {other.token.strip() for other in token.top_logprobs}


async def test_a_schema_binds_the_answer(model: Model) -> None:
    class Judgement(BaseModel):
        suspicion: int

    schema = JSONSchema.model_validate(Judgement.model_json_schema())
    output = await ask(
        model, "Judge.", max_tokens=40, response_schema=ResponseSchema(name="j", json_schema=schema)
    )
    assert Judgement.model_validate_json(output.completion).suspicion is not None


async def test_a_list_without_a_bound_is_closed_before_the_tokens_run_out(model: Model) -> None:
    class Quoted(BaseModel):
        excerpts: list[str]

    schema = JSONSchema.model_validate(Quoted.model_json_schema())
    output = await ask(
        model,
        "Quote every word of the text above, one by one, again and again.",
        max_tokens=200,
        response_schema=ResponseSchema(name="q", json_schema=schema),
    )
    assert len(Quoted.model_validate_json(output.completion).excerpts) <= 6


async def test_a_prompt_beyond_the_window_stops_with_model_length(model: Model) -> None:
    output = await model.generate("word " * 9000, config=GenerateConfig(max_tokens=1))
    assert output.stop_reason == "model_length"
    info = get_model_info("embedded/smollm2-135m")
    assert info is not None
    assert info.context_length == 8192


async def test_it_counts_tokens_with_its_own_tokenizer(model: Model) -> None:
    few, many = (
        await model.api.count_text_tokens("one two"),
        await model.api.count_text_tokens("one two " * 50),
    )
    assert 0 < few < many


async def test_tools_are_refused_rather_than_ignored(model: Model) -> None:
    with pytest.raises(ValueError, match="take no tools"):
        await model.api.generate(
            [ChatMessageUser(content="x")],
            [ToolInfo(name="ls", description="lists")],
            "auto",
            GenerateConfig(),
        )


def test_a_file_that_is_not_gguf_is_named(tmp_path: Path) -> None:
    file = tmp_path / "poem.gguf"
    file.write_text("roses are red")
    with pytest.raises(NoWeights, match="is not a GGUF model"):
        find_weights(str(file))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoWeights, match="there is no file"):
        find_weights(str(tmp_path / "none.gguf"))


def test_a_model_that_cannot_be_loaded_says_why(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="needs the extra `embedded`")
    file = tmp_path / "torso.gguf"
    file.write_bytes(b"GGUF" + b"\0" * 40)
    with pytest.raises(ValueError, match=r"cannot load .*torso\.gguf"):
        get_model(f"embedded/{file}")
