"""Reads the counters of declarative validation from the metrics of API servers, and adds them to certificates.

Counters at zero are no evidence that a rule is safe: they say that the requests of some users met no difference that is
counted. Their only label names a kind, a subresource and an operation, and no rule, so that one above zero counts
against all rules that such a request reaches. Source: semantics.md#7.5; apiserver pkg/validation/metrics.go (1.37.1).
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import msgspec
from prometheus_client.parser import text_string_to_metric_families

from harness.diagnostics import Diagnostic, InputError, Position
from harness.graduate.document import Certificate, CountedRequests, ServerCounters
from harness.limits import read_bounded, read_stream

_COUNTED = "apiserver_validation_"
_MISMATCHES, _PANICS = "declarative_validation_mismatch_total", "declarative_validation_panic_total"
_BY_REQUEST = {
    "declarative_validation_parity_discrepancies_total": _MISMATCHES,
    "declarative_validation_panics_total": _PANICS,
}
"""The counters with a label, and those that count the same in all."""
_LABEL = "validation_identifier"
_BUILD, _FEATURE, _START = "kubernetes_build_info", "kubernetes_feature_enabled", "process_start_time_seconds"
_READ = re.compile(rf"(?:{_COUNTED}\w*|{_BUILD}|{_FEATURE}|{_START})[ {{]")
_SAMPLE = re.compile(r"[A-Za-z_:][\w:]*(?:\{.*\})? \S+")
"""What a line of the text format looks like, as far as it matters to tell another file from one of metrics."""
_GATE = "DeclarativeValidationBeta"
_WHY = "counters are read from what an API server says at /metrics, in the text format of Prometheus"
_FIX = "kubectl get --raw /metrics > metrics.txt, once for each API server"
_SHOWN = 200


def read_metrics(name: str) -> ServerCounters:
    """Read a file of metrics, `-` for standard input. Raises: InputError."""
    try:
        data = read_stream(sys.stdin.buffer, "-") if name == "-" else read_bounded(name)
    except OSError as error:
        raise _wrong(name, 0, f"cannot be read: {error.strerror or error}") from None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise _wrong(name, 0, "is no text in UTF-8") from None
    return counters_of(name, text)


def counters_of(name: str, text: str) -> ServerCounters:
    """Return what metrics say of declarative validation. Raises: InputError."""
    lines = text.splitlines()
    first = next(((n, line) for n, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")), None)
    if first is None:
        raise _wrong(name, 0, "has no metrics")
    if _SAMPLE.match(first[1]) is None:
        raise _wrong(name, first[0], "is not in the text format of Prometheus", first[1])
    whole: dict[str, int] = {}
    labelled = {_MISMATCHES: Counter[str](), _PANICS: Counter[str]()}
    release, enforced, started = "", None, ""
    for number, line in enumerate(lines, 1):
        if _READ.match(line) is None:
            continue
        metric, labels, value = _sample(name, number, line)
        counter = metric.removeprefix(_COUNTED)
        if metric == _BUILD:
            release = labels.get("git_version", "").removeprefix("v")
        elif metric == _FEATURE and labels.get("name") == _GATE:
            enforced = value == 1
        elif metric == _START:
            started = _day_of(name, number, value, line)
        elif counter in _BY_REQUEST:
            labelled[_BY_REQUEST[counter]][labels.get(_LABEL, "")] += _count(name, number, value, line)
        elif metric.startswith(_COUNTED):
            whole[counter] = whole.get(counter, 0) + _count(name, number, value, line)
    if _MISMATCHES not in whole:
        raise _wrong(
            name, 0, f"has no {_COUNTED}{_MISMATCHES}",
            why="API servers have it since 1.33; other components, and proxies, have other metrics",
        )  # fmt: skip
    mismatches, panics = labelled[_MISMATCHES], labelled[_PANICS]
    requests = tuple(
        CountedRequests(one, mismatches[one], panics[one])
        for one in sorted({*mismatches, *panics})
        if mismatches[one] or panics[one]
    )
    return ServerCounters(
        name, release, enforced, started, whole[_MISMATCHES], whole.get(_PANICS, 0),
        max(0, whole[_MISMATCHES] - mismatches.total()) + max(0, whole.get(_PANICS, 0) - panics.total()), requests,
    )  # fmt: skip


def _sample(name: str, number: int, line: str) -> tuple[str, dict[str, str], float]:
    """Return the name, the labels and the value of a line. Raises: InputError."""
    try:
        [family] = text_string_to_metric_families(f"{line}\n")
        [sample] = family.samples
    except (ValueError, IndexError, KeyError):  # what the parser raises for lines of another form
        raise _wrong(name, number, "this line is none of the text format of Prometheus", line) from None
    return sample.name, sample.labels, sample.value


def _count(name: str, number: int, value: float, line: str) -> int:
    if not 0 <= value < 2**63 or value != int(value):
        raise _wrong(name, number, "a counter is a whole number that is not negative", line)
    return int(value)


def _day_of(name: str, number: int, value: float, line: str) -> str:
    """Return the day of a time in seconds since 1970."""
    try:
        return datetime.fromtimestamp(value, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise _wrong(name, number, "a time is in seconds since 1970", line) from None


def _wrong(name: str, number: int, message: str, line: str = "", why: str = _WHY) -> InputError:
    return InputError([Diagnostic(Position(name, number), "metrics-file", message, why, _FIX, line[:_SHOWN])])


def with_counters(one: Certificate, servers: Sequence[ServerCounters]) -> Certificate:
    """Return a certificate with the counters above zero of its requests; a safe rule that has one is unknown."""
    missing = tuple(text for server in servers for text in _missing(one, server))
    if not missing:
        return one
    verdict = "unknown" if one.verdict == "safe" else one.verdict
    return msgspec.structs.replace(one, missing=(*one.missing, *missing), verdict=verdict)


def _missing(one: Certificate, server: ServerCounters) -> Iterator[str]:
    own = {identifier_of(one.kind, asked.subresource, asked.operation) for asked in one.asked}
    for counted in server.requests:
        if counted.identifier in own:
            yield (f"metrics: {server.source} counts {counted.words} of {counted.identifier}, and not of which rule")
    if server.unlabelled:
        yield f"metrics: {server.source} counts {server.unlabelled:,} mismatches or panics, and not of which requests"


def identifier_of(kind: str, subresource: str, operation: str) -> str:
    """Return the label of the counters for a request."""
    return "_".join(filter(None, (kind.lower(), subresource.replace("/", "_"), operation)))
