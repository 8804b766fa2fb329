"""Several validating webhooks as one handwritten side: each is asked about what its rules name, as a server asks it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from harness.case import Answer, Case, KindInfo, Operation, TargetInfo
from harness.targets.crd.webhook import TIMEOUT, WebhookTarget
from harness.targets.target import Closing, Pending

_Key: TypeAlias = tuple[str, str, str, str]
"""Group, version, resource and subresource."""


@dataclass(frozen=True, slots=True)
class WebhookRule:
    """Which requests a webhook is asked about. `*` stands for all; a resource may name a subresource behind a slash."""

    operations: tuple[str, ...]
    groups: tuple[str, ...]
    versions: tuple[str, ...]
    resources: tuple[str, ...]
    scope: str = "*"

    def has(self, kind: KindInfo, operation: Operation) -> bool:
        """Whether a request is one of the rule's. Source: the Matcher of k8s.io/apiserver v0.37.1, rules."""
        wanted = "Namespaced" if kind.namespaced else "Cluster"
        return (
            not {"*", operation.value.upper()}.isdisjoint(self.operations)
            and not {"*", kind.group}.isdisjoint(self.groups)
            and not {"*", kind.version}.isdisjoint(self.versions)
            and any(_is_resource(one, kind) for one in self.resources)
            and self.scope in ("*", wanted)
        )


def _is_resource(pattern: str, kind: KindInfo) -> bool:
    resource, slash, subresource = pattern.partition("/")
    return resource in ("*", kind.resource) and (
        subresource in ("*", kind.subresource) if slash else not kind.subresource
    )


@dataclass(frozen=True, slots=True)
class ConfiguredWebhook:
    """A webhook of a configuration. `ca` is PEM, empty for what this machine trusts. Units: seconds, of `timeout`."""

    name: str
    url: str
    ca: str
    rules: tuple[WebhookRule, ...]
    timeout: float = TIMEOUT

    def operations(self, kind: KindInfo) -> tuple[Operation, ...]:
        """Return the operations on a kind that it is asked about."""
        return tuple(one for one in kind.operations if any(rule.has(kind, one) for rule in self.rules))


class WebhookGroup(Closing):
    """All webhooks of a configuration; an object has the errors of each that denies it.

    Raises: TargetError as `WebhookTarget` does.
    """

    def __init__(self, hooks: Sequence[ConfiguredWebhook], kinds: Sequence[KindInfo]) -> None:
        self._members: list[tuple[WebhookTarget, Mapping[_Key, tuple[Operation, ...]]]] = []
        asked: dict[_Key, KindInfo] = {}
        try:
            for hook in hooks:
                own = {kind.key: found for kind in kinds if (found := hook.operations(kind))}
                target = WebhookTarget(hook.url, kinds, timeout=hook.timeout, trusted=hook.ca)
                self._members.append((target, own))
        except BaseException:
            self.close()
            raise
        for kind in kinds:
            operations = tuple(
                one for one in kind.operations if any(one in own.get(kind.key, ()) for _, own in self._members)
            )
            if operations:
                asked[kind.key] = msgspec.structs.replace(kind, operations=operations)
        self.info = TargetInfo("the webhooks", kinds=tuple(asked.values()), abilities=("update",))

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch and wait for it."""
        return self.submit(cases).result()

    def submit(self, cases: Sequence[Case]) -> Pending:
        """Send each case to the webhooks whose rules name it."""
        sent = []
        for target, own in self._members:
            chosen = [(at, one) for at, one in enumerate(cases) if one.operation in own.get(_key(one), ())]
            if chosen:
                sent.append(([at for at, _ in chosen], target.submit([one for _, one in chosen])))
        return _GroupBatch(cases, sent)

    def close(self) -> None:
        """Close all. May be called twice."""
        for target, _ in self._members:
            target.close()


def _key(case: Case) -> _Key:
    return case.group, case.version, case.resource, case.subresource


class _GroupBatch:
    """A batch on its way to several webhooks. `seconds` counts nothing: others do the work."""

    seconds = 0.0

    def __init__(self, cases: Sequence[Case], sent: Sequence[tuple[Sequence[int], Pending]]) -> None:
        self._cases, self._sent = cases, sent

    def wait(self, seconds: float) -> bool:
        return all(pending.wait(seconds) for _, pending in self._sent)

    def result(self) -> list[Answer]:
        answers = [Answer(case.id) for case in self._cases]
        for places, pending in self._sent:
            for at, answer in zip(places, pending.result(), strict=True):
                known = answers[at]
                answers[at] = msgspec.structs.replace(
                    known,
                    handwritten=(*known.handwritten, *answer.handwritten),
                    failure=known.failure or answer.failure,
                )
        return answers
