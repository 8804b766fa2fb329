"""The documentation tells the truth: what it says of the README's commands, of help, and of strategies."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
from click.testing import CliRunner

import harness
from harness.cli import COMMANDS
from harness.cli.main import cli
from tests.docs.pages import ROOT, blocks

_CITATION = re.compile(r"semantics\.md(?:#[\w.]+|, | and |-(?=#))+")


def test_the_test_command_of_the_readme_is_what_ci_runs() -> None:
    """The second command of the README stands in .ci/run to the letter."""
    _, second = blocks(ROOT / "README.md", "console")[:2]
    assert second.body.strip() in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_version_has_a_dated_entry_in_the_changelog() -> None:
    """The newest release of the changelog is the one that the package says it is, in both places."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.findall(r"^## (\d+\.\d+\.\d+) - \d{4}-\d{2}-\d{2}$", text, re.M)
    assert harness.__version__ == releases[0]
    assert f'version = "{harness.__version__}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert sorted(releases, key=lambda one: tuple(map(int, one.split("."))), reverse=True) == releases


def test_help_is_quick_to_read() -> None:
    """The help of the program names every command, and each says in one sentence what it is for."""
    result = CliRunner().invoke(cli, ["--help"])
    assert 0 == result.exit_code
    assert all(f"  {name} " in result.output for name, _, _ in COMMANDS)
    assert all(summary.endswith((".", "?")) for _, _, summary in COMMANDS)


def test_help_explains_every_option() -> None:
    """No option of any command stands there without words."""
    silent = []
    for name, _, _ in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        below = command.commands.values() if isinstance(command, click.Group) else [command]
        silent += [
            f"{name} {option.opts[0]}"
            for each in below
            for option in each.params
            if isinstance(option, click.Option) and not option.help
        ]
    assert [] == silent


def test_the_page_about_strategies_shows_what_happens(tmp_path: Path) -> None:
    """Of its two tests the first passes, and the second fails with the very pair that the page shows."""
    page = ROOT / "docs" / "how-to" / "use-strategies.md"
    code = "\n\n".join(block.body for block in blocks(page, "python"))
    (tmp_path / "test_mine.py").write_text(code, encoding="utf-8")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, cwd=tmp_path)
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    [text] = [block.body for block in blocks(page, "text") if "pair=" in block.body]
    told, promised = (re.sub(r"'[^']{33}'", "33", re.sub(r"\s+(?:E\s+)?", "", said)) for said in (done.stdout, text))
    assert promised in told


def test_every_cited_section_of_the_semantics_is_there() -> None:
    """`semantics.md#3.3, #S4` in code and tests names anchors of that page, each of which is there once."""
    page = (ROOT / "docs" / "explanation" / "semantics.md").read_text(encoding="utf-8")
    anchors = re.findall(r'<a id="([^"]+)"></a>', page)
    cited = {
        (str(file.relative_to(ROOT)), anchor)
        for folder in ("harness", "tests")
        for file in sorted((ROOT / folder).rglob("*.py"))
        for citation in _CITATION.findall(file.read_text(encoding="utf-8"))
        for anchor in re.findall(r"#(S?\d+(?:\.\d+)?|[AB])\b", citation)
    }
    assert sorted(set(anchors)) == sorted(anchors)
    assert len(cited) > 100
    assert [] == sorted(one for one in cited if one[1] not in anchors)


def test_nothing_cites_a_document_that_is_not_here() -> None:
    """Neither code nor a page names the papers that the project was made from."""
    papers = re.compile(
        r"\bDV (?:appendix [AB]|S?\d)|\bdesign" + r"\.md|\bstyle" + r"\.md|\bdeclarative-validation" + r"\.md"
    )
    files = [file for folder in ("harness", "tests", "docs", "bench") for file in sorted((ROOT / folder).rglob("*"))]
    texts = [file for file in files if file.suffix in (".py", ".go", ".md", ".json", ".yaml")]
    assert [] == [str(one.relative_to(ROOT)) for one in texts if papers.search(one.read_text(encoding="utf-8"))]


def test_the_path_of_a_case_is_as_the_architecture_page_describes() -> None:
    """The page has at most ten steps, and every module and name in them exists."""
    page = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    way = page.partition("## The path of a case")[2].partition("\n## ")[0]
    hops = re.split(r"^\d+\. ", way, flags=re.M)[1:]
    assert 3 < len(hops) <= 10
    assert [] == [name for name in re.findall(r"`(harness/[\w/]+(?:\.py|/))`", page) if not (ROOT / name).exists()]
    strange = [
        (name, module)
        for name, module in re.findall(r"`(\w+)` (?:in|\()\s*`(harness/[\w/]+\.py)`", way)
        if not re.search(rf"^(?:class|def|async def) {name}\b|^{name}\b.*=", (ROOT / module).read_text("utf-8"), re.M)
    ]
    assert [] == strange
