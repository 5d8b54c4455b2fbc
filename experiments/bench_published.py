"""`pokerspiel bench report`: the figures of README and docs, made from the database of them.

The database is `docs/results.sqlite`; a generated part of a document stands between two comments
(see `published_parts`). What is published is what the database holds: nothing is measured unless
it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from json import loads
from pathlib import Path
from typing import Any

from pokerspiel.experiments import published
from pokerspiel.experiments.interrupts import terminated_like_interrupted
from pokerspiel.experiments.machine import origin
from pokerspiel.experiments.output import note, print_json, print_table
from pokerspiel.experiments.progress import ProgressReport
from pokerspiel.experiments.published import LIST, Figure
from pokerspiel.experiments.published_measuring import MeasuringError, measure
from pokerspiel.experiments.published_parts import body, parts_of, rewritten
from pokerspiel.experiments.published_store import Kept, Measured, PublishedStore, read
from pokerspiel.experiments.published_views import (
    AGREES,
    CHANCE,
    DISAGREES,
    OPEN,
    Comparison,
    View,
    by_chance,
    compare,
    markdown,
)
from pokerspiel.experiments.run_folder import write_text

ALL = "all"
README, DOCS = "README.md", "docs"
LIST_DOCUMENT = "docs/figures.md"
INTERRUPTED, DIFFERENT, FAILED = 130, 1, 1
LONGEST_COMMAND = 100
"""Letters of a command that stands in the line under a part."""


@dataclass(frozen=True)
class Options:
    """What is asked for: one of the five, or none of them, which rewrites the documents."""

    measure: tuple[str, ...] = ()
    take: tuple[str, ...] = ()
    documents: tuple[Path, ...] = ()
    """Of `take`: the JSON documents of the commands, in their order."""
    again: tuple[str, ...] = ()
    check: bool = False
    list_all: bool = False
    root: Path = Path()
    seed: int | None = None
    """Of `again`: another one than that of the commands."""


def run(options: Options, json: bool, quiet: bool) -> int:
    root = options.root
    if not (root / README).is_file() or not (root / DOCS).is_dir():
        raise ValueError(
            f"{root.resolve()} holds no {README} and {DOCS}: name the repository with --root"
        )
    modes = {
        "--measure": options.measure,
        "--take": options.take,
        "--again": options.again,
        "--check": options.check,
        "--list": options.list_all,
    }
    asked = [name for name, value in modes.items() if value]
    if len(asked) > 1:
        raise ValueError(f"{' and '.join(asked)}: one of them at a time")
    if options.seed is not None and not options.again:
        raise ValueError(f"--seed {options.seed}: only with --again")
    if bool(options.take) != bool(options.documents):
        raise ValueError("--take and --from: a figure and its documents, both or none")
    if options.take:
        return _take(root, _figures(options.take), options.documents, json)
    if options.measure:
        return _measure(root, _figures(options.measure), json, quiet)
    if options.again:
        return _again(root, _figures(options.again), options.seed, json, quiet)
    kept = newest(root)
    if options.list_all:
        return _list(kept, json)
    return _check(root, kept, json) if options.check else _report(root, kept, json, quiet)


def _figures(names: Sequence[str]) -> list[Figure]:
    """The figures that are named, in the order of their list. Raises ValueError for others."""
    known = {figure.name: figure for figure in published.FIGURES}
    for name in names:
        if name not in known and name != ALL:
            raise ValueError(f"{name} is no figure: expected {ALL}, {', '.join(known)}")
    return [figure for figure in known.values() if ALL in names or figure.name in names]


def newest(root: Path) -> dict[str, Kept]:
    """The newest measurements of the figures, without those that other commands made."""
    return _current(read(root / DOCS, _names()))


def _names() -> list[str]:
    return [figure.name for figure in published.FIGURES]


def _current(found: Mapping[str, Kept]) -> dict[str, Kept]:
    commands = {figure.name: figure.commands for figure in published.FIGURES}
    return {name: kept for name, kept in found.items() if kept.commands == commands[name]}


# What stands in the documents.


def view_of(figure: Figure, measured: Measured) -> View:
    """Raises ValueError if the outputs are not what the figure is made of."""
    try:
        return figure.show(measured.outputs)
    except (LookupError, TypeError) as error:
        raise ValueError(
            f"what the commands of {figure.name} gave cannot be shown: {error!r}"
        ) from None


def bodies(kept: Mapping[str, Kept]) -> dict[str, str]:
    """The parts of all figures that are measured, and the list of all, as Markdown by name."""
    figures = [figure for figure in published.FIGURES if figure.name in kept]
    made = {
        figure.name: f"{markdown(view_of(figure, kept[figure.name]))}\n\n"
        f"<sub>{_origin_line(figure, kept[figure.name])}</sub>"
        for figure in figures
    }
    return {**made, LIST: _list_text(kept)}


def _origin_line(figure: Figure, kept: Kept) -> str:
    machine = kept.machine
    processor = str(machine["processor"]).replace("(R)", "")
    said = [
        f"{kept.started[:10]}, {processor}, {machine['cores']} cores",
        _seeds_text(kept.seeds),
        figure.certainty,
        _command_text(figure),
        f"anew by `pokerspiel bench report --measure {figure.name}`",
    ]
    took = _seconds_text(kept)
    said[-1] += f", {took}" if took else ""
    return "; ".join(word for word in said if word)


def _command_text(figure: Figure) -> str:
    """The command of a figure that has one, unless it is long or stands above; all are listed."""
    command = f"pokerspiel {figure.commands[0]}"
    fits = len(figure.commands) == 1 and len(command) <= LONGEST_COMMAND
    return f"`{command}`" if fits and not figure.as_text else ""


def _seeds_text(seeds: Sequence[int]) -> str:
    if not seeds:
        return "no seed"
    return f"seed{'s' * (len(seeds) > 1)} {', '.join(map(str, seeds))}"


def _seconds_text(kept: Kept) -> str:
    """How long it took; nothing if a document that was taken does not say."""
    if not kept.seconds:
        return ""
    return f"{kept.seconds:,.0f} s" if kept.seconds >= 10 else f"{kept.seconds:.1f} s"


def _list_text(kept: Mapping[str, Kept]) -> str:
    """All figures, and the commands that measure them."""
    lines = ["| figure | shows | stands in | measured | took |", "| --- | --- | --- | --- | ---: |"]
    commands = ["```"]
    for figure in published.FIGURES:
        where = ", ".join(_link(document) for document in figure.documents)
        found = kept.get(figure.name)
        when = ("not yet", "") if found is None else (found.started[:10], _seconds_text(found))
        lines.append(f"| `{figure.name}` | {figure.title} | {where} | {when[0]} | {when[1]} |")
        commands.append(f"# {figure.name}")
        commands += [f"pokerspiel {command}" for command in figure.commands]
    return "\n".join([*lines, "", *commands, "```"])


def _link(document: str) -> str:
    """A link to a document from the list, which stands in the folder of the docs."""
    name = document.removeprefix(f"{DOCS}/")
    return f"[{name}]({name if name != document else f'../{document}'})"


def documents(root: Path) -> dict[str, str]:
    """The texts of README and docs, by their paths as seen from the root."""
    paths = [root / README, *sorted((root / DOCS).glob("*.md"))]
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def drift(root: Path, kept: Mapping[str, Kept]) -> list[tuple[str, str, str]]:
    """(Document, part, what is wrong) of all that is not as the database says.

    Raises ValueError if a part is none of a figure, or is not closed.
    """
    made = bodies(kept)
    places = {figure.name: figure.documents for figure in published.FIGURES}
    places[LIST] = (LIST_DOCUMENT,)
    wrong = []
    seen = set()
    for document, text in documents(root).items():
        for part in parts_of(Path(document), text):
            if part.name not in places:
                raise ValueError(f"{document}:{part.first}: {part.name} is no figure")
            seen.add((document, part.name))
            if document not in places[part.name]:
                wrong.append((document, part.name, "is not to stand here"))
            elif part.name not in made:
                wrong.append((document, part.name, "is not measured, or by other commands"))
            elif body(text, part) != made[part.name]:
                wrong.append((document, part.name, "differs from the database"))
    wrong += [
        (document, name, "is missing")
        for name in made
        for document in places[name]
        if (document, name) not in seen
    ]
    return wrong


def rewrite(root: Path, kept: Mapping[str, Kept]) -> list[str]:
    """Write the parts of the figures that are measured; returns the documents that have changed.

    Raises OSError if a document cannot be written: it then is as before.
    """
    made = bodies(kept)
    changed = []
    for document, text in documents(root).items():
        new = rewritten(Path(document), text, made)
        if new != text:
            write_text(root / document, new)
            changed.append(document)
    return changed


# What there is to do.


def _report(root: Path, kept: Mapping[str, Kept], json: bool, quiet: bool) -> int:
    drift(root, kept)  # refuses parts of no figure before anything is written
    changed = rewrite(root, kept)
    for document in changed:
        note(f"{document} is rewritten", quiet)
    left = drift(root, kept)
    if json:
        print_json({"rewritten": changed, "left": _drift_json(left)})
    else:
        _say(left)
    return 0


def _check(root: Path, kept: Mapping[str, Kept], json: bool) -> int:
    wrong = drift(root, kept)
    if json:
        print_json({"wrong": _drift_json(wrong)})
    else:
        _say(wrong)
    return DIFFERENT if wrong else 0


def _say(wrong: Sequence[tuple[str, str, str]]) -> None:
    for document, name, what in wrong:
        print(f"{document}: {name} {what}")


def _drift_json(wrong: Sequence[tuple[str, str, str]]) -> list[dict[str, str]]:
    return [dict(zip(("document", "part", "problem"), row, strict=True)) for row in wrong]


def _list(kept: Mapping[str, Kept], json: bool) -> int:
    if json:
        rows = [_list_json(figure, kept.get(figure.name)) for figure in published.FIGURES]
        print_json({"figures": rows})
        return 0
    cells = []
    for figure in published.FIGURES:
        found = kept.get(figure.name)
        when = ("not yet", "") if found is None else (found.started, _seconds_text(found))
        cells.append((figure.name, figure.title, " ".join(figure.documents), *when))
    print_table("", ("figure", "shows", "stands in", "measured", "took>"), cells)
    return 0


def _list_json(figure: Figure, found: Kept | None) -> dict[str, Any]:
    return {
        "name": figure.name,
        "title": figure.title,
        "documents": figure.documents,
        "commands": [f"pokerspiel {command}" for command in figure.commands],
        "seeds": figure.seeds,
        "certainty": figure.certainty,
        "measured": found and found.started,
        "seconds": found and found.seconds,
        "machine": found and found.machine,
        "versions": found and found.versions,
    }


def _measure(root: Path, figures: Sequence[Figure], json: bool, quiet: bool) -> int:
    """Measure figures anew, keep each as it is done, and rewrite the documents."""
    drift(root, {})  # refuses what could not be rewritten before anything is measured
    failures: dict[str, str] = {}
    done: dict[str, float] = {}
    interrupted = False
    command = f"pokerspiel bench report --measure {' '.join(figure.name for figure in figures)}"
    with PublishedStore(root / DOCS) as store:
        begun = origin()
        try:
            for figure, measured, _ in _each(root, figures, None, failures, quiet):
                if store.sitting is None:
                    about = (begun["machine"], begun["versions"])
                    store.begin_sitting(begun["started"], command, *about)
                store.write(figure.name, measured)
                done[figure.name] = measured.seconds
                note(f"{figure.name}: measured in {measured.seconds:,.1f} s", quiet)
        except KeyboardInterrupt:
            interrupted = True
            note(f"interrupted: {len(done)} of {len(figures)} figures are measured and kept")
        kept = _current(store.newest(_names()))
    changed = rewrite(root, kept)
    left = drift(root, kept)
    if json:
        document = {"measured": done, "failed": failures, "rewritten": changed}
        print_json({**document, "left": _drift_json(left)})
    else:
        _say(left)
    return INTERRUPTED if interrupted else FAILED if failures else 0


def _take(root: Path, figures: Sequence[Figure], documents: Sequence[Path], json: bool) -> int:
    """Keep what the commands of figures have printed elsewhere, and rewrite the documents."""
    drift(root, {})
    outputs = tuple(read_json(path) for path in documents)
    taken = {figure.name: taken_as(figure, outputs) for figure in figures}
    first = outputs[0]
    command = str(first.get("command", f"pokerspiel bench report --take {' '.join(taken)}"))
    with PublishedStore(root / DOCS) as store:
        store.begin_sitting(first["started"], command, first["machine"], first["versions"])
        for name, measured in taken.items():
            store.write(name, measured)
        kept = _current(store.newest(_names()))
    changed = rewrite(root, kept)
    left = drift(root, kept)
    if json:
        print_json({"taken": list(taken), "rewritten": changed, "left": _drift_json(left)})
    else:
        _say(left)
    return 0


def read_json(path: Path) -> Any:
    """A JSON document. Raises OSError or ValueError, naming the file."""
    try:
        return loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is no JSON document: {error}") from None


def taken_as(figure: Figure, outputs: Sequence[Any]) -> Measured:
    """Outputs of the commands of a figure, which ran elsewhere.

    Raises ValueError if they do not say where and when, or cannot be those of its commands.
    """
    if figure.as_text or len(outputs) != len(figure.commands):
        wanted = "no" if figure.as_text else len(figure.commands)
        raise ValueError(f"{figure.name} is made of {wanted} documents, not of {len(outputs)}")
    for output in outputs:
        if not isinstance(output, dict) or not {"started", "machine", "versions"} <= output.keys():
            raise ValueError(f"{figure.name}: a document does not say when and where it was made")
        if output.get("quick") or ("seed" in output and output["seed"] not in figure.seeds):
            raise ValueError(f"{figure.name}: a document is quick, or of another seed")
    seconds = sum(float(output.get("seconds", 0.0)) for output in outputs)
    measured = Measured(figure.commands, figure.seeds, tuple(outputs), seconds)
    view_of(figure, measured)
    return measured


def _each(
    root: Path,
    figures: Sequence[Figure],
    seed: int | None,
    failures: dict[str, str],
    quiet: bool,
) -> Iterator[tuple[Figure, Measured, View]]:
    """The figures, measured one after the other; those that fail are told in `failures`."""
    with terminated_like_interrupted(), ProgressReport("measuring", quiet) as report:
        for i, figure in enumerate(figures):

            def show(share: float, text: str, done: int = i) -> None:
                report.show((done + share) / len(figures), text)

            try:
                measured = measure(figure, root / DOCS, seed, show)
                view = view_of(figure, measured)
            except (MeasuringError, ValueError) as error:
                failures[figure.name] = str(error)
                note(f"pokerspiel: {figure.name}: {error}")
            else:
                yield figure, measured, view


def _again(root: Path, figures: Sequence[Figure], seed: int | None, json: bool, quiet: bool) -> int:
    """Measure figures anew, keep nothing, and compare with what is published."""
    kept = newest(root)
    figures = [figure for figure in figures if seed is None or not _is_letters(figure, quiet)]
    for figure in figures:
        if figure.name not in kept:
            raise ValueError(f"{figure.name} is not measured: `bench report --measure` does it")
    failures: dict[str, str] = {}
    found: dict[str, list[Comparison]] = {}
    interrupted = False
    try:
        for figure, _, view in _each(root, figures, seed, failures, quiet):
            found[figure.name] = compare(view_of(figure, kept[figure.name]), view)
            if not json:
                _print_comparison(figure, found[figure.name], seed is not None)
    except KeyboardInterrupt:
        interrupted = True
        note(f"interrupted after {len(found)} of {len(figures)} figures")
    if json:
        print_json({"figures": _comparisons_json(found), "failed": failures})
    if interrupted:
        return INTERRUPTED
    differs = any(_differs(some, seed is not None) for some in found.values())
    return DIFFERENT if differs or failures else 0


def _differs(comparisons: Sequence[Comparison], other_luck: bool) -> bool:
    """Whether numbers disagree that should not; with other luck more of them than it explains."""
    if other_luck:
        return by_chance(comparisons) <= CHANCE
    return _count(comparisons, DISAGREES) > 0


def _is_letters(figure: Figure, quiet: bool) -> bool:
    """Whether other luck gives other letters, of which nothing can be said; a line says so."""
    letters = figure.as_text and bool(figure.seeds)
    if letters:
        note(f"{figure.name} is compared letter by letter, with its own seed only", quiet)
    return letters


def _count(comparisons: Sequence[Comparison], verdict: str) -> int:
    return sum(one.verdict == verdict for one in comparisons)


def _comparisons_json(found: Mapping[str, Sequence[Comparison]]) -> dict[str, Any]:
    return {
        name: {
            **{verdict: _count(some, verdict) for verdict in (AGREES, DISAGREES, OPEN)},
            "by_chance": by_chance(some),
            "numbers": [one.to_json() for one in some],
        }
        for name, some in found.items()
    }


def _print_comparison(figure: Figure, comparisons: Sequence[Comparison], other_luck: bool) -> None:
    verdict: dict[str, Callable[[Comparison], str]] = {
        AGREES: lambda one: "yes",
        DISAGREES: lambda one: "NO",
        OPEN: lambda one: "" if one.ratio is None else f"× {one.ratio:.2f}",
    }
    rows = [
        (one.name, _short(one.published), _short(one.again), verdict[one.verdict](one))
        for one in comparisons
    ]
    print_table(figure.name, ("number", "published>", "again>", "agrees>"), rows)
    judged = len(comparisons) - _count(comparisons, OPEN)
    said = f"{figure.name}: {_count(comparisons, AGREES)} of {judged} numbers agree"
    if other_luck and _count(comparisons, DISAGREES):
        said += f"; luck alone gives so few in {by_chance(comparisons):.1%} of all runs"
    print(said)


def _short(text: str) -> str:
    """A number, or the size of an output of many lines."""
    lines = text.splitlines()
    return text if len(lines) <= 1 else f"{len(lines)} lines"
