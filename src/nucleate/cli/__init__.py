"""The command line. `nucleate --help` answers at once: each command imports what it needs when it runs."""

from nucleate.cli.main import main

__all__ = ["main"]
