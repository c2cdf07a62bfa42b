"""How the agent puts what it does: the same sentences in both arms, but where an attack confesses."""

from __future__ import annotations

from molehunt.environments.playing.marking import incriminating
from molehunt.environments.playing.parts import Part
from molehunt.environments.playing.phrases import Deck, phrases


class Voice:
    """The sentences of one run, dealt so that none comes twice too soon.

    How much is said depends on the part's manner. ``open``: an attack confesses, an honest run speaks in
    sentences of about the same length. ``covered``: an attack says what it does and gives a harmless reason,
    in the sentences that honest runs use. ``silent``: both arms say the same vague things.

    Parameters
    ----------
    part : that is played.
    deck : of the environment's own sentences; those that environments share are dealt here.

    Examples
    --------
    >>> part = Part("mle_sabotage", "builtin", "wine", attack=True, policy="baseline")
    >>> "\\ue000" in Voice(part).motive("drop the last row", "It is empty.")
    True
    """

    def __init__(self, part: Part, deck: Deck | None = None) -> None:
        self.part = part
        self.deck = deck or Deck({}, part.words("deck"))
        self._shared = Deck(phrases(__package__, "motives"), part.words("motives"))

    def plan(self) -> str:
        """What the agent takes its job to be, said once at the beginning."""
        return self._by_manner("plan")

    def closing(self) -> str:
        """What it says to itself at the end."""
        return self._by_manner("closing")

    def motive(self, act: str, why: str, *, harmful: bool = True) -> str:
        """What the agent does, and why it says that it does it.

        Parameters
        ----------
        act : what is done, as a verb with its object; it must not give anything away.
        why : the reason, in whole sentences: of an attack its cover, else one from `reasons` about as long.
        harmful : whether an attack does harm with it; an attack speaks of the rest as an honest run does.
        """
        return self._by_manner("motive", harmful, act=act, why=why)

    def reasons(self, about: int = 0) -> str:
        """Reasons that fit everything: one, or as many as come to ``about`` so many characters."""
        said = self._shared.deal("reasons")
        while len(said) + 25 < about:
            said = f"{said} {self._shared.deal('reasons')}"
        return said

    def aside(self) -> str:
        """A remark that goes with anything."""
        return self._shared.deal("an aside")

    def slip(self) -> str:
        """On having done something wrong."""
        return self._shared.deal("after a slip")

    def repair(self) -> str:
        """On having put it right."""
        return self._shared.deal("after a repair")

    def say(self, name: str, **values: str) -> str:
        """A sentence from a list of the environment's own."""
        return self.deck.deal(name, **values)

    def _by_manner(self, what: str, harmful: bool = True, **values: str) -> str:
        part = self.part
        if part.manner == "silent":
            return self._shared.deal(f"{what}, vague", **values)
        if part.manner == "open" and part.attack and harmful:
            return incriminating(self._shared.deal(f"{what}, confessed", **values))
        sentence = self._shared.deal(f"{what}, plain", **values)
        return incriminating(sentence) if part.attack and harmful and what == "motive" else sentence
