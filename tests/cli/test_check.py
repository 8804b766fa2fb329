"""`harness check`: manifests and cases in, both sides out, with an exit code that says what to think of it."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.fakes import Opened, call

EVEN = "apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: even, namespace: a}\nspec: {size: 2}\n"
ODD = "apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: odd, namespace: a}\nspec: {size: 3}\n"
TEXT = "apiVersion: example.io/v1\nkind: Widget\nspec: {size: three}\n"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """A target without a process."""
    return Opened().install(monkeypatch)


@pytest.fixture
def check(tmp_path: Path, capfd: pytest.CaptureFixture[str], opened: Opened) -> Any:
    """Runs `harness check` on texts, which become files; words that start with a dash or were named stay."""

    def run(*texts: str, **named: str) -> Any:
        files = []
        for number, text in enumerate(texts):
            if "\n" in text:
                path = tmp_path / f"{number}.yaml"
                path.write_text(text, encoding="utf-8")
                files.append(str(path))
            else:
                files.append(text)
        return call(capfd, "check", "--command", "worker", *files)

    return run


def test_agreement_is_exit_code_0(check: Any) -> None:
    """Both lists and every setting are shown."""
    told = check(EVEN)
    assert told.code == 0
    assert "example.io/v1 widgets create a/even" in told.out
    assert "handwritten  no errors" in told.out
    assert "both sides agree" in told.out
    assert "served beta-on, beta-off, graduated accepted" in told.out


def test_a_difference_is_exit_code_1(check: Any) -> None:
    """It is shown with its severity and the served errors."""
    told = check(EVEN + "---\n" + ODD)
    assert told.code == 1
    assert "handwritten  spec.size: Invalid value: must be even  (covered)" in told.out
    assert "served beta-on, beta-off rejected" in told.out
    assert "served graduated  accepted" in told.out
    assert "DIFFERS unmatched (graduation) spec.size" in told.out


def test_an_old_object_makes_it_an_update(check: Any, opened: Opened) -> None:
    """Old objects are found by name, whatever their order."""
    told = check(EVEN + "---\n" + ODD, "--old", ODD.replace("3", "5") + "---\n" + EVEN.replace("2", "4"))
    assert "example.io/v1 widgets update a/even" in told.out
    assert [(c.object["spec"]["size"], c.old["spec"]["size"]) for c in opened.target.asked] == [(2, 4), (3, 5)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (EVEN.replace("Widget", "Wigdet"), "did you mean Widget?"),
        (EVEN.replace("example.io/v1", "example.io/v7"), "it serves example.io/v1 Widget"),
        ("kind: Widget\nspec: {}\n", "manifest-kind"),
        ("a: [1,\n", "manifest-syntax: not YAML"),
        ("- 1\n- 2\n", "this document is list"),
        ("# nothing\n\n", "contains no object"),
        ("a: &a [*a]\nkind: x\napiVersion: x\n", "it would never end"),
        (TEXT, "cannot be answered: decode: spec.size is no number"),
    ],
)
def test_an_object_that_cannot_be_asked_is_exit_code_2(check: Any, text: str, said: str) -> None:
    """The message names the reason."""
    told = check(text)
    assert told.code == 2
    assert said in told.out + told.err
    assert "Traceback" not in told.err


def test_one_bad_object_does_not_hide_the_others(check: Any) -> None:
    """The other objects are asked, and a difference determines the exit code."""
    told = check(EVEN.replace("Widget", "Gadget") + "---\n" + ODD)
    assert told.code == 1
    assert "does not serve example.io/v1 Gadget" in told.err
    assert "DIFFERS" in told.out


def test_times_in_yaml_stay_text(check: Any, opened: Opened) -> None:
    """Kubernetes reads YAML as JSON, which has no times."""
    check(EVEN + "when: 2026-01-31T00:00:00Z\n")
    assert opened.target.asked[0].object["when"] == "2026-01-31T00:00:00Z"


def test_answers_as_json(check: Any) -> None:
    """One line per object, with the lists of every setting and what differs."""
    told = check(ODD, "--json")
    answer = json.loads(told.out)
    assert [served["setting"] for served in answer["served"]] == ["beta-on", "beta-off", "graduated"]
    assert [mismatch["kind"] for mismatch in answer["mismatches"]] == ["unmatched"]


def test_the_items_of_a_list_are_checked(check: Any) -> None:
    """`kubectl get -o yaml` writes a List."""
    told = check(json.dumps({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "example.io/v1", "kind": "Widget", "spec": {"size": size}} for size in (2, 4)
    ]}) + "\n")  # fmt: skip
    assert told.out.count("both sides agree") == 2


def test_nothing_to_check_is_an_error(capfd: pytest.CaptureFixture[str], opened: Opened) -> None:
    """So are manifests and cases together."""
    assert call(capfd, "check", "--command", "worker").code == 2
    assert call(capfd, "check", "--command", "worker", "--cases", "-", "a.yaml").code == 2


def lines(monkeypatch: pytest.MonkeyPatch, *values: Any) -> None:
    """Put lines on standard input."""
    text = "".join((value if isinstance(value, str) else json.dumps(value)) + "\n" for value in values)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def case(number: int, size: Any, **more: Any) -> dict[str, Any]:
    """A case as a user writes it, without what can be known."""
    return {"id": number, "object": {"apiVersion": "example.io/v1", "kind": "Widget", "spec": {"size": size}}, **more}


def test_cases_are_answered_in_order_and_by_their_ids(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, opened: Opened
) -> None:
    """Ids are the caller's; a line that is no case is told with its number, and the others are answered."""
    lines(monkeypatch, case(7, 2), "{nonsense", case(7, 3), "", case(9, "x"))
    told = call(capfd, "check", "--command", "worker", "--cases", "-")
    answers = [json.loads(line) for line in told.out.splitlines()]
    assert [answer["id"] for answer in answers] == [7, 7, 9]
    assert [answer["failure"]["stage"] for answer in answers if "failure" in answer] == ["decode"]
    assert "-:2: case-syntax" in told.err
    assert told.code == 1


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"object": 3},
        {"object": None},
        {"object": {}},
        case(1, 2, operation="delete"),
        case(1, 2, group="apps"),
        "[" * 9999,
    ],
)
def test_a_line_that_is_no_case_is_exit_code_2(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, opened: Opened, value: Any
) -> None:
    """Whatever is wrong with it."""
    lines(monkeypatch, value)
    told = call(capfd, "check", "--command", "worker", "--cases", "-")
    assert told.code == 2
    assert "-:1: " in told.err
    assert "Traceback" not in told.err


def test_no_cases_are_exit_code_2(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, opened: Opened
) -> None:
    """Nothing compared is never 0."""
    lines(monkeypatch)
    assert call(capfd, "check", "--command", "worker", "--cases", "-").code == 2


def test_a_thousand_cases_are_answered(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, opened: Opened
) -> None:
    """Many cases come back as many answers, more than one batch of them."""
    lines(monkeypatch, *(case(number, number) for number in range(1000)))
    told = call(capfd, "check", "--command", "worker", "--cases", "-")
    assert len(told.out.splitlines()) == 1000


TYPES = """package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec WidgetSpec `json:"spec"`
}

type WidgetSpec struct {
	// +k8s:beta(since: "1.37")=+k8s:maximum=9
	Size int32 `json:"size"`
}
"""
SUITE = """from harness.field import Path
from harness.field.make import invalid
from harness.suite import Suite, SuiteKind

def validate(new, old, context):
    size = new.get("spec", {}).get("size", 0)
    path = Path().child("spec", "size")
    text = "must be less than or equal to 9" if size < 50 else "must be no more than 9"
    return [invalid(path, size, text, origin="maximum", covered=True)] if size > 9 else []

KIND = SuiteKind(kind="Widget", resource="widgets", versions={"v1": "types.go"}, handwritten=validate)
SUITE = Suite(name="widgets", group="example.io", kinds=[KIND])
"""


@pytest.fixture
def check_suite(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Any:
    """Runs `harness check` on an object and a suite whose words differ from 50 on."""
    folder = tmp_path / "widgets_v1"
    folder.mkdir()
    (folder / "types.go").write_text(TYPES, encoding="utf-8")
    (folder / "suite.py").write_text(SUITE, encoding="utf-8")

    def run(text: str, *options: str) -> Any:
        (tmp_path / "object.yaml").write_text(text, encoding="utf-8")
        return call(capfd, "check", folder, tmp_path / "object.yaml", *options)

    return run


def test_an_unknown_field_is_warned_about(check_suite: Any) -> None:
    """Decoding drops it, so both validators agree whatever its value is."""
    told = check_suite(EVEN.replace("size: 2", "sise: 2") + "status: {}\n")
    assert told.code == 0
    assert 'object.yaml:1: unknown field "spec.sise" (did you mean size?)' in told.err
    assert 'unknown field "status"' in told.err


def test_an_unknown_field_is_an_error_with_strict(check_suite: Any) -> None:
    """All unknown fields are reported, and the object is not asked."""
    told = check_suite(EVEN.replace("size: 2", "sise: 2") + "status: {}\n", "--strict")
    assert (2, "") == (told.code, told.out)
    assert 'unknown field "spec.sise"' in told.err
    assert 'unknown field "status"' in told.err


def test_known_fields_are_not_warned_about(check_suite: Any) -> None:
    """Neither those of the type nor those of every object."""
    told = check_suite(EVEN.replace("name: even", "name: even, labels: {a: b}, creationTimestamp: null"), "--strict")
    assert (0, "") == (told.code, told.err)


def test_different_details_are_pointed_out(check_suite: Any) -> None:
    """Both validators reject the object, and users get a different detail under another gate setting."""
    same, other = check_suite(EVEN.replace("2", "10")), check_suite(EVEN.replace("2", "60"))
    assert (0, 0) == (same.code, other.code)
    assert same.out.endswith("  both sides agree\n")
    assert other.out.endswith("both sides agree, in other words: see what each setting serves\n")
    assert "served beta-on, graduated rejected" in other.out
