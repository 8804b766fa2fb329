"""Kept modules: the same validators in a fraction of the time, and never a stale, strange or damaged one."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest

from harness.case import Operation
from harness.compiler import Validators, compile_types
from harness.compiler.cache import ModuleCache, key_of
from harness.compiler.validators import Module
from harness.gotypes.packages import Universe

GO = 'package v1\n\ntype T struct {\n\t// +k8s:maxLength=3\n\t// +k8s:requird\n\tF string `json:"f"`\n}\n'


def universe(folder: Path, go: str = GO) -> Universe:
    """Write a package and open it."""
    (folder / "v1").mkdir(exist_ok=True)
    (folder / "v1" / "types.go").write_text(go, encoding="utf-8")
    return Universe.from_folders({"v1": folder / "v1"})


def module(folder: Path) -> Module:
    """Compile the package."""
    return compile_types(universe(folder), "v1").module


def unwanted() -> NoReturn:
    """Fail: the module is in the cache."""
    raise AssertionError("made again")


def test_a_kept_module_works_like_a_new_one(tmp_path: Path) -> None:
    """Same errors, same types, same warnings, same text."""
    fresh = module(tmp_path)
    cache = ModuleCache(tmp_path / "cache")
    cache.get("key", lambda: fresh)
    kept = cache.get("key", unwanted)
    assert (fresh.entries, fresh.warnings, fresh.source) == (kept.entries, kept.warnings, kept.source)
    assert 1 == len(kept.warnings)
    errors = Validators(kept).validate("T", Operation.CREATE, {"f": "four"})
    assert [("f", "FieldValueTooLong")] == [(error.field, error.type) for error in errors]


def test_a_changed_byte_is_another_key(tmp_path: Path) -> None:
    """Of any file of the API; so are another release and other criteria."""
    before = universe(tmp_path).digest()
    after = universe(tmp_path, GO + " ").digest()
    keys = {
        key_of(before, "v1", "1.37", ()),
        key_of(after, "v1", "1.37", ()),
        key_of(before, "v1", "1.36", ()),
        key_of(before, "v1", "1.37", ("*",)),
        key_of(before, "v2", "1.37", ()),
    }
    assert 5 == len(keys)
    assert before == universe(tmp_path).digest()


@pytest.mark.parametrize("damage", [b"", b"x" * 100, None])
def test_a_damaged_entry_is_made_again(tmp_path: Path, damage: bytes | None) -> None:
    """Cut off, overwritten, or with one byte changed."""
    fresh, cache = module(tmp_path), ModuleCache(tmp_path / "cache")
    cache.get("key", lambda: fresh)
    (entry,) = (tmp_path / "cache").iterdir()
    whole = entry.read_bytes()
    entry.write_bytes(whole[:-1] + b"?" if damage is None else damage)
    assert fresh is cache.get("key", lambda: fresh)
    assert whole == entry.read_bytes()


def test_a_folder_that_others_may_write_is_not_trusted(tmp_path: Path) -> None:
    """What is kept is code."""
    fresh, cache = module(tmp_path), ModuleCache(tmp_path / "cache")
    cache.get("key", lambda: fresh)
    (tmp_path / "cache").chmod(0o777)
    assert fresh is cache.get("key", lambda: fresh)
    (tmp_path / "cache").chmod(0o700)
    assert fresh is not cache.get("key", unwanted)


def test_a_folder_that_cannot_be_made_costs_nothing_but_time(tmp_path: Path) -> None:
    """The module is made each time."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    fresh, cache = module(tmp_path), ModuleCache(tmp_path / "file" / "cache")
    assert fresh is cache.get("key", lambda: fresh)


def test_a_failure_to_compile_is_kept_nowhere(tmp_path: Path) -> None:
    """And reaches the caller as it is."""
    cache = ModuleCache(tmp_path / "cache")
    with pytest.raises(AssertionError, match="made again"):
        cache.get("key", unwanted)
    assert not (tmp_path / "cache").exists()
