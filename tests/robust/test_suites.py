"""Whatever the code of a suite does: the harness lives, what was found is told, and nobody waits for ever.

Each suite misbehaves for the objects whose count is 7. The limits are small, so that each takes about a second; none of
the expectations depends on how fast that is.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from harness.case import Answer, Case, Operation
from harness.diagnostics import InputError, TargetError
from harness.subject import SubjectSpec, open_subject
from harness.subject.description import load_suite
from harness.subject.order import SuiteOrder
from harness.subject.suiteprocess import SuiteTarget
from harness.targets.limits import Limits
from tests.robust.suites import ALWAYS, WAYS, write_suite

PATIENCE = 0.5
LIMITS = Limits(case=5.0)


def opened(folder: Path, limits: Limits = LIMITS) -> SuiteTarget:
    """Open a suite with little patience."""
    order = SuiteOrder("serve", str(folder), patience=PATIENCE, memory=1 << 30)
    return SuiteTarget("hostile", str(folder), {}, limits=limits, order=order)


def case(count: int, name: str = "a", number: int = 1) -> Case:
    """Ask for a thing with a count."""
    body = {"metadata": {"name": "a", "namespace": "b"}, "spec": {"name": name, "count": count}}
    return Case(number, "example.com", "v1", "Thing", Operation.CREATE, body, resource="things")


def told(answer: Answer) -> str:
    """Say what became of a case: whose failure, or how many errors."""
    failure = answer.failure
    if failure is not None:
        return f"{'panic' if failure.panic else 'failure'} {failure.stage}"
    return f"{len(answer.handwritten)} {len(answer.declarative)}"


EXPECTED = {
    "loops": "panic handwritten", "sleeps": "panic handwritten", "waits": "panic handwritten",
    "exits": "panic worker", "faults": "panic worker", "killed": "panic worker", "leaves-process": "panic worker",
    "closes-everything": "panic worker", "builtins": "panic worker", "stops-signals": "panic worker",
    "sys-exit": "panic handwritten", "million": "panic handwritten", "endless": "panic handwritten",
    "memory": "panic handwritten", "cancelled": "panic handwritten", "interrupt": "panic handwritten",
    "system-exit": "panic handwritten", "generator-exit": "panic handwritten", "pytest-fail": "panic handwritten",
    "bad-str": "panic handwritten", "recursion": "panic handwritten", "no-errors": "panic handwritten",
    "forks": "panic handwritten", "reads": "panic handwritten", "odd-error": "panic worker",
    "fork-once": "0 0", "closes-stdout": "0 0", "floods": "0 0", "prints": "0 0", "threads": "0 0",
    "surrogate": "panic worker", "swallows": "0 0", "kills-parent": "0 0",
}  # fmt: skip


def test_every_way_is_expected() -> None:
    """No way to misbehave is left out."""
    assert WAYS.keys() == EXPECTED.keys()


@pytest.mark.parametrize("way", [way for way in WAYS if way != "kills-parent"])
def test_one_case_is_blamed_and_no_other_is_lost(way: str, tmp_path: Path) -> None:
    """The case that meets the misbehaviour tells of it; those before and behind it are answered as ever."""
    with opened(write_suite(tmp_path / way, WAYS[way])) as target:
        cases = [case(7 if number == 2 else 1, "a" * (number * 3 + 1), number) for number in range(5)]
        answers = target.ask(cases)
    assert ["0 0", "0 0", EXPECTED[way], "1 1", "1 1"] == [told(one) for one in answers]
    assert [0, 1, 2, 3, 4] == [one.id for one in answers]


def test_what_is_wrong_with_an_object_is_told(tmp_path: Path) -> None:
    """An object of another kind, one that does not fit its type, and what is no object fail as they do in process."""
    wrong = [
        msgspec.structs.replace(case(1), object={"kind": "Other"}),
        msgspec.structs.replace(case(1), object={"spec": {"count": "1"}}),
        msgspec.structs.replace(case(1), object=[3]),
        msgspec.structs.replace(case(1), object={"kind": "Thing", "apiVersion": "example.com/v1"}),
    ]
    folder = write_suite(tmp_path / "suite")
    with opened(folder) as target, open_subject(SubjectSpec("suite", str(folder), in_process=True)) as subject:
        answers = target.ask(wrong)
        assert subject.target.ask(wrong) == answers
    assert ["failure decode"] * 3 + ["0 0"] == [told(one) for one in answers]


def test_who_kills_what_started_it_is_started_again(tmp_path: Path) -> None:
    """The server of processes may be killed by a suite: all is answered all the same, by a new one."""
    with opened(write_suite(tmp_path / "suite", WAYS["kills-parent"])) as target:
        answers = [target.ask([case(7), case(1)]) for _ in range(2)]
    assert "0 0" == told(answers[1][1])


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("loops", "did not end within"),
        ("exits", "ended its process (exit code 0)"),
        ("faults", "Segmentation fault"),
        ("sys-exit", "SystemExit: 0"),
        ("cancelled", "CancelledError"),
        ("bad-str", "its __str__ raises ZeroDivisionError"),
        ("memory", "MemoryError"),
        ("forks", "may start"),
        ("reads", "EOFError"),
        ("builtins", "produced no suite"),
        ("closes-everything", "produced no suite"),
    ],
)
def test_an_import_that_misbehaves_is_told(
    way: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading a suite ends with a diagnostic at its file, whatever its import does."""
    if way == "loops":
        monkeypatch.setattr("harness.subject.description.MAX_IMPORT_SECONDS", 1.0)
    folder = write_suite(tmp_path / way, top=WAYS[way].replace("return ", "X = "))
    with pytest.raises(InputError) as refused:
        load_suite(folder)
    [problem] = refused.value.diagnostics
    assert "suite-import" == problem.code
    assert Path(problem.position.file).parent == folder
    assert words in problem.message


@pytest.mark.parametrize("way", ["threads", "prints", "floods"])
def test_an_import_that_does_no_harm_is_read(way: str, tmp_path: Path) -> None:
    """What is printed is no answer, and a thread that goes on holds nobody."""
    assert "hostile" == load_suite(write_suite(tmp_path / way, top=WAYS[way])).name


def test_a_suite_that_takes_from_its_process_what_it_needs_is_told_in_a_line(tmp_path: Path) -> None:
    """Where the process of a suite cannot go on, its last words are one line that says why, and no traceback."""
    top = "__import__('resource').setrlimit(__import__('resource').RLIMIT_NOFILE, (3, 3))"
    with pytest.raises(TargetError, match="suite hostile could not be started") as refused:
        opened(write_suite(tmp_path / "suite", top=top))
    assert "exit code 70" in str(refused.value)
    assert "Too many open files" in str(refused.value)
    assert "Traceback" not in str(refused.value)


def test_a_default_that_ends_the_process_is_found(tmp_path: Path) -> None:
    """Not only validators run there: what fills in defaults does as well."""
    folder = write_suite(tmp_path / "suite", more=", defaults={'v1': lambda value: __import__('os')._exit(1)}")
    with opened(folder) as target:
        assert ["panic worker"] == [told(one) for one in target.ask([case(1)])]


@pytest.mark.parametrize(
    ("way", "limits", "words"),
    [
        ("exits", {"restarts": 4}, "restarted 5 times"),
        ("exits", {"silent": 3}, "4 times without giving any answer"),
        ("odd-error", {"judged": 10, "failed": 0.5}, "more than 50% of its answers failed"),
        ("stops-signals", {"case": 0.3, "waiting": 1.0}, "in vain for more than 1 seconds"),
    ],
)
def test_a_suite_that_always_misbehaves_is_given_up(
    way: str, limits: dict[str, float], words: str, tmp_path: Path
) -> None:
    """What it was found to do is told, then every question says which limit it is beyond."""
    folder = write_suite(tmp_path / way, WAYS[way], when=ALWAYS)
    with opened(folder, small(limits)) as target:
        answers = target.ask([case(1, number=number) for number in range(20)])
        with pytest.raises(TargetError, match=words):
            target.ask([case(1)])
    assert "panic worker" == told(answers[0])


def test_a_suite_that_hangs_again_and_again_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each case that does not end gets less time than the one before, and there are only so many."""
    monkeypatch.setattr("harness.subject.suiteprocess.MAX_STOPPED_CASES", 1)
    with opened(write_suite(tmp_path / "suite", WAYS["loops"], when=ALWAYS)) as target:
        assert ["panic handwritten"] * 2 == [told(one) for one in target.ask([case(1), case(2)])]
        with pytest.raises(TargetError, match="did not end in time"):
            target.ask([case(1)])


def small(changes: dict[str, float]) -> Limits:
    """Return the limits of these tests with some changed."""
    return Limits(**{"case": 5.0} | changes)  # type: ignore[arg-type]


def test_what_a_suite_is_told_survives_the_wire() -> None:
    """An order is read as it was written."""
    order = SuiteOrder("serve", "suites/x", {"A": True}, careful=True)
    assert order == msgspec.structs.replace(
        msgspec.json.decode(order.line(), type=SuiteOrder), cwd="", path=(), environment={}
    )
