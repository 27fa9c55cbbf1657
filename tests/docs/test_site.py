"""The pages of the site: what docs/conf.py makes of them, and where their links lead."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from run_pages import ROOT, all_pages, name_of

spec = importlib.util.spec_from_file_location("docs_conf", ROOT / "docs" / "conf.py")
conf = importlib.util.module_from_spec(spec)
spec.loader.exec_module(conf)


@pytest.fixture
def rewritten():
    """The text of a page of docs/ as the site reads it."""

    def rewritten(text: str) -> str:
        source = [text]
        conf.read_page(None, "docs/page", source)
        return source[0]

    return rewritten


def test_local_links_lead_to_files():
    for page in all_pages():
        conf.outside_of_code(page.read_text(encoding="utf-8"), lambda text, page=page: check(text, page))


def check(text: str, page: Path) -> str:
    for link in conf.LINK.finditer(text):
        made = link["image"] and "/" not in link["to"]  # the page's code may make it, or its runner says so
        assert made or (page.parent / link["to"]).exists(), f"{name_of(page)}: {link[0]}"
    return text


def test_every_page_is_listed_in_an_index():
    listed = set()
    for index in ROOT.joinpath("docs").rglob("index.md"):
        for found in conf.LISTED.finditer(index.read_text(encoding="utf-8")):
            listed.add((index.parent / f"{found['page']}.md").resolve())
    assert {page for page in all_pages() if page != ROOT / "docs" / "index.md"} <= listed


def test_links_to_folders_lead_to_their_page_or_nowhere(rewritten):
    assert rewritten("see [a](../examples/cpp_project)") == "see [a](../examples/cpp_project/README.md)"
    assert rewritten("see [a b](../examples/programs).") == "see a b."
    same = (
        "[a](../examples/mixed.cu) [b](python.md#the-cache) [c](#here)\n```\n[a](../examples/programs)\n```\n"
    )
    assert rewritten(same) == same


def test_pictures_come_from_the_page_that_drew_them(rewritten, tmp_path, monkeypatch):
    monkeypatch.setattr(conf, "PICTURES", ROOT / "docs")  # as if a page had left its pictures there
    assert rewritten("![growth](growth.png)") == "![growth](growth.png)"
    assert rewritten("![a map](map.svg)") == "*a map*"
    monkeypatch.setattr(conf, "PICTURES", ROOT / "tests" / "docs_pictures")
    monkeypatch.setattr(Path, "exists", lambda path: "tests" in path.parts)
    assert rewritten("![a map](map.svg)") == "![a map](/tests/docs_pictures/docs/page/map.svg)"


def test_an_index_becomes_tables_of_contents():
    text = conf.contents("# A\n\n## Learn\n\n- [X](x.md): x\n- [Y](in/y.md)\n\n## None\n\ntext [Z](z.md)\n")
    words = ["```{toctree}", ":hidden:", ":caption:", "Learn", "X", "<x>", "Y", "<in/y>", "```"]
    assert text.split() == words
