"""Sphinx's settings for docs as pages. What is read is the repository itself, so that a link in a page means the same here
and where the code is hosted: to another page, to a place in it, or to a file, which is then part of the site; MyST reads
Markdown as it is read there. make.py calls Sphinx, with the pictures of the gallery in $HILLOCK_PICTURES."""

import os
import pathlib
import re

from sphinx.project import Project

HERE = pathlib.Path(__file__).resolve().parent
PICTURES = pathlib.Path(os.environ["HILLOCK_PICTURES"])

project = "Hillock"
extensions = ["myst_parser"]
root_doc = "README"
source_suffix = {".md": "markdown", ".py": "markdown"}
include_patterns = ["*.md", "docs/**.md", "bench/*.md", "examples/**.md", "examples/gallery/*.py"]
exclude_patterns = ["build", ".git"]
myst_heading_anchors = 6
html_theme = "furo"
html_title = "Hillock"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
pygments_style, pygments_dark_style = "friendly", "monokai"

# What is below a page, in this order: {page: [(caption, pages)]}. A page that is nowhere is a warning of Sphinx's.
BELOW = {
    "README": [
        ("Start", ["docs/install", "docs/gallery", "docs/coming-from", "docs/command", "docs/python"]),
        ("Models", ["docs/model-file", "docs/morphology", "docs/mechanisms", "docs/nmodl", "docs/point-neurons", "docs/fields",
                    "docs/sonata"]),
        ("NEURON", ["docs/from-neuron", "docs/neuron", "docs/modeldb", "docs/published-models", "docs/mod-sweep"]),
        ("Runs", ["docs/sweeps", "docs/gradients", "docs/output", "docs/figures", "docs/report", "docs/gpu", "docs/scaling",
                  "docs/memory", "docs/solvers", "docs/aarch64"]),
        ("Checked and measured", ["docs/conformance", "docs/parity", "docs/rallpacks", "docs/cable", "docs/benchmarks", "bench/RESULTS"]),
        ("Inside", ["docs/ARCHITECTURE", "CONTRIBUTING", "CHANGELOG"])],
    "docs/ARCHITECTURE": [("Decisions", sorted(f"docs/decisions/{path.stem}" for path in (HERE.parent / "decisions").glob("*.md")))],
    "docs/fields": [("", ["examples/myelinated_axon/README"])],
    "docs/sweeps": [("", ["examples/sweep/README"])],
    "docs/gallery": [("", re.findall(r"\]\(\.\./(examples/gallery/\w+)\.py\)", (HERE.parent / "gallery.md").read_text()))]}


def picture(page, name, folder):
    """Markdown for the picture of an example, seen from a folder of the repository."""
    lacking = PICTURES / f"{name}.lacks"
    if lacking.exists():
        return f"*Left out here: it needs {lacking.read_text()}, and where this page was made there was none.*"
    return f"![{page}]({os.path.relpath(PICTURES / f'{name}.png', folder)})"


def of_script(name, text, folder):
    """The page of an example: what its first comment says, its picture, itself."""
    _, said, code = text.split('"""', 2)
    title, _, rest = said.strip().partition("\n")
    return "\n\n".join([title, picture(title.lstrip("# "), name, folder), rest.strip(),
                        f"```python\n{code.strip()}\n```", f"{{download}}`{name}.py`"])


def links_to_files(app, env, names):
    """A link to a script is to a page only where the script has one."""
    page_of = Project.path2doc
    Project.path2doc = lambda self, path: name if (name := page_of(self, path)) in self.docnames else None


def source_read(app, page, text):
    folder = (pathlib.Path(app.srcdir) / page).parent
    if page.startswith("examples/gallery/"):
        text[0] = of_script(page.rpartition("/")[2], text[0], folder)
    if page == "docs/gallery":
        text[0] = re.sub(r"(?m)^- \[(.*?)\]\(\.\./examples/gallery/(\w+)\.py\).*$",
                         lambda found: f"{found[0]}\n\n  {picture(found[1], found[2], folder)}\n", text[0])
    for caption, pages in BELOW.get(page, []):
        lines = "\n".join(f"/{one}" for one in pages)
        options = f":caption: {caption}\n" if caption else ""
        text[0] += f"\n```{{toctree}}\n{options}:hidden:\n\n{lines}\n```\n"


def build_finished(app, error):
    if error is None:
        out = pathlib.Path(app.outdir)
        (out / "index.html").write_bytes((out / "README.html").read_bytes())


def setup(app):
    app.connect("env-before-read-docs", links_to_files)
    app.connect("source-read", source_read)
    app.connect("build-finished", build_finished)
