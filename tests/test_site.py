"""The documentation site: what its pages are made of, and links that lead nowhere."""

import pytest

from docs.press import site as press
from docs.press.markdown import to_html
from docs.press.site import BrokenLinks, Page, Site


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of its own."""
    folder = tmp_path / "project"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "data.csv").write_text("1\n")
    (folder / "code.py").write_text("x = 1 < 2\n")
    monkeypatch.setattr(press, "PROJECT", folder)
    return folder


def page(address: str, text: str, source: str, section: str = "Guides") -> Page:
    return Page(section, f"On {address}", address, lambda link: to_html(text, link), source)


def written(folder, *pages: Page) -> Site:
    site = Site(folder, list(pages))
    site.write()
    return site


def test_links_between_files_become_links_between_pages(project, tmp_path):
    text = (
        "# One\n[two](docs/two.md#deep-down) [data](docs/data.csv) [code](code.py) [far](https://a.b/c.md) [here](#one)"
    )
    site = written(
        tmp_path / "site",
        page("index.html", text, "README.md"),
        page("two.html", "# Two\n## Deep down!", "docs/two.md"),
    )
    site.check()
    made = (tmp_path / "site" / "index.html").read_text()
    for address in ("two.html#deep-down", "data.csv", "source/code.py.html", "https://a.b/c.md", "#one"):
        assert f'href="{address}"' in made
    assert (tmp_path / "site" / "data.csv").read_text() == "1\n"
    assert "&lt;" in (tmp_path / "site" / "source" / "code.py.html").read_text()


def test_links_out_of_a_folder_and_from_the_projects_own(project, tmp_path):
    deep = page("deep/page.html", "# A\n[up](../README.md) [rooted](/docs/data.csv)", "deep/page.md")
    written(tmp_path / "site", page("index.html", "# B", "README.md"), deep).check()
    made = (tmp_path / "site" / "deep" / "page.html").read_text()
    assert 'href="../index.html"' in made
    assert 'href="../data.csv"' in made


def test_a_link_to_no_file_is_an_error_that_names_both(project, tmp_path):
    with pytest.raises(BrokenLinks, match=r"README\.md: there is no file docs/gone\.md"):
        written(tmp_path / "site", page("index.html", "# A\n[gone](docs/gone.md)", "README.md"))


def test_an_anchor_that_is_not_there_is_an_error(project, tmp_path):
    site = written(
        tmp_path / "site",
        page("index.html", "# A\n[b](b.md#nowhere)\n[c](#there)", "README.md"),
        page("b.html", "# B", "b.md"),
    )
    with pytest.raises(BrokenLinks, match=r"README\.md: b\.html#nowhere\nREADME\.md: #there$"):
        site.check()


def test_every_page_of_a_section_is_in_the_menu_and_leads_to_the_next(project, tmp_path):
    pages = (
        page("index.html", "# A", "README.md"),
        page("b.html", "# B", "b.md"),
        page("c.html", "# C", "c.md", section=""),
    )
    written(tmp_path / "site", *pages)
    made = (tmp_path / "site" / "index.html").read_text()
    assert '<a href="index.html" aria-current="page">On index.html</a>' in made
    assert 'Next: <a href="b.html">' in made
    assert "c.html" not in made


def test_headings_of_one_name_have_anchors_of_their_own():
    assert 'id="a-1"' in to_html("# A\n## A", str)
    assert to_html("<script>", str).startswith("<p>&lt;script&gt;")


def test_wide_tables_scroll():
    assert '<div class="scroll"><table>' in to_html("|a|\n|-|\n|1|", str)
