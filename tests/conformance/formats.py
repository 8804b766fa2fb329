"""Texts at the edges of formats: lengths, separators, letters that fold or that take more bytes than one."""

from __future__ import annotations

from harness.tags.families import format as family
from harness.tags.families.format import FORMATS, probes
from harness.tags.rules import CheckFunction

_UUID = "00000000-0000-0000-0000-000000000000"
_ODD = (
    "\u017f", "\u212a", "\u0130", "\u0131", "\u212a" * 84, "\u212a" * 85, "a\u017f.b", "é", "é" * 32, "\uff41",
    "a\n", "\na", " a", "a ", "a\tb", "a..b", ".a", "a.", "a-", "-", "_", "A-b", "a/b/c", "/", "//", "a/", "/a", "..",
    ".", "%", "a%2f", "a:b", "0", "-1", "a" * 62, "a" * 65, "a" * 252, "a" * 255, ".".join(["a" * 63] * 4)[:253],
    f"{'a' * 253}/b", f"{'a.' * 126}a/{'b' * 63}", f"a/{'b' * 63}", f"a/{'b' * 64}", f"{'a' * 64}/b", "requests.a/b",
    "a.kubernetes.io/b", "kubernetes.io/b", "nvidia.com/gpu", _UUID, _UUID[1:], f"{_UUID[1:]}g", f"{{{_UUID}}}",
    _UUID.replace("-", ""), "a/A_b", f"a/{'A' * 32}", f"a/{'A' * 33}", "a/1b",
)  # fmt: skip
EDGES: dict[str, tuple[str, ...]] = {
    name: tuple(dict.fromkeys(text for text in (*probes(name), *_ODD) if text)) for name in FORMATS
}
"""The texts of each format of the catalogue; not the empty one, which Go takes for an absent value."""
CHECKS: dict[str, CheckFunction] = {
    name: getattr(family, name.replace("k8s", "format", 1).replace("-", "_")) for name in FORMATS
}
"""The check of each format in Python."""
