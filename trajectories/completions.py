"""Plain answers to coding problems, JSON lines or CSV: runs of one step or a few, without a log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.beginnings import Beginning
from molehunt.trajectories.conversation import Conversation
from molehunt.trajectories.labels import TruthOptions, read_label
from molehunt.trajectories.lines import records, table_rows
from molehunt.trajectories.mapping import Tally
from molehunt.trajectories.messages import Draft
from molehunt.trajectories.records import NAMES, Reading
from molehunt.trajectories.runs import Run
from molehunt.trajectories.unread import Unread

SOURCE = "completions"

_TASKS = ("task", "instruct_prompt", "prompt")
_ANSWERS = ("completion", "solution")
_TRUE_OR_FALSE = {"true": 1.0, "false": 0.0}


def _of_a_table(value: Any) -> Any:
    """A cell as a number, where it says so in words."""
    return _TRUE_OR_FALSE.get(value.strip().casefold(), value) if isinstance(value, str) else value


Score = Annotated[float | None, BeforeValidator(_of_a_table)]


class Completion(BaseModel):
    """One answer; fields that nothing here knows are passed by.

    Parameters
    ----------
    task_id : the problem; without it, answers to one task are of one problem.
    task : what was asked, also as ``prompt`` or ``instruct_prompt``; without it there is no run.
    completion : what the model said: prose and fenced code are told apart.
    solution : bare code, in place of a completion.
    reasoning : the model's, before it.
    label : attack or honest; see `read_label`.
    main_score, side_score : as in `Truth`; ``passed`` stands for a main score of 1 or 0.
    environment : data set, ``completions`` if nobody says.
    model : that answered.
    sample : the answer's own name; without it, it goes by the problem and a digest of what it says.
    factors : as in `Truth`.
    """

    model_config = ConfigDict(
        frozen=True, extra="ignore", coerce_numbers_to_str=True, protected_namespaces=()
    )

    task_id: str | None = None
    task: str = Field(validation_alias=AliasChoices(*_TASKS))
    completion: str | None = None
    solution: str | None = None
    reasoning: str | None = None
    label: str | int | bool | None = None
    main_score: Score = Field(
        default=None, validation_alias=AliasChoices("main_score", "passed"), allow_inf_nan=False
    )
    side_score: Score = Field(default=None, allow_inf_nan=False)
    environment: str = SOURCE
    model: str | None = None
    sample: str | None = None
    factors: dict[str, str] = {}

    def tell(self, talk: Conversation) -> None:
        """Add its steps, in order."""
        if self.reasoning and self.reasoning.strip():
            talk.add(Draft("reasoning", self.reasoning, readable="full"))
        if self.solution is not None:
            talk.add(Draft("code", self.solution))
        talk.say(self.completion or "")


def completion_runs(path: Path, options: TruthOptions, tally: Tally) -> Iterator[Run | Unread]:
    """Read a file of answers, one in memory at a time.

    Parameters
    ----------
    path : JSON lines, or a table whose columns are named as the fields are; packed or not.
    options : what the user says about answers that carry no label: patterns of file names, or a table whose
        ``sample_id`` is ``task_id``.
    tally : counts what becomes of it.

    Yields
    ------
    Run or Unread
        An `Unread` for each line that is no answer; the others are read all the same.

    Raises
    ------
    Damaged
        If the file as a whole cannot be read.
    """
    reading = Reading(path, options, tally, SOURCE)
    rows = table_rows(path) if Beginning.of(path).columns else records(path)
    return reading.each(rows, lambda record: completion_run(reading, record))


def are_completions(beginning: Beginning) -> bool:
    """Whether a file begins with an answer: a task or its name, and ``solution`` or ``completion``."""
    names = beginning.record.keys() or set(beginning.columns)
    return any(name in names for name in _ANSWERS) and any(name in names for name in ("task_id", *_TASKS))


def completion_run(
    reading: Reading,
    record: dict[str, Any],
    ours: Mapping[str, Any] | None = None,
    uses: Iterable[str] = (*Completion.model_fields, *_TASKS, "passed"),
) -> Run:
    """The run of one answer.

    Parameters
    ----------
    reading : the file.
    record : what stands there.
    ours : what stands there by our names of the fields, if these are others.
    uses : names of the fields of ``record`` that are read.

    Raises
    ------
    Damaged
        If the record is none.
    """
    try:
        answer = Completion.model_validate(record if ours is None else ours)
        if answer.label is not None:
            read_label(answer.label)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        if fault["type"] == "missing":  # the task: all other fields have a default
            told = f"none of {', '.join(_TASKS)}" if ours is None else "no task"
            # a map is of all fields: those that it leaves out are not read
            fields = "--map task=FIELD --map task_id=FIELD --map solution=FIELD"
            raise Damaged(f"has {told}; name the fields: {fields}") from error
        raise Damaged(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}") from error
    except ValueError as error:
        raise Damaged(f"has a label that is none: {error}") from error
    talk = reading.talk()
    answer.tell(talk)
    known = answer.model_dump(include=set(NAMES), exclude_none=True)
    return reading.run(talk, record, uses=uses, known=known, task=answer.task, idle=True)
