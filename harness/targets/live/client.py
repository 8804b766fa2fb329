"""Somebody's own API server as a target, asked by dry run and by nothing else.

It is asked what a create is answered, and an update of an object that is stored there, which it was asked to list. What
a cluster has besides validation may answer too: admission plugins, webhooks, policies, and limits of what the user may
do; that is told and never taken for a list of errors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from typing import Any, Final
from urllib.parse import quote

from harness.case import Answer, Case, Failure, Json, KindInfo, Operation, ServedList, TargetInfo
from harness.diagnostics import TargetError
from harness.field import FieldError
from harness.field.error import type_text
from harness.objectmodel import METADATA, NAMESPACE, STATUS, header_of, name_of
from harness.targets.live.access import Access
from harness.targets.live.discovery import discover, prefix, read_release, read_setting
from harness.targets.live.requests import RATE, TIMEOUT, NoAnswer, ServerClient
from harness.targets.target import Closing, Pending

_PAGE: Final = 50
"""So many objects are listed by a request."""
_REFUSED = (401, 403, 429, 500, 502, 503, 504)
"""What is answered by something else than validation: users without permission, limits, admission, proxies."""
_MISSING = (404, 405)
"""What is answered where there is no such namespace, object or request."""
_FORBIDDEN = re.compile(r"\bcannot (create|update) resource\b")
"""Stands in what is answered whatever the object is, because of the user."""
_DENIED = re.compile(r"admission webhook \"[^\"]*\"|ValidatingAdmissionPolicy '[^']*'")
"""Stands in what admission says, in whatever form it says it, and names who denies."""


class ServerTarget(Closing):
    """A server that is there. `release` is the one that it has to be of, such as `1.37.1`; any, where it is empty.

    `note` is called, once for each kind, with what the server does not let the user ask.
    Raises: TargetError if it cannot be asked, is of another release, or does not let the user in.
    """

    def __init__(
        self,
        access: Access,
        release: str = "",
        *,
        rate: float = RATE,
        timeout: float = TIMEOUT,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._note, self._noted = note, set[tuple[str, str, str]]()
        self._client = ServerClient(access, rate, timeout)
        self._pool = ThreadPoolExecutor(1, "server")
        try:
            found = read_release(self._client)
            if release and found != release:
                why = f"the report is about {release}, and another release answers otherwise"
                raise TargetError(f"{access.url} is v{found}", why, "run the report's release there")
            self.setting = read_setting(self._client, found)
            self._client.is_known = True
            kinds, excluded = discover(self._client)
        except BaseException:
            self.close()
            raise
        name = f"the server at {self._client.host} ({found})"
        self.info = TargetInfo(name, abilities=("served",), kinds=kinds, excluded=excluded)
        self._kinds = {kind.key: kind for kind in kinds}
        self._held: dict[str, tuple[Json, Json]] = {}
        self._closed_to: dict[str, str] = {}

    def close(self) -> None:
        """Close the connection; what is not asked yet is not asked. May be called twice."""
        self._client.close()
        self._pool.shutdown(cancel_futures=True)

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Ask each case. Raises: TargetError when the server does not answer any more."""
        return self.submit(cases).result()

    def submit(self, cases: Sequence[Case]) -> Pending:
        """Start a batch; batches are asked one after the other."""
        return _ServerBatch(self._pool.submit(lambda: [self._answer(case) for case in cases]))

    def list_objects(self, kind: KindInfo, show: Callable[[dict[str, Json]], dict[str, Json]]) -> Iterator[Json]:
        """Yield what is stored of a kind, each object as `show` returns it; updates of them can be asked from then on.

        Raises: WrongDocument if the user may not list them, NoAnswer, TargetError.
        """
        after = ""
        while True:
            page = self._client.get(f"{_collection(kind)}?limit={_PAGE}{after}")
            items, metadata = page.get("items"), page.get(METADATA)
            for one in items if isinstance(items, list) else ():
                if isinstance(one, dict) and isinstance(one.get(METADATA), dict):
                    whole = {**header_of(kind.api_version, kind.kind), **one}  # items of a list do not name their type
                    shown = show(whole)
                    self._held[_address(kind, *name_of(whole))] = shown, whole
                    yield shown
            token = metadata.get("continue") if isinstance(metadata, dict) else ""
            if not token:
                return
            after = f"&continue={quote(str(token), safe='')}"

    def _answer(self, case: Case) -> Answer:
        kind = self._kinds.get((case.group, case.version, case.resource, case.subresource))
        if kind is None:
            return _not_asked(case, "the server does not serve this version")
        if case.operation is Operation.UPDATE:
            return self._update(kind, case)
        if case.subresource:
            return _not_asked(case, "a part of another object would need that object to be stored there")
        space, _ = name_of(case.object) if isinstance(case.object, dict) else ("", "")
        return self._ask(kind, case, "POST", _collection(kind, space or NAMESPACE), case.object)

    def _update(self, kind: KindInfo, case: Case) -> Answer:
        """Ask an update of an object that was listed, and is in the case as it was shown."""
        if case.subresource not in ("", STATUS):
            return _not_asked(case, "a part of another object would need that object to be stored there")
        address = _address(kind, *name_of(case.old)) if isinstance(case.old, dict) else ""
        shown, whole = self._held.get(address, (None, None))
        if shown is None or shown != case.old:
            return _not_asked(case, "an update would need its old object to be stored there")
        path = f"{address}/{case.subresource}" if case.subresource else address
        return self._ask(kind, case, "PUT", path, change(whole, case.old, case.object))

    def _ask(self, kind: KindInfo, case: Case, method: str, path: str, body: Json) -> Answer:
        if (why := self._closed_to.get(path)) is not None:
            return _not_asked(case, why)
        try:
            code, data = self._client.dry_run(method, path, body)
        except NoAnswer as error:
            if not error.closed:
                return _not_asked(case, error.why)
            return Answer(case.id, served=(ServedList(self.setting, {}, (), "the connection is closed"),))
        answer = _read(case, self.setting, code, data)
        if answer.failure is not None:
            self._tell(kind, case.operation, answer.failure.message)
            if code == 401 or (code == 403 and _FORBIDDEN.search(answer.failure.message)):
                self._closed_to[path] = answer.failure.message
        elif code in _MISSING:
            self._tell(kind, case.operation, f"it answers {answer.served[0].status}")
        return answer

    def _tell(self, kind: KindInfo, operation: Operation, why: str) -> None:
        """Note why a request was not validated, once for each kind and status or denier, whatever the object is."""
        told = kind.name, operation, why.partition(": ")[0]
        if told not in self._noted:
            self._noted.add(told)
            self._note(f"not asked: {kind.name} {operation}: {why}")


class _ServerBatch:
    """A batch that a thread asks."""

    seconds = 0.0

    def __init__(self, future: Future[list[Answer]]) -> None:
        self._future = future

    def wait(self, seconds: float) -> bool:
        return bool(wait_for([self._future], seconds).done)

    def result(self) -> list[Answer]:
        return self._future.result()


def change(whole: Json, old: Json, new: Json) -> Json:
    """Return an object with the changes from `old` to `new`, which were made to what was shown of it.

    What was not shown as it is, such as the value of a Secret, stays as it is.
    """
    if new == old:
        return whole
    if not all(isinstance(one, dict) for one in (whole, old, new)):
        return new
    hidden = {name: value for name, value in whole.items() if name not in old and name not in new}
    changed = {
        name: change(whole[name], old[name], value) if name in old and name in whole else value
        for name, value in new.items()
    }
    return {**hidden, **changed}


def _collection(kind: KindInfo, space: str = "") -> str:
    """Return the path of the objects of a kind, of one namespace or of all."""
    inside = f"/namespaces/{quote(space, safe='')}" if kind.namespaced and space else ""
    return f"{prefix(kind.group, kind.version)}{inside}/{kind.resource}"


def _address(kind: KindInfo, space: str, name: str) -> str:
    return f"{_collection(kind, space)}/{quote(name, safe='')}"


def _not_asked(case: Case, why: str) -> Answer:
    return Answer(case.id, failure=Failure("handwritten", why))


def _read(case: Case, setting: str, code: int, body: bytes) -> Answer:
    """Read a response: a list of errors, a status, or what has nothing to do with validation."""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return _not_asked(case, f"it answers {code} with something else than JSON: {body[:80]!r}")
    if not isinstance(said, dict):
        return _not_asked(case, f"it answers {code} with something else than an object")
    status = ""
    errors: tuple[FieldError, ...] = ()
    text = f"{code} {said.get('reason', '')}: {said.get('message', '')}"
    if code >= 300 and (denied := _DENIED.search(str(said.get("message", "")))) is not None:
        return _not_asked(case, f"{denied[0]} denies it before validation: {text}")
    if code in _REFUSED:
        return _not_asked(case, f"it answers {text}")
    if code >= 300 and said.get("reason") == "Invalid" and (causes := _causes(said)):
        errors = tuple(map(_error, causes))
    elif code >= 300 and said.get("reason") != "AlreadyExists":  # a server looks for the name after it has validated
        status = text
    return Answer(case.id, served=(ServedList(setting, {}, errors, status),))


def _causes(said: dict[str, Any]) -> list[dict[str, Any]]:
    details = said.get("details")
    causes = details.get("causes") if isinstance(details, dict) else None
    return [one for one in causes if isinstance(one, dict)] if isinstance(causes, list) else []


def _error(cause: dict[str, Any]) -> FieldError:
    reason, message = str(cause.get("reason", "")), str(cause.get("message", ""))
    return FieldError(reason, str(cause.get("field", "")), message.removeprefix(type_text(reason)).removeprefix(": "))
