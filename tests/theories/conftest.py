"""Makes the planted records and `brute_force` importable by the tests of all packages."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
