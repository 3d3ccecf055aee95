"""The local learning coefficient of any loss, at any point, in any subset of its parameters, on any data.

`settings.py` says which posterior a chain samples and how far it steps, `sources.py` which data it sees, `subsets.py`
which parameters move, `samplers.py` how they move. `chains.py` is the compiled program that runs it all, `estimate.py`
reads its traces, `calibration.py` searches for trustworthy settings, and `truths.py` holds exactly known coefficients.
Read `estimate.py` first.
"""
