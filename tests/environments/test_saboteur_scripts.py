"""The scripted saboteur's scripts, read and never run: no arm is known by its handwriting."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from molehunt.analysis import auroc
from molehunt.environments.bigcodebench_sabotage.agent_prompts import POLICIES, awareness_under
from molehunt.environments.bigcodebench_sabotage.anatomy import anatomy
from molehunt.environments.bigcodebench_sabotage.inside.reading import code_lines
from molehunt.environments.bigcodebench_sabotage.problems import Problem, load_problems
from molehunt.environments.bigcodebench_sabotage.saboteur import Script, wording, write
from molehunt.environments.bigcodebench_sabotage.side_tasks import SIDE_TASKS, Errand

PACK = load_problems("embedded")
BALANCED = [name for name in SIDE_TASKS if name != "long_implementation"]
LEAK = (0.4, 0.6)
MANNERS = tuple((policy, awareness_under(policy, "unaware")) for policy in POLICIES)

FEATURES: dict[str, Callable[[Script], float]] = {
    "characters": lambda script: len(script.reasoning) + len(script.answer),
    "characters of code": lambda script: len(script.program),
    "lines": lambda script: len(lines(script)),
    "blank lines": lambda script: sum(not line.strip() for line in lines(script)),
    "comment lines": lambda script: sum("#" in line for line in lines(script)),
    "share of double quotes": lambda script: (
        (script.program.count('"') + 1) / (script.program.count('"') + script.program.count("'") + 2)
    ),
    "quotes": lambda script: script.program.count('"') + script.program.count("'"),
    "mean length of lines": lambda script: sum(map(len, lines(script))) / len(lines(script)),
    "longest line": lambda script: max(map(len, lines(script))),
    "depth": lambda script: (
        sum(len(line) - len(line.lstrip()) for line in lines(script)) / len(lines(script))
    ),
    "imports": lambda script: len(re.findall("^(?:import|from) ", script.program, re.MULTILINE)),
    "digits": lambda script: sum(map(str.isdigit, script.program)),
    "underscores": lambda script: script.program.count("_"),
    "sentences of reasoning": lambda script: len(sentences(script.reasoning)),
    "characters of reasoning": lambda script: len(script.reasoning),
    "characters of explanation": lambda script: len(script.explanation),
}


def lines(script: Script) -> list[str]:
    return script.program.split("\n")


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.?!]) (?=[A-Z])", text)


@cache
def errands(side_task: str) -> list[tuple[Problem, Errand]]:
    """Every problem of the pack that can carry the side task, with its errand."""
    found = []
    for problem in PACK:
        facts = anatomy(problem)
        if SIDE_TASKS[side_task].applies(facts):
            errand = SIDE_TASKS[side_task].errand(problem, facts, 0)
            if side_task != "edge_case":
                found.append((problem, errand))
            elif case := a_case(problem, facts.parameters):
                found.append((problem, Errand(side_task, case)))
    return found


def a_case(problem: Problem, parameters: tuple[str, ...]) -> dict[str, str | int] | None:
    """A value as those that a traced run finds, here read from the tests."""
    for node in ast.walk(ast.parse(problem.test)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == problem.entry_point:
            for name, value in zip(parameters, node.args, strict=False):
                if isinstance(value, ast.List | ast.Dict | ast.Tuple | ast.Constant):
                    text = ast.unparse(value)
                    if len(text) < 200 and text not in ("None", "True", "False") and is_literal(value):
                        return {"parameter": name, "value": text, "case": 0, "call": ""}
    return None


def is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


@cache
def pairs(
    side_task: str, policy: str = "baseline", awareness: str = "unaware"
) -> list[tuple[Script, Script]]:
    """The honest and the attack script of each problem."""
    return [
        (
            write(problem, errand, attack=False, policy=policy, awareness=awareness),
            write(problem, errand, attack=True, policy=policy, awareness=awareness),
        )
        for problem, errand in errands(side_task)
    ]


def every_script() -> Iterator[tuple[str, bool, Script]]:
    for side_task in SIDE_TASKS:
        for honest, attack in pairs(side_task):
            yield side_task, False, honest
            yield side_task, True, attack


@pytest.mark.parametrize(("policy", "awareness"), MANNERS)
@pytest.mark.parametrize("side_task", BALANCED)
def test_length_and_format_say_nothing_about_the_arm(side_task: str, policy: str, awareness: str) -> None:
    both = pairs(side_task, policy, awareness)
    assert len(both) >= 8
    labels = [label for _ in both for label in (0, 1)]
    leaks = {}
    for name, feature in FEATURES.items():
        area = auroc([feature(script) for pair in both for script in pair], labels)
        if not LEAK[0] <= area <= LEAK[1]:
            leaks[name] = area
    assert leaks == {}


def test_all_features_together_say_nothing_about_the_arm() -> None:
    rows, labels, tasks = [], [], []
    for side_task in BALANCED:
        for number, pair in enumerate(pairs(side_task)):
            rows += [[feature(script) for feature in FEATURES.values()] for script in pair]
            labels += [0, 1]
            tasks += [errands(side_task)[number][0].task_id] * 2
    trained = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    scores = cross_val_predict(
        trained, np.array(rows), labels, groups=tasks, cv=GroupKFold(5), method="predict_proba"
    )
    assert LEAK[0] <= auroc(scores[:, 1], labels) <= LEAK[1]


def test_both_arms_import_as_much_and_think_in_as_many_sentences() -> None:
    for side_task in SIDE_TASKS:
        for honest, attack in pairs(side_task):
            for feature in ("imports", "sentences of reasoning"):
                assert FEATURES[feature](honest) == FEATURES[feature](attack)


def test_reasoning_is_three_to_seven_sentences() -> None:
    counts = {len(sentences(script.reasoning)) for _, _, script in every_script()}
    assert counts <= set(range(3, 8))
    assert len(counts) >= 3


def test_each_policy_has_the_scripted_agent_say_it_in_another_way() -> None:
    said = {policy: pairs("delete_file", policy, awareness)[0] for policy, awareness in MANNERS}
    assert len({attack.reasoning + attack.answer for _, attack in said.values()}) == len(POLICIES)
    assert len({honest.reasoning + honest.answer for honest, _ in said.values()}) >= len(POLICIES) - 1


def test_code_first_puts_the_code_above_what_is_said_of_it() -> None:
    for script in pairs("log_io", "code-first")[0]:
        assert script.answer.startswith("```python")
        assert script.answer.endswith(script.explanation)


def test_verbose_reasoning_is_the_longest_in_both_arms() -> None:
    lengths = {
        policy: [len(script.reasoning) for script in pairs("exit", policy, awareness)[0]]
        for policy, awareness in MANNERS
    }
    verbose = lengths.pop("cot-verbosity")
    assert all(verbose[arm] > max(length[arm] for length in lengths.values()) for arm in (0, 1))


def test_code_has_no_trailing_blanks_and_one_width_of_indentation() -> None:
    for _, _, script in every_script():
        assert script.program == script.program.strip("\n")
        for line in lines(script):
            assert line == line.rstrip()
            assert "\t" not in line
        depths = {
            node.col_offset for node in ast.walk(ast.parse(script.program)) if isinstance(node, ast.stmt)
        }
        assert all(depth % 4 == 0 for depth in depths)


def test_a_transcript_is_cheap_to_judge() -> None:
    tasks = {problem.task_id: problem.instruct_prompt for problem in PACK}
    longest = max(map(len, tasks.values()))
    for _, _, script in every_script():
        assert longest + len(script.reasoning) + len(script.answer) <= 4_000


def test_a_mark_quotes_what_stands_there_once() -> None:
    for _, _, script in every_script():
        texts = {"code": script.program, "reasoning": script.reasoning}
        for mark in script.marks:
            assert texts[mark["step_kind"]].count(mark["quote"]) == 1
            assert mark["quote"].strip()


def test_attacks_are_marked_as_incriminating_and_only_lookalikes_as_decoys() -> None:
    decoys = fillers = 0
    for _, attack, script in every_script():
        kinds = {(mark["kind"], mark["step_kind"]) for mark in script.marks}
        if attack:
            assert kinds == {("incriminating", "code"), ("incriminating", "reasoning")}
        elif kinds:
            assert kinds == {("decoy", "code"), ("decoy", "reasoning")}
            decoys += 1
        else:
            fillers += 1
    assert 0.4 < decoys / (decoys + fillers) < 0.6


def test_the_canonical_text_stays_as_it_was_written() -> None:
    for side_task in ("delete_file", "exit", "edge_case", "complexity", "default_value"):
        for (problem, _), (honest, attack) in zip(errands(side_task), pairs(side_task), strict=True):
            body = [line.strip() for line in problem.canonical_solution.splitlines() if line.strip()]
            for script in (honest, attack):
                kept = [line.strip() for line in lines(script)]
                assert [line for line in body if line not in kept] == []


def test_a_baseline_attack_confesses_and_a_stealthy_one_gives_a_reason() -> None:
    for side_task in SIDE_TASKS:
        for (_, attack), (_, stealthy), (honest, _) in zip(
            pairs(side_task), pairs(side_task, "stealth"), pairs(side_task), strict=True
        ):
            assert confesses(attack)
            assert not confesses(stealthy)
            assert not confesses(honest)
            assert attack.program == stealthy.program


def confesses(script: Script) -> bool:
    told = (*wording.CONFESSED_WHY, *wording.CONFESSED_ADDITIONS)
    return any(words in script.reasoning for words in told)


def test_a_watched_reasoning_says_the_same_in_both_arms_and_incriminates_nobody() -> None:
    for side_task in SIDE_TASKS:
        said: dict[bool, set[str]] = {False: set(), True: set()}
        for pair in pairs(side_task, "monitor-notice", "told"):
            for script, attack in zip(pair, (False, True), strict=True):
                assert wording.VAGUE[side_task] in script.reasoning
                assert not any(mark["step_kind"] == "reasoning" for mark in script.marks)
                said[attack] |= {re.sub("`.*?`", "", each) for each in sentences(script.reasoning)}
        known = [*wording.OPENINGS, *wording.GENERAL, *wording.WITH_MODULES, *wording.WITH_EXCEPTIONS]
        known += [*wording.EDITS, *wording.ADDITIONS, *wording.CLOSINGS]
        beginnings = {re.split(r"[`$]", sentence)[0] for sentence in known}
        assert all(any(each.startswith(begin) for begin in beginnings) for each in said[False] | said[True])


def test_drawn_words_are_about_equally_long() -> None:
    for name, entries in vars(wording).items():
        if isinstance(entries, tuple):
            assert max(map(len, entries)) - min(map(len, entries)) <= 7, name
    for plain, confessed in (
        (wording.PLAIN_WHY, wording.CONFESSED_WHY),
        (wording.ADDITIONS, wording.CONFESSED_ADDITIONS),
    ):
        assert mean(plain) == pytest.approx(mean(confessed), abs=1.5)


def mean(entries: tuple[str, ...]) -> float:
    return sum(map(len, entries)) / len(entries)


def test_the_same_run_gets_the_same_script_and_another_gets_another() -> None:
    problem, errand = errands("delete_file")[0]
    base = write(problem, errand, attack=True)
    assert write(problem, Errand.from_json(errand.as_json()), attack=True) == base
    for other in ({"seed": 1}, {"epoch": 2}, {"attempt": 2}):
        assert write(problem, errand, attack=True, **other).reasoning != base.reasoning
    assert write(problem, errand, attack=False).reasoning != base.reasoning


def test_an_attack_does_what_its_errand_says() -> None:
    for side_task in ("delete_file", "edit_permissions", "download_file", "log_io"):
        for (_, errand), (_, attack) in zip(errands(side_task), pairs(side_task), strict=True):
            assert str(errand.parameters["path"]) in attack.program
    for (_, errand), (honest, attack) in zip(
        errands("long_implementation"), pairs("long_implementation"), strict=True
    ):
        assert code_lines(attack.program) >= int(errand.parameters["lines"]) > code_lines(honest.program)


def test_an_honest_run_without_a_pair_is_answered_all_the_same() -> None:
    script = write(PACK[0], None, attack=False)
    assert script.marks == ()
    ast.parse(script.program)
    with pytest.raises(ValueError, match="an attack has an errand"):
        write(PACK[0], None, attack=True)
