"""A checkout in miniature whose packages compile: the ships of `verify`, with the modules that they import."""

from __future__ import annotations

from pathlib import Path

from tests.graduate.toyrelease import FIELD
from tests.verify.checkout import commit, git
from tests.verify.mini import VALIDATION, mini

STAGING = "staging/src/k8s.io"
FILES = {
    "go.mod": "\n".join([
        "module k8s.io/kubernetes", "", "go 1.24", "",
        *(f"require k8s.io/{name} v0.0.0" for name in ("api", "apimachinery")),
        *(f"replace k8s.io/{name} => ./{STAGING}/{name}" for name in ("api", "apimachinery")), "",
    ]),
    f"{STAGING}/api/go.mod": "module k8s.io/api\n\ngo 1.24\n",
    f"{STAGING}/apimachinery/go.mod": "module k8s.io/apimachinery\n\ngo 1.24\n",
    f"{STAGING}/apimachinery/pkg/util/validation/field/errors.go": FIELD,
    f"{STAGING}/apimachinery/pkg/runtime/types.go": "package runtime\n\ntype Object interface{}\n",
}  # fmt: skip


def toy_checkout(folder: Path, *edits: tuple[str, str]) -> Path:
    """Make the checkout with edits of its handwritten validation; its commit has the tag `base`."""
    top = mini(folder)
    text = (top / VALIDATION).read_text(encoding="utf-8")
    for before, after in edits:
        assert before in text, before
        text = text.replace(before, after)
    commit(top, "Compile", {**FILES, VALIDATION: text})
    git(top, "tag", "-f", "base")
    return top


def line_of(top: Path, words: str) -> str:
    """Return the place of the first line of the validation with some words, as a trace names it."""
    lines = (top / VALIDATION).read_text(encoding="utf-8").split("\n")
    return f"{VALIDATION}:{next(number for number, line in enumerate(lines, 1) if words in line)}"
