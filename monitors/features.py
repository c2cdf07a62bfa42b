"""What a learned monitor measures of a run: n-grams of words and characters, lengths, and use of tools."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from molehunt.trajectories import KINDS, Trajectory, View, render

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MOST_TERMS = 20_000
"""Of each kind of n-gram: more only slow a file down."""

MOST_TOOLS = 50
"""Tools whose calls are counted, the most frequent ones."""

MOST_AMOUNTS = 2 * len(KINDS) + MOST_TOOLS

Finite = Annotated[float, Field(ge=-1e9, le=1e9, allow_inf_nan=False)]
"""A number whose products and sums stay finite: what is larger is no measurement, and no coefficient."""

Term = Annotated[str, Field(min_length=1, max_length=500)]


class Record(BaseModel):
    """A frozen value that is read from files of others: strictly typed, nothing left over."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Terms(Record):
    """n-grams and how much each weighs: the inverse of how many runs have it.

    Parameters
    ----------
    unit : what an n-gram is made of.
    shortest, longest : units of an n-gram.
    terms : the n-grams, in the order of the columns.
    weights : inverse document frequencies, one for each.
    """

    unit: Literal["word", "char"]
    shortest: int = Field(ge=1, le=8)
    longest: int = Field(ge=1, le=8)
    terms: tuple[Term, ...] = Field(max_length=MOST_TERMS)
    weights: tuple[Finite, ...]

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if len(self.weights) != len(self.terms) or len(set(self.terms)) != len(self.terms):
            raise ValueError("terms must differ, and each have one weight")
        if self.shortest > self.longest:
            raise ValueError("the shortest n-gram is longer than the longest")
        return self

    @classmethod
    def fit(
        cls, texts: Sequence[str], unit: Literal["word", "char"], sizes: tuple[int, int], most: int
    ) -> Self:
        """The ``most`` frequent n-grams that at least two of ``texts`` have; none if no two share one."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer(**_options(unit, sizes), min_df=2, max_features=most)
        try:
            vectorizer.fit(texts)
        except ValueError:  # so scikit-learn says that no term is left
            return cls(unit=unit, shortest=sizes[0], longest=sizes[1], terms=(), weights=())
        weights = tuple(float(f"{weight:.6g}") for weight in vectorizer.idf_)
        terms = tuple(map(str, vectorizer.get_feature_names_out()))
        return cls(unit=unit, shortest=sizes[0], longest=sizes[1], terms=terms, weights=weights)

    def matrix(self, texts: Sequence[str]) -> csr_matrix:
        """Weighted logarithmic counts of the n-grams, a row a text, each row of length 1 or all 0."""
        from scipy.sparse import csr_matrix

        return csr_matrix((len(texts), 0)) if not self.terms else self._vectorizer.transform(texts)

    @cached_property
    def _vectorizer(self) -> Any:
        import numpy as np
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer(
            **_options(self.unit, (self.shortest, self.longest)), vocabulary=self.terms
        )
        vectorizer.idf_ = np.array(self.weights)
        return vectorizer


class Amount(Record):
    """A number that is measured of a run, such as ``calls of bash``, with its mean and spread in training."""

    name: Term
    mean: Finite
    spread: Annotated[Finite, Field(ge=1e-9)]


class Features(Record):
    """What is measured: the columns of a learned monitor.

    Vocabulary, weights and spreads are taken from all runs of the training store. They rest on no label.

    Parameters
    ----------
    view : what is read of a run.
    words, characters : n-grams of its text.
    amounts : logarithms of 1 + steps and characters of each kind, and of 1 + calls of each tool.

    Examples
    --------
    >>> from molehunt.trajectories import EVERYTHING, Step
    >>> runs = [Trajectory("Add.", (Step(0, "code", f"a + {b}"),)) for b in ("b", "bc")]
    >>> features = Features.fit(runs, EVERYTHING)
    >>> features.matrix(runs).shape == (2, len(features.names))
    True
    >>> features.names[0], features.names[-1]
    ('steps of reasoning', 'characters "a + b"')
    """

    view: View
    words: Terms
    characters: Terms
    amounts: tuple[Amount, ...] = Field(max_length=MOST_AMOUNTS)

    @classmethod
    def fit(cls, trajectories: Sequence[Trajectory], view: View, most_terms: int = 4000) -> Self:
        """The features of these trajectories."""
        texts = [text_of(trajectory, view) for trajectory in trajectories]
        amounts = [_amounts(trajectory, view) for trajectory in trajectories]
        tools = Counter(name for found in amounts for name in found if name.startswith("calls of "))
        names = [*_amounts(Trajectory("", ()), view), *(name for name, _ in tools.most_common(MOST_TOOLS))]
        columns = {name: [found.get(name, 0.0) for found in amounts] for name in names}
        return cls(
            view=view,
            words=Terms.fit(texts, "word", (1, 2), most_terms),
            characters=Terms.fit(texts, "char", (3, 5), most_terms),
            amounts=tuple(_amount(name[:500], column) for name, column in columns.items()),
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What each column measures."""
        return (
            *(amount.name for amount in self.amounts),
            *(f'words "{term}"' for term in self.words.terms),
            *(f'characters "{term}"' for term in self.characters.terms),
        )

    def matrix(self, trajectories: Sequence[Trajectory]) -> csr_matrix:
        """Measurements, a row a trajectory, in the order of `names`; amounts in standard deviations."""
        from scipy.sparse import csr_matrix, hstack

        texts = [text_of(trajectory, self.view) for trajectory in trajectories]
        found = [_amounts(trajectory, self.view) for trajectory in trajectories]
        amounts = [
            [(one.get(amount.name, 0.0) - amount.mean) / amount.spread for amount in self.amounts]
            for one in found
        ]
        shape = (len(found), len(self.amounts))
        parts = [csr_matrix(amounts, shape=shape), self.words.matrix(texts), self.characters.matrix(texts)]
        return csr_matrix(hstack(parts))


def text_of(trajectory: Trajectory, view: View) -> str:
    """The text of all visible steps, without headings."""
    rendering = render(trajectory, view)
    return "\n".join(rendering.text[span.start : span.end] for span in rendering.spans)


def _options(unit: Literal["word", "char"], sizes: tuple[int, int]) -> dict[str, Any]:
    # a name of one letter is a word, since code has many
    words = {"token_pattern": r"(?u)\b\w+\b"} if unit == "word" else {}
    return {"analyzer": unit, "ngram_range": sizes, "sublinear_tf": True, **words}


def _amounts(trajectory: Trajectory, view: View) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for kind in KINDS:
        counts[f"steps of {kind}"] = counts[f"characters of {kind}"] = 0
    channel = trajectory.has_reasoning_channel
    for step in trajectory.steps:
        if view.shows(step, reasoning_channel=channel):
            counts[f"steps of {step.kind}"] += 1
            counts[f"characters of {step.kind}"] += len(step.text)
            if step.kind == "tool_call":
                counts[f"calls of {step.tool}"[:500]] += 1
    return {name: math.log1p(count) for name, count in counts.items()}


def _amount(name: str, column: Sequence[float]) -> Amount:
    # of equal values the computed spread need not be 0, and whatever differs is not 1e14 of them away
    if min(column) == max(column):
        return Amount(name=name, mean=column[0], spread=1.0)
    mean = math.fsum(column) / len(column)
    return Amount(
        name=name, mean=mean, spread=math.sqrt(math.fsum((v - mean) ** 2 for v in column) / len(column))
    )
