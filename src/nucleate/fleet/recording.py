"""The record of a run: laid out when the run begins, checked when it is resumed."""

import shutil

from nucleate.fleet.layout import Layout
from nucleate.fleet.shard import done_file
from nucleate.record import Run, RunError, create_store, missing_chunks, open_record


def begin_record(run: Run, layout: Layout) -> None:
    """Lay out the record. One that is there already holds nothing yet: the process was killed before it could note in
    run.json how the work is cut up."""
    if any(run.checkpoints.glob("*")):
        raise RunError(
            f"{run.path}/run.json: block is missing, though networks were trained; restore it, or train anew."
        )
    if run.record_path.exists():
        shutil.rmtree(run.record_path)
    create_store(run.record_path, layout.frame(), layout.variables())


def recheck_record(run: Run, layout: Layout) -> None:
    """Refuse a record that is not as this run would write it. Shards that were done and have lost a chunk are
    forgotten: they are trained again."""
    record = open_record(run.record_path, complete=False)
    streamed = {variable.name: variable for variable in layout.variables()}
    for name, variable in streamed.items():
        if name not in record or record[name].shape != variable.shape:
            raise RunError(f"{run.record_path}: variable '{name}' must have the shape {variable.shape}; train anew.")
        shard = record[name].encoding["chunks"][0]
        if shard != variable.chunks[0]:  # two shards would write the same file
            raise RunError(
                f"{run.path}/run.json: shard_size must be {shard}, as in the record; got {layout.shard_size}."
            )
    for name, places in missing_chunks(run.record_path).items():
        if name not in streamed:
            raise RunError(f"{run.record_path}: variable '{name}' has lost {len(places)} chunks; train anew.")
        for shard, *_ in places:
            done_file(run.checkpoints, shard).unlink(missing_ok=True)
