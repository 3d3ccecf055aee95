"""Arrays in, numbers out: the structure of a representation, and what its training data determine.

Observables of a snapshot (`rqi`, `pca_spectrum`, `signal`, ...) are written in JAX for one embedding: jit them, vmap
them over members and steps, or pass NumPy arrays. Functions of a set of pairs (`nullity`, `implied`, ...) and of
finished runs (`phase`, `settle_step`, ...) are NumPy and take any number of leading axes. The local learning
coefficient (`learning_coefficient`, `calibrate`) takes any loss and any pytree of parameters. A record is asked for
observables of all members and steps as `record.nucleate.rqi()`, see `OfRecord`.
"""

from nucleate.observables.alignment import procrustes_error
from nucleate.observables.attention import (
    CollisionScore,
    HeadClass,
    attention_distance_correlation,
    attention_entropy,
    collision_score,
    contact_attention,
    contact_limit,
    contact_share,
    distances,
    head_class,
    relative_gain,
)
from nucleate.observables.circles import (
    Above,
    TwiceTheMean,
    circularity,
    margin,
    pca_frequencies,
    roundness,
    separation,
    settle_step,
    signal_gradient,
    spacing,
    survivor_count,
    survivors,
)
from nucleate.observables.classes import class_means, nearest_mean_accuracy, spread_between, spread_within
from nucleate.observables.closeness import Distance, MeanSquare
from nucleate.observables.configurations import (
    displacement_clusters,
    displacement_purity,
    in_well_fraction,
    is_canonical,
    is_line,
    lattice_regularity,
    line_angle,
)
from nucleate.observables.cosines import centred_cosine
from nucleate.observables.determination import (
    gram,
    grokking_rate,
    ideal_accuracy,
    ideal_rqi,
    ideal_test_accuracy,
    implied,
    is_linear,
    null_space,
    nullity,
)
from nucleate.observables.factors.classes import FactorClass
from nucleate.observables.factors.factorise import Factorisation, Thresholds, factorise
from nucleate.observables.factors.splits import Pairing
from nucleate.observables.fourier import (
    fourier_coefficients,
    frequency_shares,
    gradient_spectrum,
    mean_signal,
    plane,
    power,
    project,
    signal,
)
from nucleate.observables.latents import best_correlations, normalised_correlation
from nucleate.observables.line_graphs import (
    EdgeEmbedding,
    LineGraph,
    LineSpectrum,
    Plain,
    Weighted,
    edge_embedding,
    line_graph,
    line_spectrum,
    normalised_laplacian,
)
from nucleate.observables.llc.calibration import Calibration, Plateau, calibrate
from nucleate.observables.llc.coefficient import Doubt, LearningCoefficient
from nucleate.observables.llc.estimate import Sampling, learning_coefficient
from nucleate.observables.llc.mixing import mixing
from nucleate.observables.llc.samplers import MALA, SGLD, RMSpropSGLD
from nucleate.observables.llc.settings import Grid, Setting
from nucleate.observables.llc.sources import Fresh, Minibatches, Whole
from nucleate.observables.llc.subsets import Everything, Mask, Matching
from nucleate.observables.llc.truths import aoyagi, linear_excess, polynomial_excess
from nucleate.observables.navigation import Navigator, Routes, Ties, optimal_routes
from nucleate.observables.of_records import OfRecord
from nucleate.observables.orthogonality import median_cosine, random_cosine
from nucleate.observables.parallelograms import (
    covered,
    equations,
    formed,
    known,
    linear_residual,
    normalized,
    parallelograms,
    predicted_accuracy,
    rqi,
)
from nucleate.observables.phases import Phase, phase, sandwiched, vote
from nucleate.observables.polygons import polygon_residual, principal_components
from nucleate.observables.products import formed_products, product_rqi, unit_scale
from nucleate.observables.ranks import effective_rank, stable_rank
from nucleate.observables.slingshots import slingshots
from nucleate.observables.spectral_correlation import chance_correlation, spectral_correlation
from nucleate.observables.spectrum import effective_dimension, pca_spectrum, principal_coordinates, spectral_entropy
from nucleate.observables.unexplained import fvu

__all__ = [
    "MALA",
    "SGLD",
    "Above",
    "Calibration",
    "CollisionScore",
    "Distance",
    "Doubt",
    "EdgeEmbedding",
    "Everything",
    "FactorClass",
    "Factorisation",
    "Fresh",
    "Grid",
    "HeadClass",
    "LearningCoefficient",
    "LineGraph",
    "LineSpectrum",
    "Mask",
    "Matching",
    "MeanSquare",
    "Minibatches",
    "Navigator",
    "OfRecord",
    "Pairing",
    "Phase",
    "Plain",
    "Plateau",
    "RMSpropSGLD",
    "Routes",
    "Sampling",
    "Setting",
    "Thresholds",
    "Ties",
    "TwiceTheMean",
    "Weighted",
    "Whole",
    "aoyagi",
    "attention_distance_correlation",
    "attention_entropy",
    "best_correlations",
    "calibrate",
    "centred_cosine",
    "chance_correlation",
    "circularity",
    "class_means",
    "collision_score",
    "contact_attention",
    "contact_limit",
    "contact_share",
    "covered",
    "displacement_clusters",
    "displacement_purity",
    "distances",
    "edge_embedding",
    "effective_dimension",
    "effective_rank",
    "equations",
    "factorise",
    "formed",
    "formed_products",
    "fourier_coefficients",
    "frequency_shares",
    "fvu",
    "gradient_spectrum",
    "gram",
    "grokking_rate",
    "head_class",
    "ideal_accuracy",
    "ideal_rqi",
    "ideal_test_accuracy",
    "implied",
    "in_well_fraction",
    "is_canonical",
    "is_line",
    "is_linear",
    "known",
    "lattice_regularity",
    "learning_coefficient",
    "line_angle",
    "line_graph",
    "line_spectrum",
    "linear_excess",
    "linear_residual",
    "margin",
    "mean_signal",
    "median_cosine",
    "mixing",
    "nearest_mean_accuracy",
    "normalised_correlation",
    "normalised_laplacian",
    "normalized",
    "null_space",
    "nullity",
    "optimal_routes",
    "parallelograms",
    "pca_frequencies",
    "pca_spectrum",
    "phase",
    "plane",
    "polygon_residual",
    "polynomial_excess",
    "power",
    "predicted_accuracy",
    "principal_components",
    "principal_coordinates",
    "procrustes_error",
    "product_rqi",
    "project",
    "random_cosine",
    "relative_gain",
    "roundness",
    "rqi",
    "sandwiched",
    "separation",
    "settle_step",
    "signal",
    "signal_gradient",
    "slingshots",
    "spacing",
    "spectral_correlation",
    "spectral_entropy",
    "spread_between",
    "spread_within",
    "stable_rank",
    "survivor_count",
    "survivors",
    "unit_scale",
    "vote",
]
