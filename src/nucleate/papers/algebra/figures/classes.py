"""How classes of solutions are called and coloured in all figures."""

from nucleate.observables import FactorClass
from nucleate.plots import PALETTE

NAMES = {
    FactorClass.XI_NU: r"$z_{\nu=i} * z_\xi$",
    FactorClass.SYN_TWISTED: r"$z_{\nu=i} * z_{\mathrm{syn},\alpha\beta}$",
    FactorClass.SYN_NU: r"$z_\nu * z_{\mathrm{syn}}$",
    FactorClass.OTHER: "other products",
    FactorClass.NONFACTORABLE: "not factorable",
    FactorClass.NEITHER_4_NOR_6: "not of order 4 or 6",
}
COLORS = {
    FactorClass.XI_NU: PALETTE[0],
    FactorClass.SYN_TWISTED: PALETTE[4],
    FactorClass.SYN_NU: PALETTE[2],
    FactorClass.OTHER: PALETTE[3],
    FactorClass.NONFACTORABLE: PALETTE[1],
    FactorClass.NEITHER_4_NOR_6: "#C9CDD2",
}
ROWS = {"a": PALETTE[0], "b": PALETTE[1], "c": PALETTE[2]}
"""The three rows of a node, and their colours."""
