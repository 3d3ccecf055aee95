"""Theory and Fit are abstract, and small enough to instantiate in a few lines."""

from dataclasses import dataclass
from typing import final

import numpy as np
import pytest
import xarray as xr

from nucleate.theories import Fit, Theory


@final
@dataclass(frozen=True)
class Drift(Theory):
    """x(t) = x(0) + v t."""

    def fit(self, record):
        return DriftFit(float(record["x"].differentiate("step").mean()))


@final
@dataclass(frozen=True)
class DriftFit(Fit):
    v: float

    def simulate(self, x0, times):
        return x0 + self.v * times

    def score(self, record):
        return xr.Dataset({"error": abs(record["x"] - self.simulate(0.0, record["step"]))})


@pytest.mark.parametrize("abstract", [Theory, Fit])
def test_the_protocol_is_abstract(abstract):
    with pytest.raises(TypeError, match="abstract"):
        abstract()


def test_a_law_in_a_few_lines():
    steps = np.arange(5.0)
    record = xr.Dataset({"x": ("step", 3 * steps)}, coords={"step": steps})
    fit = Drift().fit(record)
    assert fit.v == pytest.approx(3)
    assert float(fit.score(record)["error"].max()) < 1e-12
