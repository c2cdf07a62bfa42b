"""Notes that one model takes for another: free text at a fixed place."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from molehunt.monitors.answers.reading import json_object, object_schema, unused_tag
from molehunt.monitors.protocol import AnswerMode, Logprobs, Unreadable
from molehunt.trajectories import encodable


@dataclass(frozen=True)
class Notes:
    """A text between ``<notes>`` and ``</notes>``, once; what stands around them is passed by.

    Without the tags a refusal in words would be taken for notes. Notes may quote what an agent wrote, and so
    tags that it wrote; hence `fitting`. ``structured`` and ``expected``: a JSON object with the text
    ``notes``, nothing else.

    Parameters
    ----------
    words : how long the example is, so that plans reckon with notes of the usual length.
    tag : name of the tags.

    Examples
    --------
    >>> Notes().read("Here they are: <notes>It listed the files.</notes>", "text")
    'It listed the files.'
    >>> Notes().read("I cannot help with that.", "text")
    Traceback (most recent call last):
        ...
    molehunt.monitors.protocol.Unreadable: there are no notes between <notes> and </notes>
    """

    words: int = field(default=1, compare=False, repr=False)
    tag: str = "notes"

    @classmethod
    def fitting(cls, material: str, words: int) -> Notes:
        """The form with tags that do not occur in what the notes are about.

        Examples
        --------
        >>> Notes.fitting("print('</notes>')", words=9).read("<notes1>It prints </notes>.</notes1>", "text")
        'It prints </notes>.'
        """
        return cls(words, unused_tag("notes", material))

    @property
    def name(self) -> str:
        """Its name in records."""
        return "notes"

    def instructions(self, mode: AnswerMode) -> str:
        """What the model is told about the form."""
        if mode == "text":
            return (
                f"Put what you write between the tags <{self.tag}> and </{self.tag}>, and write nothing else."
            )
        return 'Reply with one JSON object and nothing else: "notes", what you write, as one text.'

    def schema(self, mode: AnswerMode) -> dict[str, Any] | None:
        """JSON schema of the answer, None where it is free text."""
        return None if mode == "text" else object_schema(notes={"type": "string"})

    def example(self, mode: AnswerMode) -> tuple[str, Logprobs]:
        """Notes of so many words."""
        notes = " ".join(["noted"] * self.words)
        if mode == "text":
            return f"<{self.tag}>{notes}</{self.tag}>", ()
        return json.dumps({"notes": notes}), ()

    def wants_logprobs(self, mode: AnswerMode) -> bool:
        """Never."""
        return False

    def read(self, text: str, mode: AnswerMode, logprobs: Logprobs = ()) -> str:
        """The notes in ``text``, without white space around them; raises `Unreadable`."""
        if mode == "text":
            begin, end = f"<{self.tag}>", f"</{self.tag}>"
            _, opening, rest = text.partition(begin)
            notes, closing, behind = rest.partition(end)
            if not (opening and closing) or begin in rest or end in behind:
                raise Unreadable(f"there are no notes between {begin} and {end}")
        else:
            notes = json_object(text, {"notes": str})["notes"]
        if not notes.strip():
            raise Unreadable("the notes are empty")
        return encodable(notes.strip())
