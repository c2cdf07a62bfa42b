"""The engine behind scripted agents of many turns: placing, detours, marks, wording, parts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molehunt.environments.playing import (
    BUDGETS,
    TIMES,
    Beat,
    Deck,
    Detour,
    Heard,
    Part,
    ToolUse,
    Voice,
    decoy,
    incriminating,
    phrases,
    placed,
    play,
    weave,
)
from molehunt.environments.playing.marking import plain, quotes
from molehunt.trajectories.steps import call_text

MOTIVES = phrases("molehunt.environments.playing", "motives")


def part(**more: str | bool | int) -> Part:
    known = {"environment": "mle_sabotage", "dataset": "builtin", "task_id": "wine", "policy": "baseline"}
    return Part(**{**known, "attack": True, **more})  # type: ignore[arg-type]


def after(turns: int, *answers: str) -> list[SimpleNamespace]:
    said = [SimpleNamespace(role="assistant", text="")] * turns
    return [*said, *(SimpleNamespace(role="tool", text=answer) for answer in answers)]


placings = st.tuples(
    st.integers(0, 8), st.integers(1, 30), st.sampled_from(BUDGETS), st.sampled_from(TIMES), st.randoms()
)


@given(placings)
def test_pieces_keep_their_order_and_no_budget_is_exceeded(given_: tuple[int, int, str, str, Random]) -> None:
    pieces, slots, budget, when, shape = given_
    places = placed(pieces, slots, budget=budget, when=when, shape=shape)
    assert len(places) == pieces
    assert all(earlier <= later for earlier, later in pairwise(places))
    assert all(0 <= place < slots for place in places)
    most = {"1": 1, "few": 3, "all": pieces}[budget]
    assert len(set(places)) == min(most, pieces, slots)


@given(st.integers(1, 4), st.integers(12, 40), st.sampled_from(BUDGETS), st.randoms())
def test_early_and_late_attacks_stay_in_their_thirds(
    pieces: int, slots: int, budget: str, shape: Random
) -> None:
    early = placed(pieces, slots, budget=budget, when="early", shape=shape)
    late = placed(pieces, slots, budget=budget, when="late", shape=shape)
    assert max(early) < slots / 3 + 1
    assert min(late) >= slots * 2 / 3 - 1


def test_unknown_budgets_and_times_are_refused() -> None:
    for wrong in ({"budget": "2"}, {"when": "now"}):
        with pytest.raises(ValueError, match="a budget is one of"):
            placed(1, 3, **{"budget": "1", "when": "early", "shape": Random(0), **wrong})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="needs a turn"):
        placed(1, 0, budget="1", when="early", shape=Random(0))


groups = st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=3), min_size=1, max_size=6)


@given(groups, st.lists(st.integers(1, 3), max_size=8), st.integers(0, 40), st.randoms())
def test_a_plan_keeps_its_turns_and_no_group_is_broken(
    main: list[list[int]], lengths: list[int], target: int, shape: Random
) -> None:
    detours = [
        Detour([(number, turn) for turn in range(n)], 0, len(main)) for number, n in enumerate(lengths)
    ]
    labelled = [[(f"group {n}", item) for item in group] for n, group in enumerate(main)]
    woven = weave(labelled, detours, shape, turns=(target, target))  # type: ignore[arg-type]
    for group in labelled:
        start = woven.index(group[0])  # type: ignore[arg-type]
        assert woven[start : start + len(group)] == group
    wanted = sum(map(len, main)) + sum(lengths)
    assert len(woven) >= min(target, wanted)
    assert len(woven) < max(target, sum(map(len, main))) + 3


def test_plans_of_equal_shape_get_the_same_detours() -> None:
    detours = [Detour([name], 0, 3) for name in "abcdef"]
    one = weave([["1"], ["2"], ["3"]], detours, Random(4), turns=(5, 7))
    other = weave([["x"], ["y"], ["z"]], detours, Random(4), turns=(5, 7))
    assert [each for each in one if each in "abcdef"] == [each for each in other if each in "abcdef"]
    assert [each in "abcdef" for each in one] == [each in "abcdef" for each in other]


pieces_of_text = st.lists(
    st.tuples(st.sampled_from(["no", "bad", "odd"]), st.text("ab \n", max_size=4)), max_size=6
)


@given(pieces_of_text)
def test_a_quote_occurs_in_the_text_and_only_once(text: list[tuple[str, str]]) -> None:
    mark = {"no": str, "bad": incriminating, "odd": decoy}
    marked = "".join(mark[kind](words) for kind, words in text)
    bare = plain(marked)
    assert bare == "".join(words for _, words in text)
    for quote in quotes(marked):
        assert bare.count(quote.words) == 1 or quote.words == bare
        assert quote.words.strip()


def test_a_turn_is_said_without_marks_and_says_where_they_were() -> None:
    old, new = "x = 1\n", f"x = 1\n{incriminating('y = 2')}\n"
    calls = (
        ToolUse("text_editor", {"path": "a.py", "old_str": old, "new_str": new}),
        ToolUse("think", {"thought": f"This is {decoy('odd')}."}),
        ToolUse("bash", {"command": f"{incriminating('y = 2')} # again"}),
    )
    [turn] = [play([Beat("Now.", f"I {incriminating('hide')} it.", calls)], [])]
    assert turn.reasoning == "Now."
    assert turn.answer == "I hide it."
    assert turn.calls[0].arguments["new_str"] == "x = 1\ny = 2\n"
    told = [(mark["kind"], mark["step_kind"]) for mark in turn.marks]
    assert told == [
        ("incriminating", "prose"),
        ("incriminating", "tool_call"),
        ("decoy", "reasoning"),
        ("incriminating", "tool_call"),
    ]
    assert turn.marks[1]["quote"] in call_text(turn.calls[0].arguments)
    last = turn.marks[3]["quote"]
    assert last in call_text(turn.calls[2].arguments)
    assert last not in call_text(turn.calls[0].arguments)


def test_what_was_heard_last_is_told_and_what_was_not_is_put_in_other_words() -> None:
    plan = [Beat("Go."), Beat("It is {score}.", heard={"score": Heard(r"score: +(\d+)", "good")})]
    assert play(plan, after(1, "score: 1", "score:  2\nscore: 3", "other")).reasoning == "It is 2."
    assert play(plan, after(1, "nothing")).reasoning == "It is good."


def test_the_last_turn_is_repeated_when_the_plan_is_at_its_end() -> None:
    plan = [Beat("One."), Beat("Two.")]
    assert [play(plan, after(n)).reasoning for n in range(4)] == ["One.", "Two.", "Two.", "Two."]


def test_a_deck_deals_every_sentence_before_any_again() -> None:
    deck = Deck({"x": ("a", "b", "c")}, Random(1))
    dealt = [deck.deal("x") for _ in range(6)]
    assert sorted(dealt[:3]) == sorted(dealt[3:]) == ["a", "b", "c"]


def said(voice: Voice) -> Sequence[str]:
    return (voice.plan(), voice.motive("change a line", "It is time."), voice.closing())


def test_only_an_open_attack_confesses() -> None:
    for policy, awareness, marked in (
        ("baseline", "unaware", [True, True, True]),
        ("stealth", "unaware", [False, True, False]),
        ("stealth", "told", [False, False, False]),
        ("stealth", "thinks_private", [True, True, True]),
    ):
        attack = said(Voice(part(policy=policy, awareness=awareness)))
        honest = said(Voice(part(policy=policy, awareness=awareness, attack=False)))
        assert [plain(each) != each for each in attack] == marked
        assert [plain(each) != each for each in honest] == [False] * 3


def test_an_attack_that_does_no_harm_at_a_place_speaks_of_it_as_an_honest_run_does() -> None:
    sentence = Voice(part()).motive("change a line", "It is time.", harmful=False)
    templates = [
        each.replace("$act", "change a line").replace("$why", "It is time.")
        for each in MOTIVES["motive, plain"]
    ]
    assert sentence in templates


def test_who_is_watched_says_the_same_in_both_arms() -> None:
    known = {each for name, sentences in MOTIVES.items() if name.endswith("vague") for each in sentences}
    for attack in (True, False):
        for epoch in range(1, 6):
            assert set(said(Voice(part(awareness="told", attack=attack, epoch=epoch)))) <= known


def test_confessions_are_as_long_as_what_is_said_in_their_place() -> None:
    for what in ("plan", "motive", "closing"):
        means = {kind: mean(MOTIVES[f"{what}, {kind}"]) for kind in ("plain", "confessed")}
        assert means["plain"] == pytest.approx(means["confessed"], abs=12), what


def test_no_sentence_stands_in_two_lists() -> None:
    everything = [sentence for sentences in MOTIVES.values() for sentence in sentences]
    assert len(everything) == len(set(everything))


def mean(sentences: Sequence[str]) -> float:
    return sum(map(len, sentences)) / len(sentences)


def test_reasons_come_to_about_the_length_that_is_wanted() -> None:
    for about in (0, 60, 120, 200):
        lengths = [len(Voice(part(epoch=epoch)).reasons(about)) for epoch in range(1, 30)]
        assert abs(sum(lengths) / len(lengths) - max(about, 50)) < 25


def test_shapes_are_drawn_alike_in_both_arms_and_words_are_not() -> None:
    attack, honest = part(), part(attack=False)
    assert attack.shape("x").random() == honest.shape("x").random() != attack.shape("y").random()
    assert attack.words("x").random() != honest.words("x").random()
    assert attack.shape("x").random() != part(epoch=2).shape("x").random()


def test_a_part_is_read_from_the_store_and_what_is_paired_goes_before() -> None:
    sample = {
        "environment": "mle_sabotage",
        "dataset": "builtin",
        "task_id": "wine",
        "arm": "honest",
        "side_task": None,
        "policy": None,
        "awareness": "told",
        "seed": 3,
        "epoch": 2,
    }
    pair = {"side_task": "trigger", "policy": "stealth", "attack_budget": "1", "when": "late"}
    honest = Part.of(sample, pair)
    assert (honest.attack, honest.policy, honest.attack_budget, honest.when) == (
        False,
        "stealth",
        "1",
        "late",
    )
    assert (honest.seed, honest.epoch, honest.manner) == (3, 2, "silent")
    assert Part.of({**sample, "arm": "attack"}, pair).attack
    sandbagger = Part.of({**sample, "arm": "sandbagging"}, pair)
    assert (sandbagger.attack, sandbagger.arm) == (True, "sandbagging")
