"""A webhook as the handwritten side: it is asked as a server asks it, and whatever it does wrong is told."""

from __future__ import annotations

import socket
import time
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509

from harness.case import Case, KindInfo, Operation
from harness.diagnostics import TargetError
from harness.field import ErrorType, FieldError
from harness.targets.crd.webhook import WebhookTarget
from tests.targets.crd.hooks import ADDRESS, Answer, certificate, even, review, webhook

KIND = KindInfo("example.com", "v1", "Thing", "things", "example.com/v1")


def case(number: int, old: int | None = None) -> Case:
    """A create, or an update, of an object."""
    objects = [
        None if n is None else {"metadata": {"name": "a", "namespace": "b"}, "spec": {"n": n}} for n in (number, old)
    ]
    return KIND.case(Operation.CREATE if old is None else Operation.UPDATE, *objects, id=number)


def test_errors_are_read_from_causes() -> None:
    """A denied object has the errors that the causes of the status name; an allowed one has none."""
    with webhook(even) as (url, _), WebhookTarget(url, [KIND]) as target:
        first, second = target.ask([case(3), case(4)])
    expected = (
        FieldError(ErrorType.INVALID, "spec.n", "must be even", value="3"),
        FieldError(ErrorType.REQUIRED, "spec.why", "say why"),
    )
    assert (expected, ()) == (first.handwritten, second.handwritten)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({"message": 'spec.n: Invalid value: 3: odd'}, FieldError(ErrorType.INVALID, "spec.n", "odd", value="3")),
        ({"message": "odd numbers are closed"}, FieldError(ErrorType.FORBIDDEN, "", "odd numbers are closed")),
        ({"reason": "Forbidden"}, FieldError(ErrorType.FORBIDDEN, "", "Forbidden")),
        (None, FieldError(ErrorType.FORBIDDEN, "", "denied")),
        ({"details": {"causes": []}, "message": "no"}, FieldError(ErrorType.FORBIDDEN, "", "no")),
    ],
)  # fmt: skip
def test_errors_are_read_from_messages(status: dict[str, Any] | None, expected: FieldError) -> None:
    """Without causes the message is read, and a message without a path is an error of the object."""
    with webhook(lambda asked: review(asked, False, status=status)) as (url, _), WebhookTarget(url, [KIND]) as target:
        assert (expected,) == target.ask([case(3)])[0].handwritten


def test_what_it_is_asked() -> None:
    """The request is the one of a server: kind, resource, name, operation, both objects, and a dry run."""
    with webhook(even) as (url, seen), WebhookTarget(url, [KIND]) as target:
        target.ask([case(4, old=2)])
    request = seen[0]["request"]
    assert ("admission.k8s.io/v1", "AdmissionReview") == (seen[0]["apiVersion"], seen[0]["kind"])
    assert {"group": "example.com", "version": "v1", "resource": "things"} == request["resource"]
    assert ("UPDATE", "a", "b", True, 4, 2) == (
        request["operation"], request["name"], request["namespace"], request["dryRun"],
        request["object"]["spec"]["n"], request["oldObject"]["spec"]["n"],
    )  # fmt: skip


WRONG: list[tuple[Answer, str, str]] = [
    (lambda asked: (200, b"<html>sign in</html>"), "not JSON", "sign in"),
    (lambda asked: (500, b"panic"), "answered 500", "panic"),
    (lambda asked: (404, b""), "answered 404", "path of the URL"),
    (lambda asked: (200, b'{"apiVersion": "admission.k8s.io/v1beta1", "kind": "AdmissionReview", "response": {}}'),
     "admission.k8s.io/v1beta1 AdmissionReview", "admissionReviewVersions"),
    (lambda asked: (200, b"{}"), "nothing that names itself", "admission.k8s.io/v1"),
    (lambda asked: review(asked, True, uid="another"), "another uid", "copy request.uid"),
    (lambda asked: review(asked, True, allowed="yes"), "says nothing", "response.allowed"),
    (lambda asked: (200, b"[" + b"1," * (2 << 20) + b"1]"), "does not stop answering", "3 MiB"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "problem", "more"), WRONG)
def test_a_webhook_that_is_wrong(answer: Answer, problem: str, more: str) -> None:
    """What a server would not take is told, with why and how to mend it, and is no verdict."""
    with (
        webhook(answer) as (url, _),
        WebhookTarget(url, [KIND]) as target,
        pytest.raises(TargetError, match=problem) as told,
    ):
        target.ask([case(4)])
    assert more in str(told.value)
    assert "fix:" in str(told.value)


def test_a_webhook_that_is_down() -> None:
    """Nobody at the port ends the run with a message."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with (
        WebhookTarget(f"http://127.0.0.1:{port}/", [KIND]) as target,
        pytest.raises(TargetError, match="cannot be reached"),
    ):
        target.ask([case(4)])


def test_a_webhook_that_is_slow() -> None:
    """One that does not answer in time is not waited for."""

    def slow(asked: dict[str, Any]) -> tuple[int, bytes]:
        time.sleep(1.5)
        return review(asked, True)

    with (
        webhook(slow) as (url, _),
        WebhookTarget(url, [KIND], timeout=0.2) as target,
        pytest.raises(TargetError, match=r"no answer for 0\.2 seconds"),
    ):
        target.ask([case(4)])


def test_one_failure_is_no_verdict_and_loses_nothing() -> None:
    """A webhook that fails for one object answers for the others; that one has a failure, and no errors."""

    def picky(asked: dict[str, Any]) -> tuple[int, bytes]:
        return (500, b"") if asked["request"]["object"]["spec"]["n"] == 7 else even(asked)

    with webhook(picky) as (url, _), WebhookTarget(url, [KIND]) as target:
        target.ask([case(2)])
        answers = target.ask([case(7), case(3), case(4)])
    assert [True, False, False] == [answer.failure is not None for answer in answers]
    assert [0, 2, 0] == [len(answer.handwritten) for answer in answers]


def test_one_that_fails_from_some_time_on_is_given_up() -> None:
    """A webhook that does not come back is not asked for ever."""
    answers = iter([even])

    def dies(asked: dict[str, Any]) -> tuple[int, bytes]:
        return next(answers, lambda _: (503, b"bye"))(asked)

    with webhook(dies) as (url, _), WebhookTarget(url, [KIND]) as target:
        target.ask([case(2)])
        with pytest.raises(TargetError, match="answered 503"):
            target.ask([case(number) for number in range(40)])


def test_tls(tmp_path: Path) -> None:
    """The certificate is checked with the file that is named."""
    file, context = certificate(tmp_path)
    with webhook(even, context) as (url, _), WebhookTarget(url, [KIND], ca=file) as target:
        assert 2 == len(target.ask([case(3)])[0].handwritten)


def test_tls_that_is_not_trusted(tmp_path: Path) -> None:
    """Without the file, for another name, and after its last day, the connection is refused with the reason."""
    _, context = certificate(tmp_path)
    with (
        webhook(even, context) as (url, _),
        WebhookTarget(url, [KIND]) as target,
        pytest.raises(TargetError, match="not trusted") as told,
    ):
        target.ask([case(3)])
    assert "--ca FILE" in str(told.value)
    for name, days, why in ((x509.DNSName("elsewhere.example.com"), 1, "mismatch"), (ADDRESS, -1, "expired")):
        file, context = certificate(tmp_path, name, days)
        with (
            webhook(even, context) as (url, _),
            WebhookTarget(url, [KIND], ca=file) as target,
            pytest.raises(TargetError, match="not trusted") as told,
        ):
            target.ask([case(3)])
        assert why in str(told.value)


def test_http_where_there_is_tls(tmp_path: Path) -> None:
    """The other protocol than the port's is told."""
    _, context = certificate(tmp_path)
    with (
        webhook(even, context) as (url, _),
        WebhookTarget(url.replace("https", "http"), [KIND]) as target,
        pytest.raises(TargetError, match=r"speak HTTP|cannot be reached"),
    ):
        target.ask([case(3)])
    with (
        webhook(even) as (url, _),
        WebhookTarget(url.replace("http", "https"), [KIND]) as target,
        pytest.raises(TargetError, match="TLS"),
    ):
        target.ask([case(3)])


@pytest.mark.parametrize("url", ["localhost:9443/validate", "ftp://x/", "https:///validate", "http://h:port/"])
def test_what_is_no_url(url: str) -> None:
    """A location that nobody can be asked at is refused at once."""
    with pytest.raises(TargetError, match="no URL of a webhook"):
        WebhookTarget(url, [KIND])


def test_certificates_that_are_none(tmp_path: Path) -> None:
    """A file without certificates is named."""
    (tmp_path / "ca.pem").write_text("x")
    with pytest.raises(TargetError, match=r"ca\.pem has no certificates"):
        WebhookTarget("https://127.0.0.1/", [KIND], ca=tmp_path / "ca.pem")
