"""Who continues a run, where that is not who began it: other versions, other instructions, another device."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol, runtime_checkable

import jax

from nucleate.fleet.allow import Allow
from nucleate.fleet.cut import counts, knows_pieces
from nucleate.fleet.plan import Plan
from nucleate.fleet.progress import Watcher
from nucleate.record import Run, RunError, Session, provenance

# What decides the bits of a sum; other packages are noted, but change none.
_DECISIVE = ("jax", "jaxlib", "machine", "instructions", "xla_flags", "device")
_IRRELEVANT = ("cores", "system")


def device() -> str:
    """What this process computes on: "cpu", or the name of an accelerator."""
    return jax.local_devices()[0].device_kind


@runtime_checkable
class _Trains(Protocol):
    """Whatever says what was trained with: run.json, one of its sessions, or a process."""

    @property
    def versions(self) -> Mapping[str, str]: ...
    @property
    def platform(self) -> Mapping[str, Any]: ...
    @property
    def device(self) -> str | None: ...


@dataclass(frozen=True)
class Environment:
    """What a process trains with: versions of packages, the machine, and the device."""

    created: str
    versions: Mapping[str, str]
    platform: Mapping[str, Any]
    git: str
    device: str


def environment() -> Environment:
    """That of this process."""
    return Environment(**provenance(), device=device())


def settle_pieces(plan: Plan, run: Run, allow: Allow) -> None:
    """Note in run.json into how many pieces a run that does not say so, and was begun before it could, cuts its batches
    from now on. That may change bits, so it is refused, unless `Allow.OTHER_VERSIONS`."""
    about = run.about
    if about.block is None or knows_pieces(plan, about):
        return
    pieces, sessions = counts(plan.recipe)[0], about.sessions
    if any(run.checkpoints.glob("*")):
        if Allow.OTHER_VERSIONS not in allow:
            raise RunError(_refusal(run, {"microbatches": ("unknown", str(pieces))}))
        done = len([*run.checkpoints.glob("*.done")])
        sessions += (Session(**asdict(environment()), seconds=about.seconds, shards_done=done),)
    run.update(microbatches=pieces, sessions=[*map(asdict, sessions)])


def begin_crew(run: Run, watch: Watcher, environments: Sequence[Environment], allow: Allow) -> list[int]:
    """Note in run.json, and tell, in which environments a cluster trains the run; the place of each there.

    Place 0 is what the run was begun with, n its n-th session. Where a run that has been begun would get an environment
    that changes bits, it is refused, unless `Allow.OTHER_VERSIONS`.
    """
    if run.about.block is None:  # nothing has been trained
        ((usual, _),) = Counter(map(_kind, environments)).most_common(1)
        first = asdict(next(each for each in environments if _kind(each) == usual))
        run.update(**{name: first[name] for name in ("versions", "platform", "device")})
    about = run.about
    known: list[_Trains] = [about, *about.sessions]
    new: list[Session] = []
    for each in environments:
        if place_of(each, [*known, *new]) is None:
            new.append(
                Session(**asdict(each), seconds=about.seconds, shards_done=len([*run.checkpoints.glob("*.done")]))
            )
    for session in new:
        changed = _decisive(about, session)
        if any(run.checkpoints.glob("*")) and Allow.OTHER_VERSIONS not in allow:
            raise RunError(_refusal(run, changed))
        watch.tell(
            f"workers differ: some have {_listed(changed)}; last bits depend on who trains what, which "
            f"{run.checkpoints} says of each shard"
        )
    if new:
        run.update(sessions=[*map(asdict, about.sessions), *map(asdict, new)])
    places = [place_of(each, [*known, *new]) for each in environments]
    return [place for place in places if place is not None]


def place_of(environment: Environment, known: Sequence[_Trains]) -> int | None:
    """The first of the known environments with which an environment shares all bits."""
    return next((place for place, each in enumerate(known) if not _decisive(each, environment)), None)


def _kind(trains: _Trains) -> tuple[str | None, ...]:
    """What decides bits; equal for all that share them."""
    known = _flat(trains.versions, trains.platform, trains.device)
    return tuple(known.get(name) for name in _DECISIVE)


def _decisive(there: _Trains, here: _Trains) -> dict[str, tuple[str, str]]:
    """What changes bits, as (there, here)."""
    before, now = (_flat(each.versions, each.platform, each.device) for each in (there, here))
    names = [name for name in _DECISIVE if name in before and name in now]
    return {name: (before[name], now[name]) for name in names if before[name] != now[name]}


def begin_session(plan: Plan, run: Run, watch: Watcher, allow: Allow) -> None:
    """Note in run.json, and tell, that a run is continued by another environment than it was left by.

    Where that changes bits, it is refused, unless `Allow.OTHER_VERSIONS`: the record would be neither the one
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
    if decisive and Allow.OTHER_VERSIONS not in allow and any(run.checkpoints.glob("*")):
        raise RunError(_refusal(run, decisive))
    other_block = plan.block not in (None, about.block)
    if other_block:
        watch.tell(f"{run.path} keeps its block of {about.block}; {plan.block} was asked for")
    if changed:
        watch.tell(f"{run.path} was begun with {_listed(changed)}")
    if changed or other_block:
        run.update(sessions=[*map(asdict, about.sessions), asdict(now)])


def _refusal(run: Run, decisive: Mapping[str, tuple[str, str]]) -> str:
    return (
        f"{run.path} was begun with {_listed(decisive)}: bits would differ from those of an uninterrupted run. "
        f"Go on all the same with `nucleate resume {run.path} --with-other-versions`, or "
        "train(..., allow=Allow.OTHER_VERSIONS); run.json will name both."
    )


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
