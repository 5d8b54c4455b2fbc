"""The value function that a command corrects results by: found in a file, or fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pokerspiel.agents.agent import Agent
from pokerspiel.agents.value_fitting import fit_values
from pokerspiel.agents.value_function import ValueFunction, load_values
from pokerspiel.experiments.progress import ProgressReport
from pokerspiel.experiments.run_folder import check_writable, write_file
from pokerspiel.games.variants import Game


@dataclass(frozen=True)
class Correction:
    """Whether results are corrected by a value function, and where that comes from."""

    wanted: bool
    file: Path | None
    """Used if it is there, otherwise made; None: fitted for this match alone."""
    fit_hands: int

    def values(
        self, meetings: Sequence[Sequence[Agent]], game: Game, seed: int, quiet: bool
    ) -> ValueFunction | None:
        """The function for matches of these agents; None if none is wanted.

        Raises ValueError if the file is no value function of the game, OSError if it cannot be
        written.
        """
        if not self.wanted and self.file is None:
            return None
        if self.file is not None and self.file.exists():
            values = load_values(self.file)
            values.check(game)
            return values
        if self.file is not None:
            check_writable(self.file)
        with ProgressReport(f"fitting values on {self.fit_hands:,} other hands", quiet) as report:
            values = fit_values(
                meetings, game, self.fit_hands, seed, lambda share: report.show(share, "")
            )
        if self.file is not None:
            write_file(self.file, values.save)
        return values
