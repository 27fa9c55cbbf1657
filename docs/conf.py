"""The site of the docs, made by `python3 run.py docs`: what Sphinx needs to know, and how pages are read.

The pages are ordinary Markdown whose links work on a code forge, too. Sphinx's source folder is the
repository, so links to the README and to source files work in the site: a file that is no page becomes a
download.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs"))  # for docstrings.py
PICTURES = ROOT / "build" / "docs_pictures"  # tests/docs/run_pages.py leaves there what pages draw
LINK = re.compile(r"(?<![\w`\]!])(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<to>[^)#:\s]+)(?P<anchor>#[^)\s]*)?\)")
LISTED = re.compile(r"^ *[-*] \[(?P<text>[^\]]*)\]\((?P<page>[^)#:\s]+)\.md\)", re.M)
FENCED = re.compile(r"^( *```+).*?^\1`*\s*?$", re.M | re.S)
FIRST = '<!doctype html><meta http-equiv="refresh" content="0; url={place}"><a href="{place}">{project}</a>\n'

project = "pycuda_tile"
author = "the authors of pycuda_tile"
root_doc = "docs/index"
include_patterns = ["*.md", "docs/**.md", "examples/**.md", "benchmarks/README.md"]
exclude_patterns = ["build", "dist", ".*", "**/__pycache__"]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode", "docstrings"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
highlight_language = "text"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"

html_theme = "furo"
html_title = "pycuda_tile"
html_static_path = ["site"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
templates_path: list[str] = []


def read_page(app: Sphinx, name: str, source: list[str]) -> None:
    """Prepares a page's text for the site."""
    page = ROOT / f"{name}.md"
    text = outside_of_code(source[0], lambda part: LINK.sub(lambda link: link_in_site(link, page), part))
    if page.name == "index.md":
        text += contents(source[0])
    source[0] = text


def outside_of_code(text: str, change) -> str:
    """The text with everything changed but its fenced blocks."""
    parts, end = [], 0
    for block in FENCED.finditer(text):
        parts += [change(text[end : block.start()]), block[0]]
        end = block.end()
    return "".join([*parts, change(text[end:])])


def link_in_site(link: re.Match[str], page: Path) -> str:
    """A picture that the page's own code has drawn comes from where it was left. A folder has no page."""
    target = page.parent / link["to"]
    if link["image"]:
        if target.exists():
            return link[0]
        drawn = PICTURES / page.relative_to(ROOT).with_suffix("") / link["to"]
        if not drawn.exists():
            return f"*{link['text']}*"
        return f"![{link['text']}](/{drawn.relative_to(ROOT).as_posix()})"
    if not target.is_dir():
        return link[0]
    return f"[{link['text']}]({link['to']}/README.md)" if (target / "README.md").exists() else link["text"]


def contents(index: str) -> str:
    """The pages that an index lists, as Sphinx needs them: a list for each heading of the second level."""
    lists = []
    for section in re.split(r"^## ", index, flags=re.M):
        names = "\n".join(f"{found['text']} <{found['page']}>" for found in LISTED.finditer(section))
        if names:
            caption = section.partition("\n")[0].strip()
            lists.append(f"\n\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{names}\n```\n")
    return "".join(lists)


def lead_to_index(app: Sphinx, failure: Exception | None) -> None:
    """The site's first page is docs/index.html; index.html leads to it."""
    if failure is None:
        page = FIRST.format(place=f"{root_doc}.html", project=project)
        (Path(app.outdir) / "index.html").write_text(page, encoding="utf-8")


def setup(app: Sphinx) -> None:
    from pygments.lexers.special import TextLexer

    app.add_lexer("mlir", TextLexer)
    app.connect("source-read", read_page)
    app.connect("build-finished", lead_to_index)
