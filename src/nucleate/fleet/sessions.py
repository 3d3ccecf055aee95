"""Who continues a run, where that is not who began it: other versions, other instructions, another device."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import jax

from nucleate.fleet.plan import Plan
from nucleate.fleet.progress import Watcher
from nucleate.record import Run, RunError, Session, provenance

# What decides the bits of a sum; other packages are noted, but change none.
_DECISIVE = ("jax", "jaxlib", "machine", "instructions", "xla_flags", "device")
_IRRELEVANT = ("cores", "system")


def device() -> str:
    """What this process computes on: "cpu", or the name of an accelerator."""
    return jax.local_devices()[0].device_kind


def begin_session(plan: Plan, run: Run, watch: Watcher, *, other_versions: bool) -> None:
    """Note in run.json, and tell, that a run is continued by another environment than it was left by.

    Where that changes bits, it is refused, unless `other_versions` are allowed: the record would be neither the one
    that the run began with, nor that of a whole run here.
    """
    about = run.about
    if about.block is None:
        return  # nothing has been trained
    here = provenance()
    now = Session(
        **{name: here[name] for name in ("created", "versions", "platform", "git")},
        device=device(),
        block=plan.block,
        shards_done=len(list(run.checkpoints.glob("*.done"))),
        seconds=about.seconds,
    )
    changed = _differences(run, here)
    decisive = {name: values for name, values in changed.items() if name in _DECISIVE}
    if decisive and not other_versions and any(run.checkpoints.glob("*")):
        raise RunError(
            f"{run.path} was begun with {_listed(decisive)}: bits would differ from those of an uninterrupted run. "
            f"Go on all the same with `nucleate resume {run.path} --with-other-versions`, or "
            "train(..., other_versions=True); run.json will name both."
        )
    other_block = plan.block not in (None, about.block)
    if other_block:
        watch.tell(f"{run.path} keeps its block of {about.block}; {plan.block} was asked for")
    if changed:
        watch.tell(f"{run.path} was begun with {_listed(changed)}")
    if changed or other_block:
        run.update(sessions=[*map(asdict, about.sessions), asdict(now)])


def differences(run: Run) -> dict[str, tuple[str, str]]:
    """What is different here from where a run was left last, as (there, here), as far as run.json tells."""
    return _differences(run, provenance())


def _differences(run: Run, here: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    about = run.about
    last = about.sessions[-1] if about.sessions else about
    there = _flat(last.versions, last.platform, last.device)
    now = _flat(here["versions"], here["platform"], device())
    names = [name for name in there if name in now and name not in _IRRELEVANT]
    return {name: (there[name], now[name]) for name in names if there[name] != now[name]}


def same_bits(run: Run) -> bool:
    """Whether this process computes what the run computed, to the last bit, as far as run.json tells."""
    return not any(name in _DECISIVE for name in differences(run)) and not run.about.sessions


def _flat(versions: Mapping[str, str], platform: Mapping[str, Any], device: str | None) -> dict[str, str]:
    known = {**versions, **platform, "device": device}
    return {name: str(value) for name, value in known.items() if value is not None}


def _listed(changed: Mapping[str, tuple[str, str]]) -> str:
    return ", ".join(f"{name} {_apart(*values)} (now {_apart(*values[::-1])})" for name, values in changed.items())


def _apart(these: str, those: str) -> str:
    """The words that the others lack: of two long lists of instructions, only where they differ."""
    return " ".join(word for word in these.split() if word not in those.split()) or "none"
