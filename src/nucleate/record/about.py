"""What run.json says of a run."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from nucleate.record.document import fields
from nucleate.record.schema import SCHEMA_VERSION

_VOLATILE = {"status", "seconds", "made_by"}  # what changes in run.json without changing the record


@dataclass(frozen=True)
class Session:
    """Who continued a run that was begun with other versions, instructions or device, or asked for another block.

    `shards_done`: how many parts of the fleet were complete then; `seconds`: what they had cost.
    """

    created: str
    versions: Mapping[str, str]
    platform: Mapping[str, Any]
    git: str
    device: str | None = None
    block: int | None = None
    shards_done: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class MadeBy:
    """The class that makes the plan of a run again from its config: a recipe, or a paper's experiment. `file`: where it
    is, if it is neither nucleate's nor an installed package's."""

    name: str
    file: str | None = None


@dataclass(frozen=True)
class About:
    """What was run: by whom and with what, how many `members` for how many `steps`, and how far it has come.

    `block`, `microbatches`, `shard_size` and `groups` are there as soon as the record is laid out: members that
    advanced together, pieces of a batch (older runs do not say it), members that one worker takes, programs.
    `experiment` is there if it is one of a paper's; `config`: the fields of what it was `made_by`; `keep_weights`: a
    schedule, empty if none are kept; `by`: a `Recorder`, or None for a fleet; `device`: what it was begun on;
    `sessions`: who continued it. `rest`: whatever else the file says.
    """

    status: Literal["created", "running", "interrupted", "complete"]
    created: str
    versions: Mapping[str, str]
    git: str
    platform: Mapping[str, Any]
    members: int
    steps: int
    schema_version: int = SCHEMA_VERSION
    by: Literal["recorder"] | None = None
    experiment: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    made_by: MadeBy | None = None
    keep_weights: Mapping[str, Any] | None = None
    fingerprint: str | None = None
    code: str | None = None
    block: int | None = None
    microbatches: int | None = None
    shard_size: int | None = None
    groups: int | None = None
    seconds: float = 0.0
    device: str | None = None
    sessions: tuple[Session, ...] = ()
    rest: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self):
        for name in ("members", "steps", "block", "microbatches", "shard_size", "groups"):
            count = getattr(self, name)
            if count is not None and count < 1:
                raise ValueError(f"{name} must be >= 1; got {count}.")
        if (self.block is None) != (self.shard_size is None):
            missing = "block" if self.block is None else "shard_size"
            raise ValueError(f"{missing} is missing.")
        if self.seconds < 0:
            raise ValueError(f"seconds must be >= 0; got {self.seconds}.")

    @property
    def what(self) -> str:
        """What was run, in a word or two: an experiment, a recipe, or a loop."""
        if self.by == "recorder":
            return "a loop of your own"
        return self.experiment or (self.made_by.name if self.made_by else "from Python")


def record_identity(about: About) -> str:
    """Of a finished run's record: what its run.json says, except for what can change while the record does not."""
    lasting = {key: value for key, value in fields(about).items() if key not in _VOLATILE}
    return hashlib.sha256(json.dumps(lasting, sort_keys=True, default=str).encode()).hexdigest()
