"""`harness kinds`: everything that is served, and everything that is not, with the reason."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from harness.case import Excluded, TargetInfo
from tests.cli.fakes import FakeTarget, Opened, call
from tests.report import made


def install(monkeypatch: pytest.MonkeyPatch, **more: Any) -> None:
    """Let the command open a target that says this of itself."""
    info = msgspec.structs.replace(made.result().target, **more)
    Opened(FakeTarget(info)).install(monkeypatch)


def test_the_table_names_every_kind_and_reason(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line per kind, the excluded with their reason, the sums."""
    install(monkeypatch, excluded=(Excluded("example.io", "v1", "gadgets", "has no strategy\x1b"),))
    told = call(capfd, "kinds", "--command", "worker")
    assert told.code == 0
    assert told.err == "opening takes a while\n"
    rows = [" ".join(line.split()) for line in told.out.splitlines()]
    assert "example.io/v1 widgets Widget create,update yes yes levels yes v1beta1" in rows
    assert "example.io/v1 widgets/status Widget update yes yes levels yes" in rows
    assert "example.io/v1 gadgets: has no strategy\\x1b" in rows
    assert rows[-1].startswith("widgets_v1: 2 entries: 1 resource (1 with storage), 1 subresource;")


def test_what_no_request_reaches_names_the_version_it_is_asked_through(
    capfd: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A version that is not served is marked and counted."""
    old = msgspec.structs.replace(
        made.result().target.kinds[0], version="v1beta1", api_version="example.io/v1beta1", through="v1"
    )
    install(monkeypatch, kinds=(*made.result().target.kinds, old))
    rows = [" ".join(line.split()) for line in call(capfd, "kinds", "--command", "worker").out.splitlines()]
    assert "example.io/v1beta1 widgets Widget create,update yes yes levels no: asked through v1 v1beta1" in rows
    assert "3 with declarative rules, 1 not served, 0 excluded" in rows[-1]


def test_json_is_the_targets_own_word(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It can be read as the first line of the protocol."""
    install(monkeypatch)
    told = call(capfd, "kinds", "--command", "worker", "--json")
    assert made.result().target == msgspec.convert(json.loads(told.out), TargetInfo)


def test_a_target_that_serves_nothing_is_exit_code_2(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is not a success."""
    install(monkeypatch, kinds=())
    assert call(capfd, "kinds", "--command", "worker").code == 2


def test_a_target_must_be_named(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exactly one."""
    install(monkeypatch)
    assert "no target is named" in call(capfd, "kinds").err
    assert "one suite at a time" in call(capfd, "kinds", "a", "b").err
