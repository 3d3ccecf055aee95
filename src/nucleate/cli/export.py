"""`nucleate export`: a run, or all runs of a replication, for other programs."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro

from nucleate.cli.parsing import UsageError
from nucleate.cli.printing import say

_SUFFIXES = {"csv": ".csv", "parquet": ".parquet", "netcdf": ".nc"}


@dataclass(frozen=True)
class Export:
    """Write what a run recorded for other programs: one row for each network, with its hyperparameters, seeds and
    outcome, the step of each crossing (empty: never) and the last value of each scalar.

    Examples:
      nucleate export runs/tour/phase-decay --to csv
      nucleate export runs/tour/phase-decay --to parquet --curves --out curves.parquet
      nucleate export runs/tour --to netcdf --out tour
    """

    run: tyro.conf.Positional[Path]
    """The folder of the run; that of a replication exports all its runs."""
    to: Literal["csv", "parquet", "netcdf"]
    """csv, parquet: a table; netcdf: all of the record, arrays included."""
    out: Path | None = None
    """The file, or a folder for several runs; in the folder of each run if left out."""
    curves: bool = False
    """Instead, one row for each network, step and scalar."""
    force: bool = False
    """Replace files that are there already."""

    def __call__(self) -> None:
        from nucleate.record import RunError

        if self.curves and self.to == "netcdf":
            raise UsageError("nucleate export: netcdf holds the curves anyway; leave out --curves.")
        targets = self._targets()
        for run, target in targets:  # all is asked before anything is written
            if run.status != "complete":
                finish = run.way_on if run.about.by is None else f"finish it with {run.way_on}"
                raise RunError(f"{run.path} is unfinished; {finish} first.")
            if target.is_dir():
                raise RunError(f"{target} is a folder; --out must name a file for the one run {run.path}.")
            if target.exists() and not self.force:
                raise RunError(f"{target} is there already; choose another with --out, or replace it with --force.")
        for run, target in targets:
            self._export(run, target)

    def _targets(self) -> list:
        """Every run, with the file it is written to."""
        from nucleate.record import Run, RunError, list_runs

        suffix = _SUFFIXES[self.to]
        name = f"{'record' if self.to == 'netcdf' else 'curves' if self.curves else 'members'}{suffix}"
        below = [] if (self.run / "run.json").exists() else list_runs(self.run)
        if not below:
            run = Run.open(self.run)
            if self.out and self.out.suffix != suffix and not self.out.is_dir():
                raise UsageError(
                    f"nucleate export: the name of a {self.to} file ends in {suffix}; got --out {self.out}."
                )
            return [(run, self.out or run.path / name)]
        if self.out and self.out.is_file():
            raise RunError(f"{self.out} is a file; --out must name a folder for the {len(below)} runs of {self.run}.")
        named = {run: "-".join(run.path.relative_to(self.run).parts) for run in below}
        return [(run, self.out / f"{named[run]}{suffix}" if self.out else run.path / name) for run in below]

    def _export(self, run, target: Path) -> None:
        from nucleate.record import export_all, export_curves, export_members

        write = export_all if self.to == "netcdf" else export_curves if self.curves else export_members
        left_out = write(run, target)
        remark = f" (without {', '.join(left_out)}: --to netcdf holds all)" if left_out else ""
        say(f"{target}{remark}")
