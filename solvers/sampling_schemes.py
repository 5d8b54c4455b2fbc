"""The sampled algorithms of the CFR family as rows of data.

One iteration is one walk of the tree for each player (the traverser). A walk samples the outcomes
of chance; a row says which of the traverser's own actions and which of the others' it follows.
sampled_walk.py shows how estimates without bias come of it.

Under sampling, flooring regrets at zero hurts: CFR+ wants estimates of low variance (Schmid et al.
2019). Linear weights belong on both sums, or on neither; only with floored regrets are they for the
average alone (Tammelin 2014).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal, NamedTuple

ALL, ONE, EACH = 0, 1, 2
"""Which actions of a node a walk follows: all, one, or each by a chance of its own."""

_CODES = {"all": ALL, "one": ONE, "each": EACH}


class Rules(NamedTuple):
    """A scheme as the kernels read it."""

    own: int
    others: int
    epsilon: float
    beta: float
    tau: float
    alpha: float
    """0 without baselines."""
    linear_regrets: bool
    linear_average: bool
    floor: float
    """The least that a regret can be."""


@dataclass(frozen=True)
class SamplingScheme:
    """What a walk samples, and what its estimates weigh. Parameters bear the names of the papers.

    Raises ValueError if a parameter makes no sense.
    """

    own: Literal["all", "one", "each"]
    """Actions of the traverser that are followed: all; one, any of them with probability ε, else by
    the strategy; or each on its own with probability max(ε, (β + τ s(a)) / (β + Σ s)), where s are
    the sums of the average strategy."""
    others: Literal["all", "one"]
    """Actions of the other players: all, or one by the strategy."""
    epsilon: float = 0.0
    beta: float = 0.0
    tau: float = 0.0
    alpha: float | None = None
    """With baselines: the share of the newest value in a baseline."""
    linear_regrets: bool = False
    """What iteration t adds to the regrets weighs t."""
    linear_average: bool = False
    """What iteration t adds to the average weighs t."""
    floored: bool = False
    """Regrets below zero are set to zero."""
    paper: str = ""

    def __post_init__(self) -> None:
        if self.own not in _CODES or self.others not in ("all", "one"):
            raise ValueError(f"own={self.own!r}, others={self.others!r}: see SamplingScheme")
        if not 0.0 <= self.epsilon <= 1.0:
            raise ValueError(f"epsilon={self.epsilon} is not allowed: expected 0 to 1")
        if self.own != "all" and self.epsilon == 0.0:
            raise ValueError("epsilon=0 is not allowed: some actions would never be followed")
        if self.alpha is not None and not 0.0 < self.alpha <= 1.0:
            raise ValueError(f"alpha={self.alpha} is not allowed: expected above 0 and up to 1")
        if min(self.beta, self.tau) < 0.0:
            raise ValueError(f"beta={self.beta}, tau={self.tau}: expected 0 or more")

    @property
    def is_external(self) -> bool:
        """Whether it is external sampling, which has a kernel of its own."""
        return self.own == "all" and self.others == "one" and self.alpha is None

    @property
    def rules(self) -> Rules:
        """The scheme as the kernels read it."""
        return Rules(
            own=_CODES[self.own],
            others=_CODES[self.others],
            epsilon=float(self.epsilon),
            beta=float(self.beta),
            tau=float(self.tau),
            alpha=float(self.alpha or 0.0),
            linear_regrets=self.linear_regrets,
            linear_average=self.linear_average,
            floor=0.0 if self.floored else -inf,
        )


SAMPLED: dict[str, SamplingScheme] = {
    "external-sampling": SamplingScheme(
        own="all",
        others="one",
        paper="Lanctot, Waugh, Zinkevich and Bowling 2009",
    ),
    "external-sampling-linear": SamplingScheme(
        own="all",
        others="one",
        linear_regrets=True,
        linear_average=True,
        paper="Lanctot, Waugh, Zinkevich and Bowling 2009; Brown and Sandholm 2019",
    ),
    "external-sampling-plus": SamplingScheme(
        own="all",
        others="one",
        linear_average=True,
        floored=True,
        paper="Lanctot, Waugh, Zinkevich and Bowling 2009; Tammelin 2014",
    ),
    "outcome-sampling": SamplingScheme(
        own="one",
        others="one",
        epsilon=0.6,
        paper="Lanctot, Waugh, Zinkevich and Bowling 2009",
    ),
    "chance-sampling": SamplingScheme(
        own="all",
        others="all",
        paper="Zinkevich, Johanson, Bowling and Piccione 2007",
    ),
    "average-strategy-sampling": SamplingScheme(
        own="each",
        others="one",
        epsilon=0.05,
        beta=1e6,
        tau=1e3,
        paper="Gibson, Burch, Lanctot and Szafron 2012",
    ),
    "vr-mccfr": SamplingScheme(
        own="one",
        others="one",
        epsilon=0.6,
        alpha=0.5,
        paper="Schmid, Burch, Lanctot, Moravčík, Kadlec and Bowling 2019",
    ),
}
"""The algorithms by name."""
