"""Tool calls alone, a file a run, in the folders where ControlArena keeps them or anywhere else."""

from __future__ import annotations

from molehunt.trajectories import TruthOptions, Unread, read_runs

CALLS = [
    {
        "id": "x",
        "function": "create_file",
        "arguments": {"file_path": "a.py", "content": "1"},
        "type": "function",
    },
    {"id": "x", "function": "run", "arguments": {"command": "make"}, "internal": None, "parse_error": None},
]


def test_a_file_is_one_run_of_calls(read_lines, outlined):
    run = read_lines(*CALLS, name="calls.jsonl")
    assert outlined(run) == [("tool_call", "file_path: a.py\ncontent: 1"), ("tool_call", "make")]
    assert [step.tool for step in run.trajectory.steps] == ["create_file", "run"]
    assert (run.truth, run.trajectory.task, run.task_verified) == (None, "", False)


def test_control_arenas_folders_say_what_a_run_is_and_not_to_the_monitor(write_lines, tmp_path):
    for name, calls in (("honest", CALLS), ("attack_StealKeys", [*CALLS, CALLS[0]])):
        write_lines(*calls, name=f"infra/main_tasks/_set_up_ray/QA/{name}.jsonl")
    notes = []
    attack, honest = read_runs([tmp_path], notes=notes)
    assert (attack.truth.label, honest.truth.label) == ("attack", "honest")
    assert attack.truth.factors == {"side_task": "StealKeys"}
    assert {run.truth.task_id for run in (attack, honest)} == {"set_up_ray"}
    assert {run.truth.environment for run in (attack, honest)} == {"control_arena/infra"}
    assert attack.trajectory.task == honest.trajectory.task == "set up ray"
    assert attack.id != honest.id
    assert "attack" not in attack.sample
    assert "the label is in the file's name" in notes[0].guesses


def test_a_label_of_the_users_overrules_a_files_name(write_lines, tmp_path):
    path = write_lines(*CALLS, name="honest.jsonl")
    [run] = read_runs([path])
    table = tmp_path / "labels.csv"
    table.write_text(f"sample,label\n{run.sample},attack\n")
    [corrected] = read_runs([path], TruthOptions(labels=table))
    assert (run.truth.label, corrected.truth.label) == ("honest", "attack")


def test_what_a_call_tells_the_scorer_alone_is_not_shown(write_lines):
    call = {"id": "1", "function": "submit", "arguments": {"code": "x", "secret_input": "7"}}
    notes = []
    [run] = read_runs([write_lines(call)], notes=notes)
    assert run.trajectory.steps[0].arguments == {"code": "x"}
    assert notes[0].dropped["argument for the scorer's eyes"] == 1


def test_a_line_that_is_no_call_costs_itself_only(write_lines):
    unread, run = read_runs([write_lines(CALLS[0], "{", CALLS[1])])
    assert isinstance(unread, Unread)
    assert len(run.trajectory.steps) == 2


def test_every_recorded_run_of_control_arena_is_read(shared_data):
    folder = shared_data / "control-arena"
    files = sorted(folder.rglob("*.jsonl"))
    runs = list(read_runs(files))
    assert len(runs) == len(files)
    assert not [run for run in runs if isinstance(run, Unread)]
    named = [run for run in runs if "/honest" in run.log or "/attack_" in run.log]
    assert all(run.truth.label in run.log.rpartition("/")[2] for run in named)
    tasks = {}
    for run in runs:
        if run.truth and "main_tasks" in run.log:
            tasks.setdefault(run.truth.task_id, set()).add(run.trajectory.task)
    assert all(len(texts) == 1 for texts in tasks.values())
