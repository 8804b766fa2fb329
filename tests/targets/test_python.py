"""The embedded target: every stage in order, every kind of misbehaviour an answer."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

import pytest

from harness.case import Case, Failure, Json, Measure, Operation, Validated
from harness.field import ErrorList, FieldError, Path
from harness.field.make import required
from harness.suite import Context, Suite, SuiteKind
from harness.targets.endpoint import DecodeError
from harness.targets.python import MAX_STORED, PythonTarget, Stored

NAME = Path().child("spec", "name")


def named(value: Json, mark: str = "") -> list[FieldError]:
    """A validator that requires a name."""
    return [] if value.get("spec", {}).get("name") else [required(NAME, mark)]


def noted(seen: list[Any], value: Any) -> ErrorList:
    """Remember a value and be content."""
    seen.append(value)
    return []


def handwritten(new: Json, old: Json, context: Context) -> ErrorList:
    """The handwritten side of most tests."""
    return named(new)


def declarative(operation: Operation, new: Json, old: Json, options: Mapping[str, bool], subresource: str) -> ErrorList:
    """The declarative side of most tests."""
    return named(new)


def kind(**changes: Any) -> SuiteKind:
    """A kind with one version, with the changes of a test."""
    usual: dict[str, Any] = {"kind": "Thing", "resource": "things", "versions": {"v1": "types.go"}}
    return SuiteKind(**{**usual, "handwritten": handwritten, **changes})


def target(*kinds: SuiteKind, **arguments: Any) -> PythonTarget:
    """A target over these kinds."""
    suite = Suite("things", "example.com", kinds or (kind(),), gates={"Fancy": False})
    declared = {(one.kind, version): declarative for one in suite.kinds for version in one.versions}
    return PythonTarget(suite, arguments.pop("declarative", declared), **arguments)


def case(value: Json = None, **changes: Any) -> Case:
    """A create of an object, with the changes of a test."""
    usual: dict[str, Any] = {"id": 7, "group": "example.com", "version": "v1", "kind": "Thing", "operation": "create"}
    fields = {**usual, "object": {"spec": {}} if value is None else value, **changes}
    return Case(**{**fields, "operation": Operation(fields["operation"])})


def raising(error: BaseException) -> Callable[..., Any]:
    """A function that raises."""

    def raise_it(*_arguments: Any) -> Any:
        raise error

    return raise_it


def test_both_sides_answer() -> None:
    """An answer holds both lists, and the number of its case."""
    [answer] = target().ask([case()])
    assert (7, (required(NAME),), (required(NAME),)) == (answer.id, answer.handwritten, answer.declarative)
    assert answer.failure is None


def test_a_good_object_has_no_errors() -> None:
    """The same validators are content with a name."""
    [answer] = target().submit([case({"spec": {"name": "x"}})]).result()
    assert (answer.handwritten, answer.declarative) == ((), ())


def test_stages_run_in_the_order_of_a_server() -> None:
    """Default, convert, prepare, handwritten on the internal version, then declarative on the version asked for."""
    seen: list[Any] = []

    def note(stage: str, result: Json) -> Json:
        seen.append(stage)
        return result

    one = kind(
        versions={"v1beta1": "a.go", "v1": "b.go"},
        defaults={"v1beta1": lambda value: note("default", {**value, "defaulted": True})},
        conversions={
            ("v1beta1", "v1"): lambda value: note("convert", {**value, "internal": True}),
            ("v1", "v1beta1"): lambda value: note("back", {**value, "internal": False}),
        },
        prepare=lambda new, old, context: note("prepare", {**new, "prepared": True}),
        handwritten=lambda new, old, context: note("handwritten", []) if new["internal"] else [required(NAME)],
    )
    given: list[Any] = []
    checked = {("Thing", "v1beta1"): lambda *arguments: noted(given, arguments[1]) or note("declarative", [])}
    [answer] = target(one, declarative=checked).ask([case(version="v1beta1")])
    assert (answer.failure, answer.handwritten) == (None, ())
    assert seen == ["default", "convert", "prepare", "back", "handwritten", "declarative"]
    assert given == [{"spec": {}, "defaulted": True, "internal": False, "prepared": True}]


def test_given_objects_are_neither_defaulted_nor_prepared() -> None:
    """In mode `given` the object is validated unchanged."""
    one = kind(defaults={"v1": lambda value: {"spec": {"name": "x"}}}, prepare=lambda new, old, context: new)
    served, given = target(one).ask([case(), case(mode="given")])
    assert ((), (required(NAME),)) == (served.handwritten, given.handwritten)


def test_an_old_object_is_defaulted_as_it_was_when_it_was_stored() -> None:
    """Both objects of an update are defaulted, and the old one is shown to the validator."""
    olds: list[Any] = []
    one = kind(
        defaults={"v1": lambda value: {**value, "defaulted": True}},
        handwritten=lambda new, old, context: noted(olds, old),
    )
    target(one).ask([case(operation="update", old={"spec": {"name": "y"}})])
    assert olds == [{"spec": {"name": "y"}, "defaulted": True}]


def test_other_versions_are_asked_on_demand() -> None:
    """Declarative lists of the other versions come when a case asks for them, from the converted object."""
    same = {("v1beta1", "v1"): lambda value: value, ("v1", "v1beta1"): lambda value: {"spec": {"name": "x"}}}
    one = kind(versions={"v1beta1": "a.go", "v1": "b.go"}, conversions=same)
    plain, asked = target(one).ask([case(), case(versions=True)])
    assert (plain.versions, asked.versions) == ({}, {"v1beta1": ()})
    assert "versions" in target(one).info.abilities


def test_validated_objects_are_returned_on_request() -> None:
    """Both objects after defaulting and preparation, in the version of the request and in other requested versions."""
    back = {("v1beta1", "v1"): lambda value: value, ("v1", "v1beta1"): lambda value: {**value, "flat": True}}
    one = kind(
        versions={"v1beta1": "a.go", "v1": "b.go"},
        conversions=back,
        prepare=lambda new, old, context: {**new, "spec": {"name": "kept"}},
    )
    things = target(one, types={("Thing", "v1"): "example.com/things/v1.Thing"})
    old = {"spec": {"name": "y"}}
    plain, shown, both = things.ask(
        [
            case(operation="update", old=old),
            case(operation="update", old=old, validated=True),
            case(operation="update", old=old, validated=True, versions=True),
        ]
    )
    kept = {"spec": {"name": "kept"}}
    assert {} == plain.validated
    assert {"v1": Validated("example.com/things/v1.Thing", kept, old, {})} == shown.validated
    assert {**kept, "flat": True} == both.validated["v1beta1"].object
    assert {"v1", "v1beta1"} == both.validated.keys()
    assert "validated" in things.info.abilities


def test_options_follow_gates_and_cases_override_both() -> None:
    """An option with the name of a gate has the gate's value, unless the case says otherwise."""
    seen: list[Any] = []
    one = kind(options={"Fancy": True, "Other": True}, handwritten=lambda new, old, c: noted(seen, c.options))
    suite = target(one, gates={"Fancy": True})
    target(one).ask([case()])
    suite.ask([case(), case(options={"Fancy": False})])
    expected = [{"Fancy": False, "Other": True}, {"Fancy": True, "Other": True}, {"Fancy": False, "Other": True}]
    assert expected == seen
    assert suite.info.gates == {"Fancy": True}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"object": 3}, "a JSON object is needed, got a number"),
        ({"object": {"kind": "Other"}}, "kind is 'Other', this kind has \"Thing\""),
        ({"object": {"apiVersion": "v1"}}, "apiVersion is 'v1', this kind has \"example.com/v1\""),
        ({"operation": "update"}, "old object: a JSON object is needed, got null"),
        ({"object": {"bad": 1}}, "spec: a string is needed"),
        ({"kind": "Nothing"}, "the suite things does not serve example.com/v1 Nothing"),
        ({"group": "example.org"}, "the suite things does not serve example.org/v1 Thing"),
        ({"subresource": "status"}, "the suite things does not serve example.com/v1 Thing/status"),
    ],
)
def test_an_undecodable_object_is_not_validated(changes: dict[str, Any], message: str) -> None:
    """An object of another type is a failure of stage decode, not a panic."""

    def decode(value: Json) -> Json:
        if "bad" in value:
            raise DecodeError("spec: a string is needed")
        return value

    one = kind(handwritten=raising(AssertionError("reached")))
    [answer] = target(one, decoders={("Thing", "v1"): decode}).ask([case(**changes)])
    assert Failure("decode", message) == answer.failure


TWO = {"v1": "a", "v2": "b"}
WAYS = ("v1", "v2"), ("v2", "v1")


@pytest.mark.parametrize(
    ("stage", "changes"),
    [
        ("handwritten", {"handwritten": raising(KeyError("spec"))}),
        ("handwritten", {"handwritten": raising(SystemExit("spec"))}),
        ("default", {"defaults": {"v1": raising(KeyError("spec"))}}),
        ("prepare", {"prepare": raising(KeyError("spec"))}),
        (
            "convert",
            {"versions": {"v1": "a", "v2": "b"}, "conversions": dict.fromkeys(WAYS, raising(KeyError("spec")))},
        ),
    ],
)
def test_whatever_an_author_raises_is_a_panic_of_its_stage(stage: str, changes: dict[str, Any]) -> None:
    """An exception in a suite's own code ends its case with a panic, and the next case is answered."""
    bad, good = target(kind(**changes), kind(kind="Good")).ask([case(), case(kind="Good")])
    assert bad.failure is not None
    assert (stage, True) == (bad.failure.stage, bad.failure.panic)
    assert "spec" in bad.failure.message
    assert good.failure is None


def test_an_exception_is_placed_in_the_code_of_the_suite(tmp_path: FilePath) -> None:
    """The innermost line of the suite's own files, whatever library it called; none where the suite has no part."""
    code = "def validate(new, old, context):\n    return helper(new)\n\ndef helper(obj):\n    return int('a')\n"
    names: dict[str, Any] = {}
    exec(compile(code, str(tmp_path / "handwritten.py"), "exec"), names)
    suite = Suite("things", "example.com", [kind(handwritten=names["validate"])], folder=tmp_path)
    [own] = PythonTarget(suite, {}).ask([case()])
    assert own.failure is not None
    assert "handwritten.py:5 in helper" == own.failure.at
    [other] = target(kind(handwritten=raising(KeyError("spec")))).ask([case()])
    assert other.failure is not None
    assert "" == other.failure.at


def test_a_declarative_panic_has_its_own_stage() -> None:
    """The side that raised is named."""
    [answer] = target(declarative={("Thing", "v1"): raising(ValueError("no"))}).ask([case()])
    assert Failure("declarative", "ValueError: no", panic=True) == answer.failure


@pytest.mark.parametrize(("result", "words"), [(None, "returned None"), (["oops"], "'oops', which is no FieldError")])
def test_a_validator_must_return_a_list_of_errors(result: Any, words: str) -> None:
    """Any other return value is a failure that names the validator."""
    [answer] = target(kind(handwritten=lambda *_: result)).ask([case()])
    assert answer.failure is not None
    assert words in answer.failure.message


def test_a_validator_that_hangs_is_stopped() -> None:
    """An endless loop ends at the time limit, and the next case is answered."""

    def hang(new: Json, old: Json, context: Context) -> ErrorList:
        while "hang" in new["spec"]:
            pass
        return []

    hanging, fine = target(kind(handwritten=hang), time_limit=0.1).ask([case({"spec": {"hang": 1}}), case()])
    assert Failure("handwritten", "did not finish within 0.1 seconds", panic=True) == hanging.failure
    assert fine.failure is None


def test_a_case_that_has_just_begun_does_not_hang() -> None:
    """However short the limit is: what counts is the time of the case, and not when the timer of all of them fires."""

    def slow(new: Json, old: Json, context: Context) -> ErrorList:
        time.sleep(0.01)
        return []

    answers = target(kind(handwritten=slow), time_limit=0.1).ask([case()] * 120)
    assert [None] * 120 == [answer.failure for answer in answers]


def test_a_process_that_was_held_up_does_not_hang() -> None:
    """A process that is suspended, or gets no processor, does not exceed the time limit of its validator."""

    def held_up(new: Json, old: Json, context: Context) -> ErrorList:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        time.sleep(1.2)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
        return []

    [answer] = target(kind(handwritten=held_up), time_limit=0.6).ask([case()])
    assert answer.failure is None


def test_other_threads_are_answered_without_a_limit() -> None:
    """Where nothing can be interrupted, cases are answered all the same."""
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.extend(target().ask([case()])))
    thread.start()
    thread.join()
    assert [(required(NAME),)] == [answer.handwritten for answer in answers]


def test_two_answers_to_one_case_are_seen() -> None:
    """A validator that remembers is found by asking twice."""
    calls: list[int] = []

    def fickle(new: Json, old: Json, context: Context) -> ErrorList:
        calls.append(1)
        return [] if len(calls) % 2 else [required(NAME)]

    [answer] = target(kind(handwritten=fickle)).ask([case(repeat=True)])
    assert answer.failure is not None
    assert (answer.failure.stage, answer.failure.panic) == ("self", False)
    assert "the handwritten side says 'no errors', then 'spec.name: Required value'" in answer.failure.message


def test_a_changed_object_is_seen() -> None:
    """A validator that writes into its object is found, and the caller's object stays as it was."""
    given: Json = {"spec": {}}
    one = kind(handwritten=lambda new, old, context: new["spec"].update(name="x") or [])
    [answer] = target(one).ask([case(given, repeat=True)])
    assert Failure("self", "a validator changed the object it was given") == answer.failure
    assert given == {"spec": {}}


def test_a_steady_validator_passes_the_check() -> None:
    """Asking twice changes nothing for validators without a memory."""
    once, twice = target().ask([case(), case(repeat=True)])
    assert once == twice


def test_the_greeting_lists_what_is_served() -> None:
    """Every version and subresource is a kind of its own, with its operations; a kind may be a subresource only."""
    one = kind(subresources=("status", "log"), operations={"log": (Operation.CREATE,)}, normalization=[("a", "b")])
    scale = kind(kind="Scale", root=False, subresources=("scale",))
    info = target(one, scale, types={("Thing", "v1"): "suites/things/v1.Thing"}).info
    told = [(one.name, one.kind, [str(operation) for operation in one.operations]) for one in info.kinds]
    assert told == [
        ("example.com/v1 things", "Thing", ["create", "update"]),
        ("example.com/v1 things/status", "Thing", ["update"]),
        ("example.com/v1 things/log", "Thing", ["create"]),
        ("example.com/v1 things/scale", "Scale", ["update"]),
    ]
    assert (info.kinds[0].type, info.kinds[0].normalization) == ("suites/things/v1.Thing", (("a", "b"),))
    assert "served" not in info.abilities


def test_a_kind_without_rules_is_marked() -> None:
    """Without declarative validators, `rules` is false and the declarative errors are empty."""
    bare = target(declarative={})
    [answer] = bare.ask([case()])
    assert (bare.info.kinds[0].rules, answer.declarative) == (False, ())


def test_a_core_group_has_no_slash() -> None:
    """The empty group gives `v1`, as for pods."""
    suite = Suite("core", "", [kind()])
    with PythonTarget(suite, {}) as core:
        [answer] = core.ask([replace_group(case({"apiVersion": "v1"}))])
    assert (answer.failure, core.info.kinds[0].name) == (None, "v1 things")


def replace_group(one: Case) -> Case:
    """The same case in the core group."""
    return Case(one.id, "", one.version, one.kind, one.operation, one.object)


def test_a_deep_object_is_a_failure() -> None:
    """A recursive object is a failure, not a crash."""

    def decode(value: Json) -> Json:
        return decode(value)

    [answer] = target(decoders={("Thing", "v1"): decode}).ask([case()])
    assert Failure("decode", "nested too deeply") == answer.failure


def test_an_option_of_a_case_is_a_switch_for_the_gate_of_its_name() -> None:
    """Both sides hear what they would hear in a run with that gate; a case without options hears the gate itself."""
    seen: list[Any] = []
    one = kind(options={"Fancy": False, "Other": True}, handwritten=lambda new, old, c: noted(seen, dict(c.gates)))
    suite = target(one)
    suite.ask([case(), case(options={"Fancy": True, "Other": False}), case()])
    assert [{"Fancy": False}, {"Fancy": True}, {"Fancy": False}] == seen
    assert "switches" in suite.info.abilities


def test_options_of_one_kind_do_not_reach_another() -> None:
    """Each kind has its own options."""
    first, second = kind(options={"A": True}), replace(kind(kind="Other"), options={"B": False})
    assert [one.options for one in target(first, second).info.kinds] == [{"A": True}, {"B": False}]


def test_costs_are_measured_on_request() -> None:
    """Every part has its samples; without rules there is no conversion."""
    with target() as one, target(declarative={}) as plain:
        asked = case(measure=Measure(3, 1000))
        [answer], [silent], [bare] = one.ask([asked]), one.ask([case()]), plain.ask([asked])
    assert (answer.handwritten, answer.declarative) == (silent.handwritten, silent.declarative)
    assert answer.cost is not None
    assert bare.cost is not None
    assert {"read", "handwritten", "convert", "declarative", "both"} == set(answer.cost.parts)
    assert {3} == {len(spent.nanoseconds) for spent in answer.cost.parts.values()}
    assert {"read", "handwritten"} == set(bare.cost.parts)
    assert silent.cost is None


SERVED, GIVEN = ("Thing", "v1", True), ("Thing", "v1", False)


def test_an_object_is_found_by_identity_and_by_how_it_was_read() -> None:
    """The very same object has the forms it had; read in another way it has others, and so has an equal object."""
    stored, forms, value = Stored(), ({"a": 1, "b": 2}, {"a": 1}), {"a": 1}
    stored.keep(value, SERVED, forms)
    assert forms is stored.find(value, SERVED)
    assert stored.find(value, GIVEN) is None
    assert stored.find({"a": 1}, SERVED) is None


def test_cached_objects_stay_alive() -> None:
    """The identity of an object with cached forms is not reused for a later object."""
    stored = Stored()
    stored.keep({"a": 1}, SERVED, ({"a": 1}, {"a": 1}))
    assert [None] * 100 == [stored.find({"a": number}, SERVED) for number in range(100)]


def test_a_changed_object_is_not_reused() -> None:
    """A validator that changes the old object of one case does not change that of the next one."""
    stored, value = Stored(), {"a": {"b": 1}}
    forms: tuple[dict[str, Any], dict[str, Any]] = ({"a": {"b": 1}}, {"a": {"b": 1}})
    stored.keep(value, SERVED, forms)
    forms[1]["a"]["b"] = 2
    assert stored.find(value, SERVED) is None
    forms[1]["a"]["b"] = object()
    assert stored.find(value, SERVED) is None


def test_a_form_that_is_both_is_watched_too() -> None:
    """Most kinds have one form only: a change of it is seen as well."""
    stored, value, form = Stored(), {"a": 1}, {"a": 1}
    stored.keep(value, SERVED, (form, form))
    assert stored.find(value, SERVED) is not None
    form["a"] = 2
    assert stored.find(value, SERVED) is None


def test_a_form_that_is_not_json_is_not_cached() -> None:
    """A form that cannot be encoded cannot be compared later."""
    stored, value = Stored(), {"a": 1}
    stored.keep(value, SERVED, ({"a": object()}, {}))
    assert stored.find(value, SERVED) is None


def test_no_more_than_so_many_objects_are_remembered() -> None:
    """A long run does not keep all it has seen."""
    stored, values = Stored(), [{"a": number} for number in range(MAX_STORED + 1)]
    for value in values:
        stored.keep(value, SERVED, ({}, {}))
    assert stored.find(values[0], SERVED) is None
    assert stored.find(values[MAX_STORED], SERVED) is not None
