"""The options that commands share, and the file that may give them.

A configuration file is TOML whose keys are the long options of the command and its arguments, such
as `memory-limit = "4GiB"` and `game = "svara"`; game parameters stand in a table `[set]`. What the
command line says goes before the file.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand


def _read_config(context: typer.Context, path: Path | None) -> Path | None:
    """Make the values of the file the defaults of the command that is being parsed."""
    if path is not None and not context.resilient_parsing:
        names = {parameter.name for parameter in context.command.params}
        context.default_map = _defaults(path, {name for name in names if name is not None})
    return path


def _defaults(path: Path, names: set[str]) -> dict[str, Any]:
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no TOML: {error}") from None
    defaults = {}
    for key, value in given.items():
        name = key.replace("-", "_")
        name = f"{name}_" if f"{name}_" in names else name
        if name not in names or name == "config":
            raise ValueError(f"{path}: unknown option {key!r}")
        if isinstance(value, dict):
            value = [f"{parameter}={_text(item)}" for parameter, item in value.items()]
        defaults[name] = value
    return defaults


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _refused(value: object, low: float, high: float | None, what: str) -> typer.BadParameter:
    bounds = f"{low:g} or more" if high is None else f"from {low:g} to {high:g}"
    return typer.BadParameter(f"{value!s} is not allowed: expected {what} {bounds}")


def refuse_given(why: str, **options: tuple[object, object]) -> None:
    """Raise ValueError if an option, given as (value, default), differs from its default."""
    for name, (value, default) in options.items():
        if value != default and value != []:
            raise ValueError(f"--{name.replace('_', '-')} {value}: not with {why}")


def whole(low: int, high: int | None = None) -> Callable[[Any], int]:
    """A parser of whole numbers that names what it refuses and says what would be right."""

    def parse(value: Any) -> int:
        try:
            number = int(str(value))
        except ValueError:
            number = None
        if number is None or number < low or (high is not None and number > high):
            raise _refused(value, low, high, "a whole number")
        return number

    return parse


def real(low: float, what: str) -> Callable[[Any], float]:
    """A parser of finite numbers, `low` or more; `what` says what they are."""

    def parse(value: Any) -> float:
        try:
            number = float(str(value))
        except ValueError:
            number = math.nan
        if not low <= number < math.inf:
            raise _refused(value, low, None, what)
        return number

    return parse


def seconds(low: float) -> Callable[[Any], float]:
    """A parser of times."""
    return real(low, "a number of seconds,")


def number(value: Any) -> int:
    """A parser of whole numbers whose bounds are checked where the game is known."""
    try:
        return int(str(value))
    except ValueError:
        raise typer.BadParameter(f"{value!s} is not a whole number") from None


DEFAULT_MEMORY = "2GiB"

Preset = Annotated[
    str | None, typer.Option(help="Table for Svara: home, club or real; --set changes it.")
]
Game = Annotated[str, typer.Argument(help="Game, such as svara or 'svara(players=3)'.")]
Seed = Annotated[
    int, typer.Option(parser=whole(0, 2**63 - 1), metavar="N", help="Seed of all random choices.")
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A parameter of the game; may be repeated."),
]
Config = Annotated[
    Path | None,
    typer.Option(help="TOML file with these options.", is_eager=True, callback=_read_config),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print results only.")]
Threads = Annotated[int, typer.Option(parser=whole(1, 256), metavar="N", help="Threads to use.")]
On = Annotated[
    str,
    typer.Option(
        metavar="WORKERS",
        help="Who does the work: processes, ray (started here) or the address of a Ray cluster, "
        "ray://host:10001 or ray:auto.",
    ),
]
WorkerCount = Annotated[
    int | None,
    typer.Option("--workers", parser=whole(1, 4096), metavar="N", help="Workers at a time."),
]
Aivat = Annotated[
    bool,
    typer.Option("--aivat", help="Take out luck by AIVAT, with values fitted on other hands."),
]
Values = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Values for AIVAT: used if the file is there, otherwise fitted and kept in it.",
    ),
]
FitHands = Annotated[
    int,
    typer.Option(parser=whole(100), metavar="N", help="Hands that values are fitted on."),
]
MemoryLimit = Annotated[
    str, typer.Option(help="Most memory for information sets, such as 512MiB or 4GiB.")
]
Iterations = Annotated[
    int | None,
    typer.Option(parser=whole(1, 2**48), metavar="N", help="Iterations to run for, in this call."),
]
Time = Annotated[
    float | None,
    typer.Option(parser=seconds(0.01), metavar="SECONDS", help="Time to run for, in this call."),
]
Until = Annotated[
    float | None,
    typer.Option(
        parser=real(0.0, "an exploitability,"),
        metavar="EXPLOITABILITY",
        help="Stop once exploitability (NashConv / number of players) is as low as this.",
    ),
]
CheckpointEvery = Annotated[
    float,
    typer.Option(parser=seconds(0.1), metavar="SECONDS", help="Time between two checkpoints."),
]

_UNITS = {"": 1, "k": 10, "m": 20, "g": 30, "t": 40}


def parse_bytes(text: str) -> int:
    """Bytes in a size such as "512MiB", "4GiB", "4g" or "1000000"; ValueError names a bad one."""
    word = text.strip().lower().removesuffix("b").removesuffix("i")
    number, unit = (word[:-1], word[-1:]) if word[-1:] in "kmgt" else (word, "")
    try:
        size = float(number) * (1 << _UNITS[unit]) if unit else float(number)
        whole = int(size)
    except (ValueError, OverflowError):
        whole = 0
    if whole < 1:
        raise ValueError(f"memory limit {text!r}: expected a size such as 512MiB or 4GiB")
    return whole


def bytes_text(size: float) -> str:
    """A size in the largest unit that leaves one digit before the point: "1.5 GiB"."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(size) < 1024:
            return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"


class ManyValues(TyperCommand):
    """A command whose repeatable options take all values that follow: `--hands A B C`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        many = {
            option
            for parameter in self.params
            if getattr(parameter, "multiple", False)
            for option in parameter.opts
        }
        return super().parse_args(ctx, list(_one_a_value(args, many)))


def _one_a_value(args: list[str], many: set[str]) -> list[str]:
    """The arguments with the option's name before each of its values."""
    spread = []
    option = None
    for word in args:
        if word.startswith("--") or (word.startswith("-") and word[1:2].isalpha()):
            option = word if word in many else None
            if option is None:
                spread.append(word)
        else:
            spread.append(word if option is None else f"{option}={word}")
    return spread
