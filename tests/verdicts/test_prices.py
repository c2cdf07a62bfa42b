"""What tokens cost, and that an unknown price is never nothing."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molehunt.trajectories import Problem
from molehunt.verdicts import Tokens
from molehunt.verdicts.prices import COLUMNS, TABLE, Price, PriceTable
from molehunt.verdicts.snapshots import alias

COMMON = PriceTable.load()
ON_THIS_MACHINE = (
    "embedded/smollm2-135m",
    "embedded//models/a.gguf",
    "scripted/saboteur",
    "mockllm/model",
    "none/none",
)


def found(model: str, table: PriceTable = COMMON) -> Price:
    price = table.find(model)
    assert price is not None
    return price


@pytest.mark.parametrize(
    ("model", "dollars"),
    [
        ("openai/gpt-4.1", (2.0, 8.0)),
        ("openai/gpt-4.1-mini", (0.4, 1.6)),
        ("openai/gpt-4o-mini", (0.15, 0.6)),
        ("openai/o3", (2.0, 8.0)),
        ("openai/gpt-5-nano", (0.05, 0.4)),
        ("anthropic/claude-3-5-haiku-20241022", (0.8, 4.0)),
        ("anthropic/claude-3-7-sonnet-latest", (3.0, 15.0)),
        ("anthropic/claude-sonnet-4-20250514", (3.0, 15.0)),
        ("anthropic/claude-opus-4-0", (15.0, 75.0)),
        ("anthropic/claude-haiku-4-5-20251001", (1.0, 5.0)),
        ("google/gemini-2.0-flash-001", (0.1, 0.4)),
        ("google/gemini-2.5-pro", (1.25, 10.0)),
        ("grok/grok-4-0709", (3.0, 15.0)),
    ],
)
def test_usual_monitor_models_have_their_list_price(model: str, dollars: tuple[float, float]) -> None:
    price = found(model)
    assert (price.input, price.output) == dollars


@pytest.mark.parametrize(
    ("asked", "listed"),
    [
        ("openai/gpt-4.1-mini-2025-04-14", "openai/gpt-4.1-mini"),
        ("gpt-4.1-mini-2025-04-14", "openai/gpt-4.1-mini"),
        ("gpt-4.1", "openai/gpt-4.1"),
        ("OpenAI/GPT-4.1 ", "openai/gpt-4.1"),
        ("gpt-4o-2024-08-06", "openai/gpt-4o"),
        ("gpt-4o-2024-05-13", "openai/gpt-4o-2024-05-13"),
        ("claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5"),
        ("claude-opus-4-1", "anthropic/claude-opus-4-1"),
    ],
)
def test_a_snapshot_has_its_aliass_price_unless_it_has_its_own(asked: str, listed: str) -> None:
    assert found(asked).model == listed


@pytest.mark.parametrize(
    "model",
    [
        "openai/gpt-4.1-micro",
        "gpt-4",
        "gpt",
        "",
        "mini",
        "azureai/gpt-4.1",
        "openrouter/openai/gpt-4.1",
        "embedded",
    ],
)
def test_a_price_that_is_not_listed_is_unknown(model: str) -> None:
    assert COMMON.find(model) is None


@pytest.mark.parametrize("model", ON_THIS_MACHINE)
def test_what_runs_on_this_machine_costs_nothing_and_the_table_says_why(model: str) -> None:
    price = found(model)
    assert price.usd_billed(Tokens(10**6, 10**6, 10**6, 10**6)) == 0
    assert price.source == "runs on this machine"


def test_every_row_of_the_table_has_a_source_and_a_day() -> None:
    rows = [line for line in TABLE.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    assert rows[0] == ",".join(COLUMNS)
    for row in rows[1:]:
        *_, day, source = row.split(",")
        assert source.startswith("https://") == bool(day), row
        assert source, row
        assert not day or datetime.date(2025, 1, 1) < datetime.date.fromisoformat(day), row


def test_a_day_has_the_newest_price_up_to_it() -> None:
    before, after = datetime.date(2025, 6, 9), datetime.date(2025, 6, 10)
    prices = [COMMON.find("openai/o3", on=day) for day in (before, after)]
    assert [price and price.output for price in prices] == [40.0, 8.0]
    assert COMMON.find("openai/o3", on=datetime.date(2025, 1, 1)) is None


def test_uncached_dollars_price_every_token_at_the_list() -> None:
    price = Price("m", input=2, cache_read=0.5, cache_write=2.5, output=8)
    tokens = Tokens(input=1000, cache_read=2000, cache_write=3000, output=400, reasoning=100)
    assert price.usd_uncached(tokens) == pytest.approx((6000 * 2 + 400 * 8) / 1e6)
    assert price.usd_billed(tokens) == pytest.approx((1000 * 2 + 2000 * 0.5 + 3000 * 2.5 + 400 * 8) / 1e6)


counts = st.integers(0, 10**7)
dollars = st.floats(0, 1000)


@given(st.builds(Tokens, counts, counts, counts, counts), dollars, dollars)
def test_without_prices_of_a_cache_the_bill_is_the_list_price(
    tokens: Tokens, inward: float, outward: float
) -> None:
    price = Price("m", inward, None, None, outward)
    assert price.usd_billed(tokens) == pytest.approx(price.usd_uncached(tokens))


def test_what_is_said_on_the_command_line_goes_before_a_file_and_a_file_before_the_table(
    tmp_path: Path,
) -> None:
    file = tmp_path / "prices.csv"
    file.write_text(
        "# ours, negotiated\n\nmodel,output,input,cache_read\n"
        "openai/gpt-4.1,5,1,0.1\nopenai/gpt-4.1-mini,6,2,\n"
    )
    table = PriceTable.load(
        file, ["gpt-4.1-mini=3,4", "openai/gpt-4.1-nano=1,2", "openai/gpt-4.1-nano=7,8,0.7,9"]
    )
    assert found("openai/gpt-4.1", table) == Price(
        "openai/gpt-4.1", 1, 0.1, None, 5, None, "a table of the user's"
    )
    mini = found("openai/gpt-4.1-mini-2025-04-14", table)
    assert (mini.input, mini.output, mini.source) == (3, 4, "--price")
    nano = found("openai/gpt-4.1-nano", table)
    assert (nano.input, nano.output, nano.cache_read, nano.cache_write) == (7, 8, 0.7, 9)
    assert found("openai/gpt-4o", table) == found("openai/gpt-4o")


def test_an_override_may_stand_for_a_providers_every_model() -> None:
    table = PriceTable.load(overrides=["ollama/*=0,0"])
    assert found("ollama/llama3:8b", table).output == 0
    assert table.find("ollamas/llama3") is None
    but_one = PriceTable.load(overrides=["ollama/big=1,2", "ollama/*=0,0"])
    assert found("ollama/big", but_one).output == 2


def test_a_name_that_two_providers_have_is_in_doubt_and_so_unknown() -> None:
    table = PriceTable.load(overrides=["together/llama=1,2", "groq/llama=3,4"])
    assert table.find("llama") is None
    assert found("groq/llama", table).input == 3


@pytest.mark.parametrize(
    "text",
    [
        "",
        "m",
        "m=",
        "m=1",
        "m=1,2,3",
        "m=1,2,3,4,5",
        "=1,2",
        "m=a,b",
        "m=-1,2",
        "m=nan,2",
        "m=inf,2",
        "m=1;2",
    ],
)
def test_a_bad_override_is_one_line_with_the_right_form(text: str) -> None:
    with pytest.raises(Problem, match=r"MODEL=INPUT,OUTPUT,CACHE_READ,CACHE_WRITE") as caught:
        PriceTable.load(overrides=[text])
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "empty"),
        ("# only a remark\n", "empty"),
        ("model,input\nm,1\n", "line 1: the columns are model, input"),
        ("model,input,output,cached\nm,1,2,3\n", "line 1: the columns are"),
        ("model,input,output,input\nm,1,2,3\n", "line 1: the columns are"),
        ("model,input,output\nm,1,2\n\n# remark\nn,1,cheap\n", "line 5: 'cheap' is not a price"),
        ("model,input,output\nm,,2\n", "line 2: '' is not a price"),
        ("model,input,output\n,1,2\n", "line 2: no model"),
        ("model,input,output\nm,1\n", "line 2: '' is not a price"),
        ("model,input,output\nm,1,2,3\n", "line 2: more cells"),
        ("model,input,output\nm,1,-2\n", "line 2: -2 is not a price"),
        ("model,input,output\nm,1,nan\n", "line 2: nan is not a price"),
        ("model,input,output,date\nm,1,2,yesterday\n", "line 2: .*yesterday"),
        ("model,input,output\nm,1,2\nm,1,3\n", "line 3: m has another price"),
    ],
)
def test_a_bad_row_of_a_users_table_is_named_by_its_line(
    tmp_path: Path, content: str, complaint: str
) -> None:
    file = tmp_path / "prices.csv"
    file.write_text(content)
    with pytest.raises(Problem, match=complaint) as caught:
        PriceTable.load(file)
    assert str(file) in str(caught.value)


def test_a_table_that_is_missing_or_no_text_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="cannot read the price table"):
        PriceTable.load(tmp_path / "none.csv")
    file = tmp_path / "prices.csv"
    file.write_bytes(b"\xff\xfe\x00m")
    with pytest.raises(Problem, match="UTF-8"):
        PriceTable.load(file)


@given(st.sampled_from(["gpt-4.1-mini", "openai/o3", "claude-sonnet-4"]), st.dates())
def test_any_date_behind_a_name_is_taken_for_a_snapshot(name: str, day: datetime.date) -> None:
    assert alias(f"{name}-{day.isoformat()}") == name
    assert (
        alias(f"{name}-{day:%Y%m%d}".replace(f"-{day:%Y%m%d}", f"-{day.isoformat().replace('-', '')}"))
        == name
    )
