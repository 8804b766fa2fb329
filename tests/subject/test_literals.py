from __future__ import annotations

from pathlib import Path

import pytest

from harness.case import KindInfo
from harness.subject import literals as literals_module
from harness.subject.literals import cached_literals
from harness.subject.opening import open_subject
from harness.subject.spec import SubjectSpec


def test_a_suite_has_the_literals_of_its_validator() -> None:
    """Every kind of a suite is searched with the literals of its handwritten validator."""
    with open_subject(SubjectSpec("suite", "suites/claim_v1")) as subject:
        info: KindInfo = subject.target.info.kinds[0]
        assert subject.literals(info).values


VALIDATION = """package validation
const MaxTitle = 63
func ValidateTitle(title string) bool { return len(title) <= MaxTitle && title != "reserved" }
"""


def test_literals_are_cached_until_the_sources_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second call does not parse the sources; changed sources and damaged entries are parsed again."""
    source, cache = tmp_path / "src" / "validation.go", tmp_path / "cache"
    source.parent.mkdir()
    source.write_text(VALIDATION)
    made = cached_literals([source.parent], cache=cache)
    assert {("maxtitle", 63), ("validatetitle title", "reserved")} <= set(made.values)
    with monkeypatch.context() as patched:
        patched.setattr(
            literals_module, "go_literals", lambda folders, constants: pytest.fail("the sources were parsed again")
        )
        assert made == cached_literals([source.parent], cache=cache)
    (entry,) = cache.iterdir()
    entry.write_bytes(entry.read_bytes().replace(b"reserved", b"deserved"))
    assert made == cached_literals([source.parent], cache=cache)
    source.write_text(VALIDATION.replace("63", "64"))
    assert ("maxtitle", 64) in cached_literals([source.parent], cache=cache).values


def test_a_cache_that_cannot_be_written_is_not_used(tmp_path: Path) -> None:
    """The sources are parsed if a file has the name of the cache folder."""
    (tmp_path / "validation.go").write_text(VALIDATION)
    (tmp_path / "cache").write_text("in the way")
    assert ("maxtitle", 63) in cached_literals([tmp_path], cache=tmp_path / "cache").values


def test_a_changed_constant_is_read_again(tmp_path: Path) -> None:
    """The constants that the validators name are in other files than theirs, and the cache depends on both."""
    types, source, cache = tmp_path / "title", tmp_path / "title" / "validation", tmp_path / "cache"
    source.mkdir(parents=True)
    (source / "validation.go").write_text("package validation\nfunc f(a map[string]string) { g(a[title.Key]) }\n")
    for key in ("first", "second"):
        (types / "keys.go").write_text(f'package title\nconst Key = "{key}"\n')
        assert (("f a", key),) == cached_literals([source], [types], cache).values
