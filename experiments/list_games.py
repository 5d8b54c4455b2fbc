"""`pokerspiel games`: the variants, their seats and their parameters."""

from __future__ import annotations

from typing import Any

from pokerspiel.experiments.output import print_json, print_table
from pokerspiel.games.parameters import Parameter
from pokerspiel.games.variants import VARIANTS, Variant


def run(name: str | None, json: bool) -> None:
    if name is not None and name not in VARIANTS:
        raise ValueError(f"unknown game {name!r}: known are {', '.join(VARIANTS)}")
    chosen = [VARIANTS[name]] if name is not None else list(VARIANTS.values())
    if json:
        print_json({"games": [describe(variant) for variant in chosen]})
    elif name is None:
        rows = [(v.name, "{} to {}".format(*seats(v)), v.summary) for v in chosen]
        print_table("", ("game", "seats", "what it is"), rows)
        print("`pokerspiel games NAME` lists the parameters of a game.")
    else:
        _print_parameters(chosen[0])


def describe(variant: Variant) -> dict[str, Any]:
    return {
        "name": variant.name,
        "summary": variant.summary,
        "seats": list(seats(variant)),
        "rule_version": variant.rule_version,
        "parameters": [_parameter(parameter) for parameter in variant.parameters],
    }


def seats(variant: Variant) -> tuple[int, int]:
    """Fewest and most players."""
    players = next(p for p in variant.parameters if p.name == "players")
    assert players.low is not None and players.high is not None
    return players.low, players.high


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "type": parameter.type.__name__,
        "default": parameter.default,
        "expected": parameter.expected(),
        "low": parameter.low,
        "high": parameter.high,
        "choices": None if parameter.choices is None else list(parameter.choices),
        "help": parameter.help,
    }


def _print_parameters(variant: Variant) -> None:
    rows = [(p.name, _shown(p.default), p.expected(), p.help) for p in variant.parameters]
    title = f"{variant.name}: {variant.summary}"
    print_table(title, ("parameter", "default", "expected", "meaning"), rows)


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
