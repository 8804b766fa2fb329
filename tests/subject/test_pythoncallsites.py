"""Who calls a helper of a suite is told from all files of its folder."""

from __future__ import annotations

import pytest

from harness.subject.callsites import CallSites, CodeLine
from harness.subject.deciding import HandwrittenCode
from harness.subject.errorstack import Made
from harness.subject.pythoncallsites import PythonCallSites

HANDWRITTEN = """\
from .helpers import below, check

def validate_thing(new, old, context):
    errors = validate_spec(new, Path().child("spec"))
    if errors:
        return errors
    return validate_status(new, old, Path().child("status"))

def validate_spec(new, path):
    return [below(path.child("size"), 1), below(path.child("count"), 1)]

def validate_status(new, old, path):
    if new != old:
        return check(path.child("name"))
    return []
"""
HELPERS = """\
def below(path, value):
    return invalid(path, value, "too small")

def check(path):
    return inner(path)

def inner(path):
    return [required(path)]

def alone(path):
    return [below(path.child("more"), 1)]
"""


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> CallSites:
    """The calls of a suite of two files."""
    folder = tmp_path_factory.mktemp("suite")
    (folder / "handwritten.py").write_text(HANDWRITTEN)
    (folder / "helpers.py").write_text(HELPERS)
    (folder / "broken.py").write_text("def x(:")
    return PythonCallSites(folder)


def test_a_helper_of_several_fields_names_each_call(sites: CallSites) -> None:
    """What is changed in it changes for each of them."""
    told = sites.shared_by("helpers.py:2 in below, called at handwritten.py:10 in validate_spec")
    assert (
        "below is called by validate_spec (handwritten.py:10)",
        "validate_spec (handwritten.py:10)",
        "alone (helpers.py:11)",
    ) == told


def test_a_function_that_one_function_calls_names_nobody(sites: CallSites) -> None:
    """It is as good as its caller."""
    assert () == sites.shared_by("helpers.py:8 in inner")


def test_the_return_is_named_that_ends_validation_before_a_check(sites: CallSites) -> None:
    """With the condition above it."""
    code = HandwrittenCode(sites)
    below = "helpers.py:2 in below"
    masking = Made("spec.size", below, "Thing", f"{below}, called at handwritten.py:10 in validate_spec, "
                   "called at handwritten.py:4 in validate_thing")  # fmt: skip
    inner = "helpers.py:8 in inner"
    check = Made("status.name", inner, "Thing", f"{inner}, called at helpers.py:5 in check, called at "
                 "handwritten.py:14 in validate_status, called at handwritten.py:7 in validate_thing")  # fmt: skip
    stop = code.find_stop(masking, check, "status.name")
    assert stop is not None
    assert "it ends at handwritten.py:6 in validate_thing, under `if errors`" == stop.text
    assert ["if new != old"] == [one.text for one in code.find_update(check, "status.name")]


def test_the_way_to_a_helper_ends_where_the_path_is_given(sites: CallSites) -> None:
    """The nearest call first."""
    below = "helpers.py:2 in below"
    check = Made("spec.size", below, "Thing", f"{below}, called at handwritten.py:10 in validate_spec, "
                 "called at handwritten.py:4 in validate_thing")  # fmt: skip
    assert [CodeLine("handwritten.py", 10, "validate_spec")] == list(HandwrittenCode(sites).find_way(check))


def test_files_outside_of_the_folder_and_broken_ones_have_nothing(sites: CallSites) -> None:
    """A worker may name any file."""
    for file in ("../handwritten.py", "/etc/passwd", "broken.py", "none.py"):
        assert None is sites.source(file).function_line("x")
