"""Imports point down only: the drawing of style is a table here, and every import statement is held to it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from harness.tags.families.levels import LEVELS
from harness.tags.registry import SPECS

ROOT = Path(__file__).parent.parent / "harness"

LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"__main__"}),
    frozenset({"pytest_plugin"}),
    frozenset({"cli"}),
    frozenset({"verify"}),
    frozenset({"lint", "apidocs", "cost", "export", "graduate", "upgrade", "campaign"}),
    frozenset({"power"}),
    frozenset({"report", "ratchets", "record", "rulecov"}),
    frozenset({"strategies"}),
    frozenset({"engine"}),
    frozenset({"stored"}),
    frozenset({"subject"}),
    frozenset({"events", "explain"}),
    frozenset({"compare"}),
    frozenset({"openapi"}),
    frozenset({"compiler", "fuzzers", "errormatch", "targets"}),
    frozenset({"tags"}),
    frozenset({"pyschemas"}),
    frozenset({"suite"}),
    frozenset({"gotypes"}),
    frozenset({"objectmodel"}),
    frozenset({"jsonpath"}),
    frozenset({"field", "content", "case"}),
    frozenset({"git", "limits"}),
    frozenset({"blocks", "sourcecode", "collector", "diagnostics", "files", "kubeyaml", "memory", "tuning"}),
)
# The records of one line that a neighbour may use, with the reason.
ALLOWED = {
    ("case", "field"): "an answer is made of field errors",
}


def layer_of(package: str) -> int:
    """The number of the line a package stands on, counted from the top."""
    return next(number for number, names in enumerate(LAYERS) if package in names)


def imports_of(path: Path) -> set[str]:
    """The packages of the harness that a module imports, by the first part below `harness`."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("harness.")}
    return found


def modules() -> list[Path]:
    """Every module of the package."""
    return [path for path in sorted(ROOT.rglob("*.py")) if path.name != "__init__.py" or path.parent != ROOT]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    """A module imports its own package and packages on lines below it, nothing else of the harness."""
    relative = path.relative_to(ROOT)
    package = relative.parts[0].removesuffix(".py")
    wrong = {
        name
        for name in imports_of(path) - {package, "__version__"}
        if layer_of(name) <= layer_of(package) and (package, name) not in ALLOWED
    }
    assert set() == wrong


@pytest.mark.parametrize("judge", ["compare", "errormatch"])
def test_the_judge_never_reads_the_statute(judge: str) -> None:
    """What compares lists of errors imports neither tags, nor types, nor the compiler."""
    imported = set().union(*(imports_of(path) for path in (ROOT / judge).rglob("*.py")))
    assert set() == imported & {"tags", "compiler", "gotypes", "fuzzers"}


@pytest.mark.parametrize("judge", ["compare", "errormatch"])
def test_the_judge_names_no_rule(judge: str) -> None:
    """What it says of rules comes in as data: of all tags it names only levels, which errors have too."""
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / judge).rglob("*.py"))
    words = set(re.findall(r"k8s:\w+", text)) | {f"k8s:{word}" for word in re.findall(r"['\"](\w+)['\"]", text)}
    assert set() == words & SPECS.keys() - LEVELS.keys()


@pytest.mark.parametrize("path", sorted((ROOT / "report").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_report_is_told_from_the_model_up(path: Path) -> None:
    """Formats use texts, texts use the model, and no format uses another."""
    parts = ("words", "escaping", "model", "text", "formats")
    own = [part.removesuffix(".py") for part in path.relative_to(ROOT / "report").parts]
    for name in re.findall(
        r"^(?:from|import) harness\.report\.([\w.]+)", path.read_text(encoding="utf-8"), re.MULTILINE
    ):
        part, *inside = name.split(".")
        assert parts.index(part) <= parts.index(own[0])
        assert "formats" != part or inside[0] == own[1]


def test_a_forbidden_import_is_seen(tmp_path: Path) -> None:
    """The reader of imports sees both forms of statement, so that the checks above can fail."""
    module = tmp_path / "module.py"
    module.write_text("import harness.tags.grammar\ndef f():\n    from harness.compiler import plan\n")
    assert {"tags", "compiler"} == imports_of(module)
