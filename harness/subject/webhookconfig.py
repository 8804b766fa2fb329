"""Reads the webhooks of ValidatingWebhookConfigurations from a file: where they are, and what they are asked about.

What would keep a server from asking about an object by more than its kind is refused: an object that is never asked
about would look as if it were allowed.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from harness.diagnostics import Position, UsageError
from harness.limits import read_bounded
from harness.objectmodel import KIND, METADATA
from harness.subject.manifests import documents_of
from harness.targets.crd.webhook import TIMEOUT
from harness.targets.crd.webhooks import ConfiguredWebhook, WebhookRule

CONFIGURATION: Final = "ValidatingWebhookConfiguration"
_NAMES: Final = ("operations", "apiGroups", "apiVersions", "resources")
_MOST_SECONDS: Final = 30
_REFUSED: Mapping[str, str] = {
    "matchConditions": "they are CEL over requests, which is not evaluated here",
    "namespaceSelector": "namespaces have no labels here",
    "objectSelector": "objects that it leaves out would look as if the webhook allowed them",
}


def read_webhooks(file: str, at: str = "", ca: str = "") -> list[ConfiguredWebhook]:
    """Read every webhook of a file. `at` is where services of the cluster are reached; `ca` a file of certificates.

    Raises: UsageError with everything that is wrong.
    """
    try:
        documents = documents_of(read_bounded(file), file)
        trusted = Path(ca).read_text(encoding="utf-8") if ca else ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{ca or file} cannot be read: {error}\n  fix: name a file that you may read") from None
    problems: list[str] = []
    found: list[ConfiguredWebhook] = []
    for value, position in documents:
        if isinstance(value, dict) and value.get(KIND) == CONFIGURATION:
            hooks = value.get("webhooks") or []
            if not isinstance(hooks, list):
                problems.append(f"{_at(position)}: webhooks is no list\n  fix: webhooks: [{{name: ..., ...}}]")
                continue
            for hook in hooks:
                own = list(_problems(hook, at))
                name = hook.get("name") or (value.get(METADATA) or {}).get("name") if isinstance(hook, dict) else "?"
                problems += [f"{_at(position)}: the webhook {name}: {one}" for one in own]
                if not own:
                    found.append(_webhook(hook, at, trusted))
    if problems:
        raise UsageError("\n".join(problems))
    if not found:
        raise UsageError(
            f"{file} has no {CONFIGURATION} with webhooks\n  fix: --webhook URL, or name a file that has one"
        )
    return found


def _at(position: Position) -> str:
    return f"{position.file}:{position.line}"


def _problems(hook: Any, at: str) -> Iterator[str]:
    """Yield why a webhook cannot be asked as a server would ask it: what, why and how to fix it."""
    if not isinstance(hook, dict) or not isinstance(hook.get("clientConfig"), dict):
        yield "it has no clientConfig\n  fix: say where it is: clientConfig: {url: https://HOST:PORT/PATH}"
        return
    config = hook["clientConfig"]
    if not config.get("url") and not (isinstance(config.get("service"), dict) and at):
        yield (
            "it is a service of a cluster\n  why: it is asked from here, where services have no address\n"
            "  fix: kubectl port-forward, or run it here, and add --webhook-at https://localhost:PORT"
        )
    for name, why in _REFUSED.items():
        if hook.get(name):
            yield f"{name} is not supported\n  why: {why}\n  fix: take it out of a copy of the file"
    if "v1" not in _texts(hook.get("admissionReviewVersions")):
        yield "it takes no AdmissionReview of v1\n  why: it is asked with that\n  fix: admissionReviewVersions: [v1]"
    if hook.get("sideEffects") not in ("None", "NoneOnDryRun"):
        yield "it has side effects\n  why: a server refuses dry runs then, and so do we\n  fix: sideEffects: None"
    rules = hook.get("rules")
    if not rules or not isinstance(rules, list):
        yield "it has no rules\n  why: a server never asks it\n  fix: name operations, groups, versions and resources"
    for number, rule in enumerate(rules if isinstance(rules, list) else ()):
        wrong = [name for name in _NAMES if not _texts(rule.get(name) if isinstance(rule, dict) else None)]
        if wrong:
            what = ", ".join(wrong)
            yield f"rules[{number}] has no list of texts: {what}\n  fix: {wrong[0]}: ['*'], or what it is about"
    seconds = hook.get("timeoutSeconds", 1)
    if not isinstance(seconds, int) or not 1 <= seconds <= _MOST_SECONDS:
        yield f"timeoutSeconds is {seconds!r}\n  why: a server takes 1 to {_MOST_SECONDS}\n  fix: timeoutSeconds: 10"
    try:
        _certificates(config)
    except (binascii.Error, UnicodeDecodeError, ValueError):
        yield "caBundle is no text in base64\n  fix: base64 -w0 ca.crt, or leave it out and add --ca FILE"


def _texts(value: Any) -> list[str]:
    """Return a list of texts; an empty one for anything else."""
    return value if isinstance(value, list) and all(isinstance(one, str) for one in value) else []


def _certificates(config: Mapping[str, Any]) -> str:
    return base64.b64decode(str(config.get("caBundle") or ""), validate=True).decode("ascii")


def _webhook(hook: Mapping[str, Any], at: str, ca: str) -> ConfiguredWebhook:
    config = hook["clientConfig"]
    path = str((config.get("service") or {}).get("path") or "/")
    return ConfiguredWebhook(
        name=str(hook.get("name", "")),
        url=str(config.get("url") or f"{at.rstrip('/')}/{path.lstrip('/')}"),
        ca=ca or _certificates(config),
        rules=tuple(_rule(one) for one in hook["rules"]),
        timeout=float(hook.get("timeoutSeconds") or TIMEOUT),
    )


def _rule(rule: Mapping[str, Any]) -> WebhookRule:
    operations, groups, versions, resources = (tuple(rule[name]) for name in _NAMES)
    return WebhookRule(operations, groups, versions, resources, str(rule.get("scope") or "*"))
