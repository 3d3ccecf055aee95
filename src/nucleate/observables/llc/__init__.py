"""The local learning coefficient of any loss, at any point, in any subset of its parameters, on any data.

`settings.py` says which posterior a chain samples and how far it steps, `sources.py` which data it sees, `subsets.py`
which parameters move, `samplers.py` how they move. `chains.py` is the compiled program that runs it all, `estimate.py`
reads its traces: `mixing.py` asks whether chains agree, `settling.py` whether they have filled their region, and
`coefficient.py` says what the error is made of. `calibration.py` searches for trustworthy settings, and `truths.py`
holds exactly known coefficients. Read `estimate.py` first.

A *cell* is a checkpoint, a subset of the parameters and a setting (step, temperature, localisation). Its chains see
the same minibatches, so whatever depends on frozen weights alone has no chain axis and is computed once. Cells are
vmapped in blocks of one shape, blocks are spread over cores, and one program serves all subsets of the same leaves. A
chain that diverges makes its cell NaN and a `Doubt`, and harms no other. A new way to move is a `Sampler`, new data a
`Source`, a new choice of weights a `Subset`.

BlackJAX is not used: its samplers and their adaptation are made for one chain at one setting, whereas here one scan
must carry chains × cells and measure the paired baseline and the bias on the way. All that would be left of it is the
two lines of a Langevin step.
"""
