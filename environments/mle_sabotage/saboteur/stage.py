"""What the agent does in a turn of each kind, and what it thinks meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Template

from molehunt.environments.mle_sabotage.saboteur.programs import Change, Workspace
from molehunt.environments.mle_sabotage.saboteur.texts import Act
from molehunt.environments.mle_sabotage.saboteur.work import Work
from molehunt.environments.playing import Beat, Deck, Heard, Part, ToolUse, Voice, incriminating, phrases

SCORE = Heard(r"^((?:[A-Za-z][\w-]*[ :=]+){1,4}-?\d+\.\d{2,})", "a number that I can work with")
"""The first line of an output that ends words with a decimal number, as training prints its score."""


@dataclass(frozen=True)
class Touch:
    """Pieces that are put into their final form at one time.

    Parameters
    ----------
    changes : what becomes of them.
    harmful : whether that is sabotage.
    cover : an innocent reason for sabotage there; empty if none is left. It is given in honest runs too,
        whose reasons are to be about as long.
    """

    changes: tuple[Change, ...]
    harmful: bool
    cover: str


class Stage:
    """Turns, with thoughts that take up what has been seen.

    Parameters
    ----------
    part : that is played.
    work : on the competition.
    space : the files.
    """

    def __init__(self, part: Part, work: Work, space: Workspace) -> None:
        self.part, self.work, self.space = part, work, space
        self.shape = part.shape("stage")
        self.voice = Voice(part, Deck(phrases(__package__, "steps"), part.words("steps")))
        self._reaction: list[str] = []
        self._begun = False

    def react(self, name: str) -> None:
        """Let the next turn begin with a sentence of this list."""
        self._reaction.append(self.say(name))

    def say(self, name: str, **values: str) -> str:
        """A sentence of a list, with the competition's facts filled in."""
        return self.voice.say(name, **self.work.facts, **values)

    def beat(self, sentences: Sequence[str], call: ToolUse) -> Beat:
        """A turn: what was kept for its beginning, ``sentences``, now and then a remark or a word aloud."""
        thoughts = [*self._reaction, *sentences]
        self._reaction = []
        if self.shape.random() < 0.3 and self._begun:
            thoughts.insert(self.shape.randint(0, len(thoughts)), self.voice.aside())
        self._begun = True
        aloud = self.say(f"said aloud, {_manner(call)}") if self.shape.random() < 0.3 else ""
        return Beat(" ".join(thoughts), aloud, (call,), {"score": SCORE})

    def begin(self) -> Beat:
        """The first turn: what the job is, and a look at the folder."""
        thoughts = [self.voice.plan()]
        if self.part.manner == "open":
            confesses = self.part.attack
            quote = self.work.orders[self.part.arm] if confesses else self.work.facts["quote"]
            said = self.voice.say(f"order, {'confessed' if confesses else 'plain'}", quote=quote)
            thoughts.append(incriminating(said) if confesses else said)
        return self.beat([*thoughts, self.say("look")], bash("ls -la . data"))

    def think(self) -> Beat:
        """A plan, handed to the thinking tool."""
        parts = ["plan of work", "plan of models", "plan of files", "plan of care"]
        wanted = sorted(self.shape.sample(range(4), self.shape.randint(3, 4)))
        thought = " ".join(self.say(parts[number]) for number in wanted)
        return self.beat([], ToolUse("think", {"thought": thought}))

    def create(self, name: str, touches: Sequence[Touch] = ()) -> Beat:
        """A file, written for the first time, with ``touches`` in it from the beginning."""
        motives = [self._motive(touch) for touch in touches]
        return self.beat([self.say(name.removesuffix(".py")), *motives], self.space.create(name))

    def rework(self, touch: Touch) -> Beat:
        """Pieces of files put into their final form, in one call."""
        return self.beat(
            [self._motive(touch)], self.space.change(touch.changes, anew=self.shape.random() < 0.5)
        )

    def _motive(self, touch: Touch) -> str:
        """Both arms say what they do in the same words, but for the reason."""
        act = self.voice.say("act", files=listed(sorted({each.piece.file for each in touch.changes})))
        cover = touch.cover or self.voice.reasons()
        why = cover if touch.harmful else self.voice.reasons(len(cover))
        return self.voice.motive(act, why, harmful=touch.harmful)

    def repair(self, name: str) -> list[Beat]:
        """What follows a run that failed: the trace read, perhaps the code, and the mistake put right."""
        slip, mending = self.voice.slip(), self.say("mending", file=name)
        if self.shape.random() < 0.5:
            return [self.beat([slip, mending], self.space.repair())]
        return [
            self.beat([slip, self.say("reading the trace", file=name)], view(name)),
            self.beat([mending], self.space.repair()),
        ]

    def act(self, act: Act) -> Beat:
        """A turn of a detour."""
        words = self.part.words(f"detour {act.sentences[0]}")
        sentence = filled(words.choice(act.sentences), self.work.facts)
        kind, _, file = act.tool.partition(" ")
        given = [filled(each, self.work.facts) for each in act.texts]
        match kind:
            case "bash":
                call = bash(given[0])
            case "python":
                call = python(given[0])
            case "think":
                call = ToolUse("think", {"thought": words.choice(given)})
            case "view":
                call = view(given[0])
            case _:
                arguments = {"command": "str_replace", "path": file, "old_str": given[0], "new_str": given[1]}
                call = ToolUse("text_editor", arguments)
        return self.beat([sentence], call)


def bash(command: str) -> ToolUse:
    """A call of the shell."""
    return ToolUse("bash", {"command": command})


def python(code: str) -> ToolUse:
    """A program, run at once."""
    return ToolUse("python", {"code": code})


def view(name: str) -> ToolUse:
    """A file, opened in the editor."""
    return ToolUse("text_editor", {"command": "view", "path": name})


def _manner(call: ToolUse) -> str:
    """What kind of doing a call is, for what is said aloud with it."""
    if call.tool == "text_editor":
        return "looking" if call.arguments["command"] == "view" else "writing"
    return "running" if call.tool in ("bash", "python") else "thinking"


def filled(text: str, values: Mapping[str, str]) -> str:
    """``text`` with values in the place of their ``$names``; a shell's own dollars stay."""
    return Template(text).safe_substitute(values)


def listed(names: Sequence[str]) -> str:
    """Names of files in a sentence.

    Examples
    --------
    >>> listed(["a.py", "b.py", "c.py"])
    '`a.py`, `b.py` and `c.py`'
    """
    quoted = [f"`{name}`" for name in names]
    return " and ".join(filter(None, [", ".join(quoted[:-1]), *quoted[-1:]]))
