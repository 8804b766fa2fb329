"""The handwritten half as a user names it: what it is called in a sentence, and which values its code suggests."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.case import KindInfo, Operation
from harness.diagnostics import UsageError
from harness.gotypes.literals import NO_LITERALS
from harness.subject.namedvalidator import open_validator, validator_literals, validator_name

BACKUPS = KindInfo("storage.example.com", "v1", "Backup", "backups", "storage.example.com/v1")
STATUS = KindInfo("storage.example.com", "v1", "Backup", "backups", "storage.example.com/v1", subresource="status")
CONFIGURATION = """\
kind: ValidatingWebhookConfiguration
webhooks:
  - name: backups.storage.example.com
    admissionReviewVersions: [v1]
    sideEffects: None
    clientConfig: {url: "https://localhost:1/validate"}
    rules: [{operations: [CREATE], apiGroups: ["*"], apiVersions: [v1], resources: [backups]}]
"""


@pytest.mark.parametrize(
    ("validator", "name"),
    [
        ("https://localhost:9443/validate#ca.pem", "its webhook"), ("checks.py:validate", "the function validate"),
        ("go:./api/v1.Backup", "the validator Backup"), ("./validator --fast", "the program"),
        ("config:hooks.yaml#https://localhost:9443#ca.pem", "its webhooks"),
    ],
)  # fmt: skip
def test_what_a_validator_is_called(validator: str, name: str) -> None:
    """A sentence says what validates."""
    assert name == validator_name(validator)


def test_values_to_try(tmp_path: Path) -> None:
    """Literals of a function in Python are at hand, those of a webhook and a program are not."""
    file = tmp_path / "checks.py"
    file.write_text("def check(new, old):\n    return ['no'] if new.get('schedule') == '@monthly' else []\n")
    assert ("@monthly",) == validator_literals(f"{file}:check").near(["schedule"])
    others = ("https://localhost/", "./validator", "config:hooks.yaml##")
    assert [NO_LITERALS] * 3 == [validator_literals(other) for other in others]


def test_a_function_that_is_not_there() -> None:
    """A file that is missing is told before a process is started."""
    with pytest.raises(UsageError, match=r"there is no file nowhere\.py"):
        open_validator("nowhere.py:check", [], lambda text: None)


def test_a_webhook_by_its_url() -> None:
    """Nothing says that it is asked about subresources."""
    with open_validator("http://localhost:1/validate", [BACKUPS, STATUS], lambda text: None) as target:
        assert (BACKUPS,) == target.info.kinds


def test_webhooks_of_a_configuration(tmp_path: Path) -> None:
    """They are asked about what their rules name; a file that names none of the kinds is refused."""
    file = tmp_path / "hooks.yaml"
    file.write_text(CONFIGURATION)
    with open_validator(f"config:{file}##", [BACKUPS, STATUS], lambda text: None) as target:
        assert [(BACKUPS.key, (Operation.CREATE,))] == [(kind.key, kind.operations) for kind in target.info.kinds]
    with pytest.raises(UsageError, match="is asked about backups"):
        open_validator(f"config:{file}##", [STATUS], lambda text: None)
