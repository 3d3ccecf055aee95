from nucleate.claims import CheckRow, ClaimRow, Revision, to_overview


def row(claim: str, verdict: str, reason: str = "", **more) -> ClaimRow:
    check = CheckRow("x", "1", verdict, 1.0, None, reason=reason)
    return ClaimRow(claim, claim.split("/")[0], "Fig. 1", f"Statement | of {claim}.", 5, 10, 1.0, "", (check,), **more)


def test_all_papers_are_on_one_page():
    past = Revision("x > 2", "contradicted", "two was invented.")
    cards = {
        ("toy", "budget: quick"): [
            row("toy/1", "replicated", history=(past,)),
            row("toy/2", "inconclusive", "too few", outlook="about 140 networks more"),
            row("toy/3", "inconclusive", "too early"),
            row("toy/4", "inconclusive", "too few"),
        ],
        ("joy", ""): [row("joy/1", "contradicted", look=2, level=0.9955), row("joy/2", "shown")],
    }
    page = to_overview(cards).splitlines()
    assert page[2] == "| toy | 4 | 1 | 0 | 3 (2 too few, 1 too early) | 0 | budget: quick |"
    assert page[3] == "| joy | 2 | 0 | 1 | 0 | 1 |  |"
    assert "## toy (budget: quick)" in page
    assert "## joy" in page
    assert (
        "| toy/1 | Statement \\| of toy/1. | **replicated** |  | “x &gt; 2”: contradicted; changed because two was "
        "invented. |"
    ) in page
    assert "| toy/2 | Statement \\| of toy/2. | **inconclusive** | too few: about 140 networks more |  |" in page
    assert "| joy/1 | Statement \\| of joy/1. | **contradicted** (look 2, 99.55 %) |  |  |" in page
