"""Long names and units: what every variable of a record is called in figures and tables.

A probe says more with `attrs={"long_name": …, "units": …}`; what has no description is called by its name. Numbers
without a dimension have the unit 1, as in the CF conventions.
"""

from collections.abc import Mapping
from typing import Any

import xarray as xr

_STEPS = "steps"
_LONG_NAMES: Mapping[str, str] = {
    "member": "network",
    "outcome": "how the network ended",
    "last_step": "last step of the network",
    "seed": "seed",
    "repeat": "number among those that are otherwise alike",
    "train_loss": "training loss",
    "train_accuracy": "training accuracy",
    "valid_loss": "validation loss",
    "valid_accuracy": "validation accuracy",
    "eta": "learning rate",
    "wd": "weight decay",
    "p": "number of tokens",
    **dict.fromkeys(("dim", "dim_size"), "dimensions of the embedding"),
    "train_size": "number of training samples",
    "embedding": "token embeddings",
    "gradient": "gradient of the loss by the embeddings",
    "weights": "weights",
    "rqi": "representation quality index",
    "signal": "signal of each frequency",
    "mean_signal": "mean signal of all frequencies",
    "gradient_spectrum": "pull of the loss at each frequency",
    "left": "first token of each pair",
    "right": "second token of each pair",
    "label": "answer to each pair",
    "in_train": "whether a pair is trained on",
}


def description(name: str, attrs: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a variable with a long name and units, where it has none.

    >>> description("valid_accuracy", {}), description("grokked_step", {"first_step_with": "loss < 0.1"})["long_name"]
    ({'long_name': 'validation accuracy', 'units': '1'}, 'first step with loss < 0.1')
    """
    return {"long_name": _long_name(name, attrs), "units": _STEPS if _is_of_steps(name) else "1"} | dict(attrs)


def described(record: xr.Dataset) -> xr.Dataset:
    """A record of which every variable has a long name and units.

    >>> described(xr.Dataset({"odd_name": ("step", [1.0])}, {"step": [0]})).odd_name.attrs["long_name"]
    'odd name'
    """
    record = record.copy()
    for name in record.variables:
        record[name].attrs = description(str(name), record[name].attrs)
    return record


def _is_of_steps(name: str) -> bool:
    return name.endswith("_step") or name == "step" or name.startswith("step_")


def _long_name(name: str, attrs: Mapping[str, Any]) -> str:
    if name in _LONG_NAMES:
        return _LONG_NAMES[name]
    if "first_step_with" in attrs:
        return f"first step with {attrs['first_step_with']}"
    if name == "step" or name.startswith("step_"):
        return "training step"
    if name.startswith("seed_"):
        return f"seed of the {name.removeprefix('seed_').replace('_', ' ')}"
    return name.replace("_", " ")
