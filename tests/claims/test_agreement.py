import dataclasses

from nucleate.claims import Agreement, CheckRow, ClaimRow, agreement, to_overview


def row(claim: str, verdict: str, reason: str = "") -> ClaimRow:
    check = CheckRow("x", "1", verdict, 1.0, None, reason=reason)
    return ClaimRow(claim, claim.split("/")[0], "Fig. 1", "Statement.", 5, 10, 1.0, "", (check,))


FIRST = [
    row("toy/1", "replicated"),
    row("toy/2", "contradicted"),
    row("toy/3", "replicated"),
    row("toy/4", "inconclusive", "too few"),
    row("toy/5", "inconclusive", "too early"),
    row("toy/6", "shown"),
    row("toy/7", "replicated"),
]
OTHER = [
    row("toy/2", "contradicted"),
    row("toy/1", "replicated"),
    row("toy/3", "contradicted"),
    row("toy/4", "replicated"),
    row("toy/5", "inconclusive", "too few"),
    row("toy/6", "shown"),
]


def test_claims_that_both_decided_are_alike_or_opposed():
    found = agreement(FIRST, OTHER)  # which has no claim 7
    assert found == Agreement(alike=("toy/1", "toy/2"), opposed=("toy/3",), in_one=("toy/4",))
    assert found.decided == 3
    assert agreement(OTHER, FIRST).opposed == ("toy/3",)
    assert agreement(FIRST, []) == Agreement()


def test_what_no_network_decides_does_not_count():
    exact = [dataclasses.replace(each, members=0) for each in FIRST]
    assert agreement(exact, exact) == Agreement()


def test_the_page_compares_every_two_replications_of_a_paper():
    cards = {
        ("toy", "seeds from 0"): FIRST,
        ("joy", "seeds from 0"): [row("joy/1", "replicated")],
        ("toy", "seeds from 1,000"): OTHER,
        ("toy", "quick"): [row("toy/5", "replicated")],
    }
    page = to_overview(cards).splitlines()
    start = page.index("## Agreement")
    assert "--seeds-from" in page[start + 2]
    assert page[start + 4].count("|") == page[start + 5].count("|") == 8
    assert page[start + 6 : start + 10] == [
        "| toy | seeds from 0 | seeds from 1,000 | 3 | 2 (67%) | toy/3 | toy/4 |",
        "| toy | seeds from 0 | quick | 0 | 0 | none | toy/5 |",
        "| toy | seeds from 1,000 | quick | 0 | 0 | none | toy/5 |",
        "",
    ]
    assert page.index("## Agreement") < page.index("## toy (seeds from 0)")


def test_without_two_replications_of_a_paper_there_is_nothing_to_compare():
    assert "Agreement" not in to_overview({("toy", ""): FIRST, ("joy", ""): [row("joy/1", "replicated")]})
