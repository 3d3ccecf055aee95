"""Makes `tests.attack` importable, however pytest is called."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
