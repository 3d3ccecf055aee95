"""How fast, as a ratio: nucleate beside the alternative, on the same machine, in the same run."""
