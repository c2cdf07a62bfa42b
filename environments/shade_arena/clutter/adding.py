"""Clutter added to a world, seeded, and so that neither a task nor a grader has to do with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from random import Random
from typing import Any

from molehunt.environments.playing import Deck, phrases
from molehunt.environments.shade_arena.agentdojo_base import AgentDojoWorld, thing

_FIRST_DAY = datetime(2024, 1, 8, 8)  # all that the tasks are about is of May 2024 or later
_DAYS = 100
_LARGEST = 900
"""Characters of a file's text: tasks are about the largest files, and these are not among them."""


def cluttered(world: AgentDojoWorld, number: int, seed: int, *, files: bool = True) -> AgentDojoWorld:
    """A world of the same suite and user task that begins with ``number`` more things in it.

    Parameters
    ----------
    world : whose beginning is taken.
    number : of mails, files, entries, messages, payments or reviews.
    seed : of what they say.
    files : whether there may be files of documents among them.
    """
    state = world.before.model_copy(deep=True)
    draw = Random(f"{world.suite.name}\x1f{world.user_task}\x1f{seed}")
    adder = _Adder(state, draw)
    kinds = _KINDS[world.suite.name]
    usable = {name: share for name, share in kinds.items() if files or name != "document"}
    for name in sorted(draw.choices(list(usable), list(usable.values()), k=number)):
        getattr(adder, name)()
    adder.settle()
    return world.changed(state)


_KINDS: Mapping[str, Mapping[str, int]] = {
    "banking": {"payment": 5, "letter": 1},
    "slack": {"round_of_chat": 1, "direct_message": 4},
    "travel": {"review": 5, "entry": 1},
    "workspace": {"mail": 6, "document": 2, "entry": 1},
}
"""What is added to a suite's applications, and in which proportion."""


class _Adder:
    """Adds things to one state of AgentDojo's."""

    def __init__(self, state: Any, draw: Random) -> None:
        self.state, self.draw = state, draw
        self._decks = {
            name: Deck(phrases(__package__, name), draw) for name in ("people", "office", "money", "reviews")
        }
        self._older: dict[int, tuple[Any, list[Any]]] = {}
        self._last: dict[int, int] = {}
        self._letters: list[str] = []

    def settle(self) -> None:
        """Put what was added before what was there: it is older."""
        for collection, added in self._older.values():
            added.sort(key=_age)
            _number(added)
            if isinstance(collection, dict):
                old = dict(collection)
                collection.clear()
                collection.update({**{each.id_: each for each in added}, **old})
            else:
                collection[:0] = added

    def mail(self) -> None:
        inbox = self.state.inbox
        name, address = self._person()
        body = self._letter(name)
        mail = thing(
            "Email",
            id_=str(self._free(inbox.emails, inbox.emails)),
            sender=address,
            recipients=[inbox.account_email],
            subject=self._office("subjects"),
            body=body,
            status="received",
            read=True,
            timestamp=self._moment(),
        )
        self._add(inbox.emails, mail)

    def document(self) -> None:
        drive = self.state.cloud_drive
        text = "\n\n".join(self._office("sentences") for _ in range(self.draw.randint(4, 7)))[:_LARGEST]
        file = thing(
            "CloudDriveFile",
            id_=str(self._free(drive.files, drive.files)),
            filename=self._office("file names").replace(" ", "-"),
            content=text,
            owner=drive.account_email,
            last_modified=self._moment(),
        )
        self._add(drive.files, file)

    def entry(self) -> None:
        calendar = self.state.calendar
        begin = self._moment().replace(minute=0)
        event = thing(
            "CalendarEvent",
            id_=str(self._free(calendar.events, calendar.events)),
            title=self._office("event titles").capitalize(),
            description=" ".join(self._office("sentences") for _ in range(2)),
            start_time=begin,
            end_time=begin + timedelta(hours=1),
            location=self._people("places").capitalize(),
            participants=[calendar.account_email],
        )
        self._add(calendar.events, event)

    def payment(self) -> None:
        account = self.state.bank_account
        letter = (
            self.draw.choice(self._letters) if self._letters else f"letter-{self.draw.randint(100, 999)}.txt"
        )
        payment = thing(
            "Transaction",
            id=self._free(
                account.transactions,
                [each.id for each in (*account.transactions, *account.scheduled_transactions)],
            ),
            sender="me",
            recipient=f"{self._deal('money', 'countries')}{self.draw.randrange(10**19, 10**20)}",
            amount=self.draw.randint(300, 9000) / 100,
            subject=self._deal("money", "subjects", file=letter),
            date=f"{self._moment() - timedelta(days=1000):%Y-%m-%d}",
            recurring=False,
        )
        self._add(account.transactions, payment)

    def letter(self) -> None:
        files = self.state.filesystem.files
        name = f"letter-{self.draw.randint(1000, 9999)}.txt"
        text = "\n".join(self._deal("money", "file sentences") for _ in range(self.draw.randint(12, 20)))
        files.setdefault(name, f"{text}\n")
        self._letters.append(name)

    def round_of_chat(self) -> None:
        """One message from everybody, so that who writes most stays who writes most."""
        for user in list(self.state.slack.users):
            self._add(self.state.slack.channel_inbox["general"], self._message(user, "general"))

    def direct_message(self) -> None:
        slack = self.state.slack
        sender, recipient = self.draw.sample(list(slack.users), 2)
        box = slack.user_inbox.setdefault(recipient, [])
        self._add(box, self._message(sender, recipient))

    def review(self) -> None:
        lists = (
            self.state.hotels.hotel_list,
            self.state.restaurants.restaurant_list,
            self.state.car_rental.company_list,
        )
        house = self.draw.choice([each for one in lists for each in one])
        house.reviews.append(
            " ".join(self._deal("reviews", "reviews") for _ in range(self.draw.randint(4, 8)))
        )

    def _message(self, sender: str, recipient: str) -> Any:
        body = " ".join(self._office("chat") for _ in range(self.draw.randint(3, 6)))
        return thing("Message", sender=sender, recipient=recipient, body=body)

    def _letter(self, name: str) -> str:
        sentences = [self._office("sentences") for _ in range(self.draw.randint(6, 12))]
        closing = self._deal("office", "closings", person=name).replace("\\n", "\n")
        return "\n\n".join([self._office("openings"), " ".join(sentences), closing])

    def _person(self) -> tuple[str, str]:
        first, last = self._people("first names"), self._people("last names")
        return f"{first} {last}", f"{first}.{last}@{self._people('firms')}.com".lower()

    def _office(self, what: str) -> str:
        return self._deal("office", what, thing=self._deal("office", "things"), person=self._person()[0])

    def _people(self, what: str) -> str:
        return self._deal("people", what)

    def _deal(self, deck: str, what: str, **values: str) -> str:
        return self._decks[deck].deal(what, number=str(self.draw.randint(12, 98)), **values)

    def _moment(self) -> datetime:
        return _FIRST_DAY + timedelta(days=self.draw.randrange(_DAYS), minutes=15 * self.draw.randrange(40))

    def _free(self, collection: Any, taken: Iterable[Any]) -> int:
        """The number after the largest that is taken."""
        last = self._last.get(id(collection))
        self._last[id(collection)] = (max(map(int, taken), default=-1) if last is None else last) + 1
        return self._last[id(collection)]

    def _add(self, collection: Any, one: Any) -> None:
        self._older.setdefault(id(collection), (collection, []))[1].append(one)


def _number(things: list[Any]) -> None:
    """Deal their ids anew, so that they rise with time."""
    for name in ("id", "id_"):
        if hasattr(things[0], name):
            ids = sorted((getattr(each, name) for each in things), key=int)
            for thing, own in zip(things, ids, strict=True):
                setattr(thing, name, own)


def _age(thing: Any) -> Any:
    for name in ("timestamp", "start_time", "last_modified", "date"):
        if hasattr(thing, name):
            return getattr(thing, name)
    return 0  # messages have no time and stay as they are
