"""What was seen: schema and storage. Needs no JAX."""

from nucleate.record.keep import Keep
from nucleate.record.reading import at_the_end, last_row, stayed_finite
from nucleate.record.run import Run, list_runs, provenance, write_atomically
from nucleate.record.schema import NEVER, SCHEMA_VERSION, Outcome, RunError, Variable, fill_value
from nucleate.record.store import Store, as_attr, create_store, load, open_record, verify

__all__ = [
    "NEVER",
    "SCHEMA_VERSION",
    "Keep",
    "Outcome",
    "Run",
    "RunError",
    "Store",
    "Variable",
    "as_attr",
    "at_the_end",
    "create_store",
    "fill_value",
    "last_row",
    "list_runs",
    "load",
    "open_record",
    "provenance",
    "stayed_finite",
    "verify",
    "write_atomically",
]
