"""Writes cases as seeds of native Go fuzz targets, `f.Fuzz(func(t *testing.T, object, old []byte) { ... })`.

`go test` and OSS-Fuzz read them from `testdata/fuzz/FuzzX` beside the test. The target itself is the user's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from harness.case import Case
from harness.files import write_atomically
from harness.fuzzers.corpus import content_name
from harness.report.escaping import encode_json

HEADER = "go test fuzz v1"


def target_name(case: Case) -> str:
    """Name the fuzz target of a case by its request: `FuzzAppsV1DeploymentsScaleUpdate`."""
    words = re.findall(
        r"[A-Za-z0-9]+", f"{case.group} {case.version} {case.resource or case.kind} {case.subresource} {case.operation}"
    )
    return "Fuzz" + "".join(word[0].upper() + word[1:] for word in words)


def render_seed(case: Case) -> bytes:
    """Return the file of a case: the object and the old object as JSON, the latter empty for create."""
    old = b"" if case.old is None else encode_json(case.old)
    return f"{HEADER}\n[]byte({_quote(encode_json(case.object))})\n[]byte({_quote(old)})\n".encode()


def write_go_seeds(cases: Iterable[Case], folder: Path) -> dict[str, int]:
    """Write cases below `testdata/fuzz` of a folder. Returns how many each fuzz target has. Raises: OSError."""
    written: dict[str, int] = {}
    for case in cases:
        target = target_name(case)
        place = folder / "testdata" / "fuzz" / target
        place.mkdir(parents=True, exist_ok=True)
        write_atomically(place / content_name(case).removesuffix(".json"), render_seed(case))
        written[target] = written.get(target, 0) + 1
    return dict(sorted(written.items()))


def _quote(data: bytes) -> str:
    """Return bytes as a Go string literal; JSON's own escapes are not those of Go."""
    return '"' + "".join(chr(one) if 32 <= one < 127 and one not in b'"\\' else f"\\x{one:02x}" for one in data) + '"'
