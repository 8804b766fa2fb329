"""Configurations of webhooks: where each is and what it is asked about, or why it cannot be asked."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.diagnostics import UsageError
from harness.subject.webhookconfig import read_webhooks

HOOK: dict[str, Any] = {
    "name": "a.example.com", "admissionReviewVersions": ["v1"], "sideEffects": "None", "timeoutSeconds": 3,
    "clientConfig": {"url": "https://localhost:1/validate", "caBundle": base64.b64encode(b"PEM").decode()},
    "rules": [{"operations": ["CREATE"], "apiGroups": ["g"], "apiVersions": ["v1"], "resources": ["ts", "ts/status"]}],
}  # fmt: skip
SERVICE = {"service": {"name": "s", "namespace": "n", "path": "/validate"}}


def write(folder: Path, **changes: Any) -> str:
    """Write a configuration with one webhook, between other documents; without a value a member is left out."""
    hook = {name: value for name, value in {**HOOK, **changes}.items() if value is not None}
    config = {"apiVersion": "x/v1", "kind": "ValidatingWebhookConfiguration", "metadata": {}, "webhooks": [hook]}
    file = folder / "hooks.yaml"
    file.write_text(yaml.safe_dump_all([{"kind": "Service"}, config]), encoding="utf-8")
    return str(file)


def test_a_webhook_is_read(tmp_path: Path) -> None:
    """Its URL, its certificates, its time and its rules."""
    (hook,) = read_webhooks(write(tmp_path))
    assert ("a.example.com", "https://localhost:1/validate", "PEM", 3.0) == (hook.name, hook.url, hook.ca, hook.timeout)
    assert ("ts", "ts/status") == hook.rules[0].resources
    assert "*" == hook.rules[0].scope


def test_a_service_is_where_it_is_said_to_be(tmp_path: Path) -> None:
    """The path is that of the service; certificates of a file win over those of the configuration."""
    (tmp_path / "ca.crt").write_text("OTHER")
    file = write(tmp_path, clientConfig=SERVICE)
    (hook,) = read_webhooks(file, "https://localhost:9443/", str(tmp_path / "ca.crt"))
    assert ("https://localhost:9443/validate", "OTHER") == (hook.url, hook.ca)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"clientConfig": SERVICE}, "add --webhook-at"), ({"clientConfig": None}, "it has no clientConfig"),
        ({"clientConfig": {"url": "https://x/", "caBundle": "?"}}, "caBundle is no text in base64"),
        ({"matchConditions": [{"name": "a", "expression": "true"}]}, "matchConditions is not supported"),
        ({"objectSelector": {"matchLabels": {"a": "b"}}}, "objectSelector is not supported"),
        ({"namespaceSelector": {"matchLabels": {"a": "b"}}}, "namespaceSelector is not supported"),
        ({"admissionReviewVersions": ["v1beta1"]}, "no AdmissionReview of v1"),
        ({"sideEffects": "Some"}, "it has side effects"), ({"rules": []}, "it has no rules"),
        ({"rules": 3}, "it has no rules"), ({"rules": ["a"]}, "rules[0] has no list of texts: operations, apiGroups"),
        ({"rules": [{**HOOK["rules"][0], "resources": "ts"}]}, "rules[0] has no list of texts: resources"),
        ({"timeoutSeconds": "ten"}, "timeoutSeconds is 'ten'"), ({"timeoutSeconds": 31}, "a server takes 1 to 30"),
        ({"admissionReviewVersions": "v1"}, "no AdmissionReview of v1"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    """Where, what, why and how to fix it."""
    with pytest.raises(UsageError) as told:
        read_webhooks(write(tmp_path, **changes))
    for part in ("hooks.yaml:", "the webhook a.example.com", words, "fix: "):
        assert part in str(told.value)


def test_everything_wrong_is_told(tmp_path: Path) -> None:
    """Not the first problem alone; and a file without a configuration, or that is not there, is told."""
    with pytest.raises(UsageError) as told:
        read_webhooks(write(tmp_path, rules=[], sideEffects="Some"))
    assert 2 == str(told.value).count("hooks.yaml:")
    (tmp_path / "none.yaml").write_text("kind: Service\n")
    with pytest.raises(UsageError, match="has no ValidatingWebhookConfiguration"):
        read_webhooks(str(tmp_path / "none.yaml"))
    (tmp_path / "odd.yaml").write_text("kind: ValidatingWebhookConfiguration\nwebhooks: 3\n")
    with pytest.raises(UsageError, match="webhooks is no list"):
        read_webhooks(str(tmp_path / "odd.yaml"))
    with pytest.raises(UsageError, match="cannot be read"):
        read_webhooks(str(tmp_path / "nothing.yaml"))
