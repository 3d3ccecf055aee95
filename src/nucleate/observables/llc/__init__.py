"""The local learning coefficient of any loss, at any point, in any of its parameters, on any data.

`settings.py` says where a chain walks and how far it steps, `sources.py` what data it sees, `subsets.py` which
parameters move, `samplers.py` how it moves; `chains.py` is the compiled program that runs all of it, `estimate.py`
reads its traces, `calibration.py` searches settings one can believe, `truths.py` knows answers. Read `estimate.py`
first.
"""
