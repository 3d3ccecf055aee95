"""What there is to draw: a budget may leave experiments out."""

import xarray as xr

from nucleate.claims import Evidence, NotTrained


def trained(evidence: Evidence, *names: str) -> dict[str, xr.Dataset]:
    """The records of those experiments that were trained."""
    found = {}
    for name in names:
        try:
            found[name] = evidence.record(name)
        except NotTrained:
            continue
    return found


def first_trained(evidence: Evidence, *names: str) -> xr.Dataset:
    """The record of the first of these experiments that was trained; of the last, if none was."""
    there = trained(evidence, *names)
    return evidence.record(next((name for name in names if name in there), names[-1]))
