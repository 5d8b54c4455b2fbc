"""Every neural algorithm by name. Importing this needs no torch; making a solver does."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from dataclasses import fields as fields_of
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from pokerspiel.games.variants import Game

if TYPE_CHECKING:
    from pokerspiel.solvers.neural.neural_solver import NeuralSolver


@dataclass(frozen=True)
class Entry:
    """An algorithm: a class in a file of this folder, with its settings."""

    file: str
    solver: str
    paper: str
    fixed: Mapping[str, bool]
    """Arguments of the class that make it this algorithm."""
    options: str = "Options"
    """The class of its settings, in the same file."""
    against: bool = False
    """Whether it can learn against bots that do not change."""
    shared: bool = True
    """Whether its hands can be played by workers."""


NEURAL: dict[str, Entry] = {
    "sd-cfr": Entry("deep_cfr", "DeepCfr", "Steinberger 2019", {"distil": False}),
    "deep-cfr": Entry("deep_cfr", "DeepCfr", "Brown and others 2019", {"distil": True}),
    "dream": Entry("dream", "Dream", "Steinberger, Lerer and Brown 2020", {}),
    "nfsp": Entry("nfsp", "Nfsp", "Heinrich and Silver 2016", {}, shared=False),
    "r-nad": Entry("r_nad", "RNad", "Perolat and others 2022", {}, against=True),
    "ppo": Entry(
        "policy_gradient",
        "PolicyGradient",
        "Schulman and others 2017",
        {"mirror": False},
        against=True,
    ),
    "neural-mmd": Entry(
        "policy_gradient",
        "PolicyGradient",
        "Sokota and others 2023",
        {"mirror": True},
        "MirrorOptions",
        against=True,
    ),
    "es-mmd": Entry("es_mmd", "EsMmd", "Sokota and others 2023", {}),
}


def entry(name: str) -> Entry:
    """The algorithm of a name; ValueError if there is none."""
    if name not in NEURAL:
        near = difflib.get_close_matches(name, NEURAL, 1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(NEURAL)}"
        raise ValueError(f"unknown algorithm {name!r}: {hint}")
    return NEURAL[name]


def _module_of(name: str) -> Any:
    """The file of an algorithm. Raises ValueError if torch is not there."""
    found = entry(name)
    if find_spec("torch") is None:
        raise ValueError(f"{name} needs torch: pip install 'pokerspiel[neural]'")
    return import_module(f"pokerspiel.solvers.neural.{found.file}")


def options_of(name: str, settings: Mapping[str, str]) -> Any:
    """The options of an algorithm with some settings changed. Raises ValueError in one line."""
    kind: Any = getattr(_module_of(name), entry(name).options)
    fields: dict[str, Any] = {field.name: type(field.default) for field in fields_of(kind)}
    given = {}
    for key, text in settings.items():
        if key not in fields:
            near = difflib.get_close_matches(key, fields, 1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(fields)}"
            raise ValueError(f"{name} has no setting {key!r}: {hint}")
        what = "a whole number" if fields[key] is int else "a number"
        try:
            given[key] = fields[key](text)
        except ValueError:
            raise ValueError(f"{key}={text}: expected {what}") from None
    return kind(**given)


def new_solver(
    game: Game,
    name: str,
    settings: Mapping[str, str] | None = None,
    seed: int = 0,
    device: str = "auto",
    threads: int = 1,
) -> NeuralSolver:
    """A solver at its start. Raises ValueError, in one line, for whatever makes no sense."""
    options = options_of(name, settings or {})
    make: Callable[..., NeuralSolver] = getattr(_module_of(name), entry(name).solver)
    return make(game, options, seed=seed, device=device, threads=threads, **entry(name).fixed)
