"""Normalization rules: Go's syntax, linear time, and rules that do not do their work are found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.compare.causes.normalization import describe
from harness.diagnostics import InputError
from harness.errormatch import normalize as normalize_module
from harness.errormatch.normalize import Normalizer, RuleProblem, check_rules, normalizer

REAL = (
    (
        r"spec\.devices\.requests\[(\d+)\]\.(deviceClassName|selectors|count)",
        "spec.devices.requests[$1].exactly.$2",
    ),
    (r"^spec\.runtimeHandler(.*)$", "handler$1"),
)

PATHS = [
    ("spec.devices.requests[3].count", "spec.devices.requests[3].exactly.count"),
    ("spec.devices.requests[3].name", "spec.devices.requests[3].name"),
    ("x.spec.devices.requests[0].selectors[1]", "x.spec.devices.requests[0].exactly.selectors[1]"),  # unanchored
    ("spec.runtimeHandler", "handler"),
    ("other", "other"),
    ("<nil>", "<nil>"),
    ("metadata.labels[\ud800]", "metadata.labels[\ud800]"),  # half a surrogate pair
]


@pytest.mark.parametrize(("path", "expected"), PATHS)
def test_rules_rewrite_paths(path: str, expected: str) -> None:
    """A rule applies anywhere in a path, every time it matches; paths it does not know stay."""
    assert expected == Normalizer(REAL)(path)


def test_the_first_rule_that_changes_wins() -> None:
    """Only one rule applies, and one that matches without changing anything is passed over."""
    assert Normalizer([("a", "a"), ("a", "b"), ("b", "c")])("a.a") == "b.b"


EXPANSIONS = [
    ("$1", "x"),
    ("${1}0", "x0"),
    ("$10", ""),  # a group called 10
    ("$1y", ""),  # a group called 1y
    ("$name", "y"),
    ("${name}s", "ys"),
    ("$missing", ""),
    ("$$1", "$1"),
    ("$0", "xy"),
    ("cost$", "cost$"),
    ("${", "${"),
    (r"\1", r"\1"),
]


@pytest.mark.parametrize(("replacement", "expected"), EXPANSIONS)
def test_go_replacements(replacement: str, expected: str) -> None:
    """Replacements are Go's: the longest name, empty when there is no such group, $$ for a dollar."""
    assert expected == Normalizer([("^(x)(?P<name>y)$", replacement)])("xy")


def test_bad_rules_are_all_reported() -> None:
    """Every regex that is none gets a diagnostic with its number."""
    with pytest.raises(InputError) as caught:
        Normalizer([("(", ""), ("ok", ""), (r"(?=x)", ""), ("\ud800", "")], source="suite.py")
    assert [(d.code, str(d.position)) for d in caught.value.diagnostics] == [("normalization-regex", "suite.py")] * 3
    assert "rule 1: '('" in caught.value.diagnostics[0].message
    assert "rule 3" in caught.value.diagnostics[1].message


def test_hostile_rules_take_linear_time() -> None:
    """A regex that would keep a backtracking engine busy for ages is harmless."""
    hostile = "a" * 5000 + "!"
    # A backtracking engine would need longer than anybody lives.
    assert hostile == Normalizer([("(a+)+$", "x")])(hostile)


def test_results_are_recognized() -> None:
    """What a rule may have written looks like its replacement."""
    rewrite = Normalizer(REAL)
    assert rewrite.is_result("handler")
    assert rewrite.is_result("spec.devices.requests[1].exactly.count")
    assert not rewrite.is_result("spec.handler")
    assert not rewrite.is_result("spec.devices.requests[1].count")
    assert not rewrite.is_result("\ud800")


def test_one_normalizer_for_all() -> None:
    """The same rules give the same normalizer, so its memory is shared."""
    assert normalizer(REAL) is normalizer(tuple(REAL))


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths hold map keys, so the memory forgets."""
    rewrite = Normalizer([("^a", "b")])
    monkeypatch.setattr(normalize_module, "_MAX_CACHED", 10)
    for number in range(100):
        rewrite(f"a[{number}]")
    assert len(rewrite._known) <= 10
    assert rewrite("a[0]") == "b[0]"


def test_working_rules_have_no_problem() -> None:
    """Two versions may meet in one path: that is what rules are for."""
    paths = {"v1": ["handler", "x"], "v1beta1": ["spec.runtimeHandler", "spec.devices.requests[0].count", "x"]}
    assert check_rules(REAL, paths) == ()


def test_a_rule_that_never_applies() -> None:
    """A rule that changes no path of any version is reported."""
    (problem,) = check_rules(REAL, {"v1": ["spec.runtimeHandler"]})
    assert problem == RuleProblem("unused", REAL[0])
    assert "changed no path" in str(problem)


def test_a_rule_that_makes_two_fields_one() -> None:
    """Two fields of one version that become one path are reported, also when one of them stayed as it was."""
    rules = [("^(a|b)$", "c")]
    both = check_rules(rules, {"v1": ["a", "b"]})
    stays = check_rules(rules, {"v1": ["c", "a"]})
    assert [(p.kind, p.version, p.paths, p.result) for p in both] == [("collision", "v1", ("a", "b"), "c")]
    assert [(p.kind, p.version, p.paths, p.result) for p in stays] == [("collision", "v1", ("c", "a"), "c")]
    assert "makes a and b of v1 one path, c" in str(both[0])
    assert check_rules(rules, {"v1": ["a", "a"], "v2": ["b"]}) == ()


@given(st.text(max_size=20), st.text(max_size=10), st.text(max_size=20))
def test_no_input_crashes(pattern: str, replacement: str, path: str) -> None:
    """Any texts give a path, or a diagnostic for the regex."""
    try:
        rewrite = Normalizer([(pattern, replacement)])
    except InputError:
        return
    assert isinstance(rewrite(path), str)
    rewrite.is_result(path)


def test_a_rule_behind_another_one_names_it() -> None:
    """A rule without an anchor takes the paths of a later one: that one is told, with both regexes as in code."""
    first, second = (r"spec\.old\.(a)", "spec.new.$1"), (r"^spec\.spec\.old\.(a)", "spec.spec.new.$1")
    paths = {"v1": ["spec.old.a", "spec.spec.old.a"]}
    (problem,) = check_rules((first, second), paths)
    assert (second, first) == (problem.rule, problem.earlier)
    assert r"`^spec\.spec\.old\.(a)`" in str(problem)
    assert r"`spec\.old\.(a)`" in str(problem)
    assert "v1" == problem.version
    assert all(text in describe(problem).fix for text in ("anchor", r"`spec\.old\.(a)`"))
    assert check_rules((first, second), {"v1": iter(paths["v1"])}) == (problem,)
    anchored = (r"^spec\.", "old."), (r"^spec\.old", "new")
    assert "narrow" in describe(check_rules(anchored, paths)[0]).fix
    (alone,) = check_rules((second,), {"v1": ["spec.old.a"]})
    assert (None, False) == (alone.earlier, "anchor" in describe(alone).fix)
