"""Every variable of every record says what it is."""

import numpy as np
import xarray as xr

from nucleate.record import Recorder, from_arrays
from nucleate.record.descriptions import description


def recorded(folder) -> xr.Dataset:
    with Recorder(folder / "recorded", members={"eta": [0.1, 0.2]}, facts={"label": [0, 1]}) as recorder:
        for step in range(3):
            recorder.log(step, embedding=np.ones((2, 4, 3)), training_error=np.ones(2))
        recorder.log(3, training_error=np.ones(2))
        recorder.flush()
        while_it_grows = recorder.run.record()
    assert while_it_grows.embedding.attrs == recorder.run.record().embedding.attrs
    return recorder.run.record()


def in_memory(folder) -> xr.Dataset:
    return from_arrays({"embedding": np.ones((1, 3, 4, 3))}, range(3), members={"seed_split": [7]})


def test_every_variable_has_a_long_name_and_units(run, tmp_path):
    for record in (run.record(), xr.open_zarr(run.record_path), recorded(tmp_path), in_memory(tmp_path)):
        for name, variable in record.variables.items():
            assert variable.attrs["long_name"], name
            assert variable.attrs["units"] == ("steps" if "step" in str(name) else "1"), name


def test_names_are_in_words_and_those_that_are_given_stay(run, tmp_path):
    record = recorded(tmp_path)
    names = {str(name): variable.attrs["long_name"] for name, variable in record.variables.items()}
    assert names["training_error"] == "training error"
    assert names["embedding"] == "token embeddings"
    assert names["step_training_error"] == names["step"] == "training step"
    assert in_memory(tmp_path).seed_split.attrs["long_name"] == "seed of the split"
    assert run.record().loss.attrs["long_name"] == "training loss"  # as the variable says
    assert description("norm", {"units": "m"}) == {"long_name": "norm", "units": "m"}


def test_no_unit_is_taken_for_a_time(tmp_path):
    record = recorded(tmp_path)
    assert all(variable.dtype.kind in "biufc" for variable in record.variables.values())
