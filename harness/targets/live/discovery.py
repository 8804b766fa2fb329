"""What somebody's own server says of itself: its release, the setting of the migration's gate, and what it serves."""

from __future__ import annotations

import http.client
import re
from collections.abc import Iterator
from typing import Any, Final

from harness.case import Excluded, KindInfo, Operation, group_version
from harness.diagnostics import TargetError
from harness.targets.live.requests import NoAnswer, ServerClient, WrongDocument

_VERSION: Final = re.compile(r"v(\d+\.\d+\.\d+)(?![0-9])")
_BUILD = re.compile(r'^kubernetes_build_info\{[^}]*git_version="v(\d+\.\d+\.\d+)[^}]*\}', re.M)
_GATE = re.compile(r'^kubernetes_feature_enabled\{name="(DeclarativeValidation\w*)"[^}]*\} ([01])', re.M)
_FIRST_WITH_LEVELS = 36
"""The minor release since which levels and one gate decide; before, two gates did."""
_VERBS = {Operation.CREATE: "create", Operation.UPDATE: "update"}


def read_release(client: ServerClient) -> str:
    """Return the release, such as `1.37.1`. Raises: TargetError if it says none."""
    said = str(client.get("/version").get("gitVersion", ""))
    found = _VERSION.match(said)
    if found is None:
        raise TargetError(f"{client.url} is of no version: {said!r}", fix="name the URL of an API server")
    return found[1]


def read_setting(client: ServerClient, release: str) -> str:
    """Return the setting of the migration's gates, of which metrics tell; where they do not, they have their defaults.

    Raises: TargetError if the metrics are of another release: servers of several releases answer there.
    """
    code, data = client.send("GET", "/metrics")
    text = data.decode(errors="replace") if code == http.client.OK else ""
    built = _BUILD.search(text)
    if built is not None and built[1] != release:
        raise TargetError(
            f"{client.url} says that it is {release}, and its metrics say {built[1]}",
            "servers of two releases answer there, each otherwise", "wait until its upgrade has ended, or name one",
        )  # fmt: skip
    gates = {name: value == "1" for name, value in _GATE.findall(text)}
    if int(release.split(".")[1]) >= _FIRST_WITH_LEVELS:
        return "beta-on" if gates.get("DeclarativeValidationBeta", True) else "beta-off"
    takes_over = gates.get("DeclarativeValidationTakeover", False)
    if gates.get("DeclarativeValidation", True):
        return "takeover" if takes_over else "validation-on"
    return "takeover-only" if takes_over else "validation-off"


def discover(client: ServerClient) -> tuple[tuple[KindInfo, ...], tuple[Excluded, ...]]:
    """Return what is served, in the server's order of versions, and what cannot be discovered, with the reason.

    A version that does not answer is one of an aggregated API. Raises: TargetError.
    """
    kinds: list[KindInfo] = []
    excluded: list[Excluded] = []
    try:
        for group, version in [("", "v1"), *_versions(client.get("/apis"))]:
            try:
                document = client.get(prefix(group, version))
            except (WrongDocument, NoAnswer) as error:
                if not group:
                    raise
                excluded.append(Excluded(group, version, "*", error.why))
                continue
            kinds += _kinds(group, version, document)
    except NoAnswer as error:
        raise TargetError(f"{client.url} does not say what it serves", error.why, "see whether it runs") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise TargetError(
            f"{client.url} lists what it serves in another form", repr(error), "name the URL of an API server"
        ) from None
    return tuple(kinds), tuple(excluded)


def prefix(group: str, version: str) -> str:
    """Return how paths of a version begin."""
    return f"/apis/{group}/{version}" if group else f"/api/{version}"


def _versions(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for group in document.get("groups") or ():
        for version in group["versions"]:
            yield str(group["name"]), str(version["version"])


def _kinds(group: str, version: str, document: dict[str, Any]) -> Iterator[KindInfo]:
    for one in document.get("resources") or ():
        resource, _, subresource = str(one["name"]).partition("/")
        verbs = one.get("verbs") or ()
        of_object = group_version(str(one.get("group") or group), str(one.get("version") or version))
        yield KindInfo(
            group, version, str(one["kind"]), resource, of_object, subresource,
            operations=tuple(operation for operation, verb in _VERBS.items() if verb in verbs),
            namespaced=one["namespaced"] is True, storage=bool(subresource) or "list" in verbs,
        )  # fmt: skip
