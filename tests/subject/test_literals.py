from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.case import KindInfo
from harness.gotypes.literals import NO_LITERALS
from harness.subject import literals as literals_module
from harness.subject.literals import kept_literals, python_literals
from harness.subject.opening import open_subject
from harness.subject.spec import SubjectSpec

LONGEST = 61


def validate(value: str) -> bool:
    """Stand in for a validator that somebody wrote."""
    return len(value) <= LONGEST and value != "forbidden-word" and not re.fullmatch(r"[0-9]+[a-f]", value)


def test_a_validator_in_python_tells_its_literals() -> None:
    """Constants of its module and of its functions, with their names; no docstrings of many words."""
    found = python_literals(validate)
    assert ("longest", 61) in found.values
    assert ("validate", "forbidden-word") in found.values
    assert ("validate", "[0-9]+[a-f]") in found.patterns
    assert validate.__doc__ not in [value for _, value in found.values]


@pytest.mark.parametrize("validator", [len, object()], ids=["builtin", "no function"])
def test_a_validator_without_a_source_tells_nothing(validator: object) -> None:
    """Such as one that is built in."""
    assert NO_LITERALS == python_literals(validator)  # type: ignore[arg-type]  # the bad input is the point


def test_a_suite_offers_the_literals_of_its_validator() -> None:
    """Every kind of a suite is searched with what its handwritten validator knows."""
    with open_subject(SubjectSpec("suite", "suites/claim_v1")) as subject:
        info: KindInfo = subject.target.info.kinds[0]
        assert subject.literals(info).values


VALIDATION = """package validation
const MaxTitle = 63
func ValidateTitle(title string) bool { return len(title) <= MaxTitle && title != "reserved" }
"""


def test_what_sources_know_is_kept_until_they_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second reading asks no parser and says the same; another text, or a damaged entry, is read again."""
    source, cache = tmp_path / "src" / "validation.go", tmp_path / "cache"
    source.parent.mkdir()
    source.write_text(VALIDATION)
    made = kept_literals([source.parent], cache)
    assert {("maxtitle", 63), ("validatetitle", "reserved")} <= set(made.values)
    with monkeypatch.context() as patched:
        patched.setattr(literals_module, "go_literals", lambda folders: pytest.fail("the sources were parsed again"))
        assert made == kept_literals([source.parent], cache)
    (entry,) = cache.iterdir()
    entry.write_bytes(entry.read_bytes().replace(b"reserved", b"deserved"))
    assert made == kept_literals([source.parent], cache)
    source.write_text(VALIDATION.replace("63", "64"))
    assert ("maxtitle", 64) in kept_literals([source.parent], cache).values


def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    """A file in the place of the folder: the sources are read all the same."""
    (tmp_path / "validation.go").write_text(VALIDATION)
    (tmp_path / "cache").write_text("in the way")
    assert ("maxtitle", 63) in kept_literals([tmp_path], tmp_path / "cache").values
