from itertools import pairwise

import numpy as np
import pytest
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from nucleate.plots import hierarchy, strips, token_colors

LINE = [0, 1, 2, 3]
LEVELS = [
    [("A1, A2, A3", "2 free", LINE)],
    [("A1, A2", "2 free", LINE), ("A1, A3", "2 free", LINE), ("A2, A3", "2 free", LINE)],
    [("A1", "3 free", [0, 1, 2, 4]), ("A2", "3 free", [0, 0.7, 2.3, 3]), ("A3", "3 free", [-1, 1, 2, 3])],
    [("none", "4 free", [0, 2.4, 2.4, 3])],
]
EDGES = [
    (parent[0], child[0])
    for upper, lower in pairwise(LEVELS)
    for parent in upper
    for child in lower
    if child[0] == "none" or set(child[0].split(", ")) < set(parent[0].split(", "))
]


def test_a_box_for_each_set_and_an_arrow_for_each_edge(ax):
    ax.figure.set_size_inches(9, 4)
    hierarchy(ax, LEVELS, EDGES)
    assert sum(isinstance(patch, FancyBboxPatch) for patch in ax.patches) == 8
    assert sum(isinstance(patch, FancyArrowPatch) for patch in ax.patches) == len(EDGES) == 12
    texts = [text.get_text() for text in ax.texts]
    assert texts.count("3 free") == 3
    assert sorted(texts).count("0") == 8
    assert len(texts) == 8 * (2 + 4)


def test_no_text_lies_on_another_even_where_dots_coincide(ax, overlapping):
    ax.figure.set_size_inches(9, 4)
    hierarchy(ax, LEVELS, EDGES)
    assert overlapping(list(ax.texts)) == 0


def test_boxes_do_not_overlap_and_stay_in_view(ax):
    hierarchy(ax, LEVELS, EDGES)
    boxes = [patch.get_extents() for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    view = ax.bbox
    for i, box in enumerate(boxes):
        assert view.x0 <= box.x0 < box.x1 <= view.x1
        assert view.y0 <= box.y0 < box.y1 <= view.y1
        assert not any(box.overlaps(other) for other in boxes[:i])


def test_dots_are_placed_in_proportion(ax):
    hierarchy(ax, [[("A", "", [0.0, 1.0, 4.0])], [("collapsed", "", [2.0, 2.0, 2.0])]], [])
    first, second = (dots.get_offsets()[:, 0] for dots in ax.collections)
    assert (first[1] - first[0]) / (first[2] - first[0]) == pytest.approx(0.25)
    assert np.ptp(second) == 0


def test_names_are_unique_and_edges_join_them(ax):
    with pytest.raises(ValueError, match="'A' twice"):
        hierarchy(ax, [[("A", "", LINE), ("A", "", LINE)]], [])
    with pytest.raises(ValueError, match=r"edges must join boxes \['A'\]; got \['B'\]"):
        hierarchy(ax, [[("A", "", LINE)]], [("A", "B")])


@pytest.fixture
def networks():
    rng = np.random.default_rng(0)
    groups = rng.choice(3, 60, p=[0.5, 0.49, 0.01])
    signs = rng.choice([-1.0, 1.0], (60, 1))
    return signs * (np.arange(4) + 0.05 * rng.normal(size=(60, 4))), groups


def test_a_row_for_each_network_gathered_by_group(ax, networks, overlapping):
    embeddings, groups = networks
    strips(ax, embeddings, groups, ["linear", "bent", "free", "never seen"], xlabel="E")
    assert sum(len(dots.get_offsets()) for dots in ax.collections) == 60 * 4
    counts = np.bincount(groups, minlength=4)
    assert [int(text.get_text().split("\n")[1].split()[0]) for text in ax.texts] == counts.tolist()
    assert counts[3] == 0
    assert overlapping(list(ax.texts)) == 0
    heights = np.unique(np.concatenate([dots.get_offsets()[:, 1] for dots in ax.collections]))
    assert heights.size == 60


def test_rows_are_normalised_turned_and_sorted(ax, networks):
    embeddings, _ = networks
    strips(ax, embeddings, np.zeros(60, int), ["all"])
    rows = np.stack([dots.get_offsets() for dots in ax.collections], axis=1)
    x = np.asarray(rows[..., 0])
    assert np.allclose(x.mean(1), 0)
    assert np.allclose(x.std(1), 1)
    assert np.all(x[:, -1] > x[:, 0])
    assert np.all(np.diff(x[:, 1]) >= 0)
    assert np.all(np.diff(rows[:, 0, 1]) > 0)


def test_the_legend_names_the_tokens_and_leaves_the_title_free(ax, networks, extents):
    strips(ax, *networks, ["linear", "bent", "free"])
    ax.set_title("slow decoder")
    names = ax.get_legend().get_texts()
    assert [name.get_text() for name in names] == ["token 0", "1", "2", "3"]
    handles = ax.get_legend().legend_handles
    assert [tuple(handle.get_color()) for handle in handles] == token_colors(4)
    assert extents(names)[:, 3].max() < extents([ax._left_title])[0, 1]


def test_a_network_whose_tokens_coincide_is_drawn_at_the_middle(ax):
    strips(ax, np.full((1, 3), 0.7), [0], ["collapsed"])
    assert np.allclose([dots.get_offsets()[0, 0] for dots in ax.collections], 0, atol=1e-9)


def test_wrong_shapes_and_groups_are_named(ax):
    with pytest.raises(ValueError, match=r"groups \[network\]; got \(2, 3\) and \(3,\)"):
        strips(ax, np.ones((2, 3)), [0, 0, 0], ["a"])
    with pytest.raises(ValueError, match=r"groups must be 0 … 0; got \[0, 1\]"):
        strips(ax, np.ones((2, 3)), [0, 1], ["a"])
