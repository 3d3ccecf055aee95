"""What was seen: schema and storage. Needs no JAX."""

from typing import TYPE_CHECKING

from nucleate.rooms import on_demand

if TYPE_CHECKING:
    from nucleate.record.about import About, MadeBy, Session, record_identity
    from nucleate.record.arrays import from_arrays
    from nucleate.record.checkpoints import read_checkpoints
    from nucleate.record.code import code_beside, code_identity
    from nucleate.record.columns import column, columns, told_apart
    from nucleate.record.disk import Folder, inside, is_inner, replacing, write_atomically
    from nucleate.record.export import curves_table, export_all, export_curves, export_members, members_table
    from nucleate.record.histories import Cell, cells, ends, histories, hyperparameters, swept
    from nucleate.record.joining import joined, refuse_unlike
    from nucleate.record.keep import Keep
    from nucleate.record.needs import Need, require
    from nucleate.record.opening import missing_chunks, open_record, verify
    from nucleate.record.reading import MissingColumn, at_the_end, last_row, naming_columns, stayed_finite
    from nucleate.record.recorder import Recorder
    from nucleate.record.run import Run, list_runs, provenance
    from nucleate.record.schema import NEVER, SCHEMA_VERSION, Outcome, RunError, Variable, fill_value
    from nucleate.record.store import Store, as_attr, create_store

__all__ = [
    "NEVER",
    "SCHEMA_VERSION",
    "About",
    "Cell",
    "Folder",
    "Keep",
    "MadeBy",
    "MissingColumn",
    "Need",
    "Outcome",
    "Recorder",
    "Run",
    "RunError",
    "Session",
    "Store",
    "Variable",
    "as_attr",
    "at_the_end",
    "cells",
    "code_beside",
    "code_identity",
    "column",
    "columns",
    "create_store",
    "curves_table",
    "ends",
    "export_all",
    "export_curves",
    "export_members",
    "fill_value",
    "from_arrays",
    "histories",
    "hyperparameters",
    "inside",
    "is_inner",
    "joined",
    "last_row",
    "list_runs",
    "members_table",
    "missing_chunks",
    "naming_columns",
    "open_record",
    "provenance",
    "read_checkpoints",
    "record_identity",
    "refuse_unlike",
    "replacing",
    "require",
    "stayed_finite",
    "swept",
    "told_apart",
    "verify",
    "write_atomically",
]

on_demand(__name__)
