"""Seeds of native Go fuzz targets are files that `go test` reads."""

from __future__ import annotations

from pathlib import Path

from harness.case import Case, Operation
from harness.export.gofuzz import render_seed, write_go_seeds


def test_a_seed_is_two_literals_of_go(tmp_path: Path) -> None:
    """No byte that Go reads otherwise stands in them; create has an empty old object."""
    case = Case(0, "apps", "v1", "Scale", Operation.CREATE, {"a": '"é\\'}, resource="deployments", subresource="scale")
    header, new, old, end = render_seed(case).decode("ascii").split("\n")
    assert ("go test fuzz v1", '[]byte("")', "") == (header, old, end)
    assert r'[]byte("{\x22a\x22:\x22\x5c\x22\xc3\xa9\x5c\x5c\x22}")' == new
    assert {"FuzzAppsV1DeploymentsScaleCreate": 1} == write_go_seeds([case], tmp_path)
    (file,) = (tmp_path / "testdata" / "fuzz" / "FuzzAppsV1DeploymentsScaleCreate").iterdir()
    assert render_seed(case) == file.read_bytes()
