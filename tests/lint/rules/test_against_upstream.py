"""Our copies of upstream's lint rules report the same messages as upstream's linter, which the test builds."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from harness.lint.run import lint
from harness.subject.api import open_api
from harness.targets.kubernetes.build import go_environment
from harness.targets.kubernetes.release import find_toolchain
from tests.lint.rules.test_upstream import CODES, ITEM, LOOP, NAMED, PLAIN, field

pytestmark = pytest.mark.kubernetes

_SAID = re.compile(r"^  type [\w./]+\.(\w+):$|^    (?:field (\w+): )?(.*)$", re.MULTILINE)

OPTIONAL = "+k8s:optional"
DEEP = (
    "// +k8s:maxItems=3\ntype L []S\n\n"
    + ITEM
    + 'type M struct {\n\tL L `json:"l"`\n\t// +k8s:optional\n\tP *M `json:"p"`\n}\n\n'
)
CASES = {
    "nothing": field(go="*S", before=PLAIN),
    "limit": field("+k8s:maxLength=5"),
    "limit and optional": field("+k8s:maxLength=5", OPTIONAL),
    "presence in a chain": field("+k8s:maxLength=5", "+k8s:alpha=+k8s:required"),
    "presence of a member": field("+k8s:immutable", "+k8s:subfield(n)=+k8s:required", go="*S", before=PLAIN),
    "immutable pointer": field("+k8s:immutable", go="*S", before=PLAIN),
    "immutable struct": field("+k8s:immutable", go="S", before=PLAIN),
    "limit of items": field("+k8s:eachVal=+k8s:maxLength=3", go="[]string"),
    "rules below a pointer": field(go="*S", before=ITEM),
    "rules below a list": field(go="[]S", before=ITEM),
    "rules below a map": field(go="map[string]S", before=ITEM),
    "rules of keys": field(go="map[N]string", before=NAMED),
    "rules below a struct": field(go="S", before=ITEM),
    "opaque field": field("+k8s:opaqueType", go="*S", before=ITEM),
    "opaque items": field("+k8s:eachVal=+k8s:opaqueType", go="[]S", before=ITEM),
    "opaque keys": field("+k8s:eachKey=+k8s:opaqueType", go="map[N]string", before=NAMED),
    "opaque type": field(go="*S", before="// +k8s:opaqueType\n" + ITEM),
    "named string": field(go="N", before=NAMED),
    "loop": field(go="*S", before=LOOP),
    "depth": field(go="*M", before=DEEP),
    "enum": field(go="E", before='// +k8s:enum\ntype E string\n\nconst A E = "a"\n\n'),
    "field that is not exported": 'type T struct {\n\t// +k8s:maxLength=5\n\tf string `json:"f"`\n}\n',
    "unknown tag": field("+k8s:requird"),
    "level inside": field(OPTIONAL, "+k8s:eachVal=+k8s:alpha=+k8s:maxLength=5", go="[]string"),
    "level in level": field(OPTIONAL, "+k8s:alpha=+k8s:beta=+k8s:maxLength=5"),
    "level under another's tag": field("+other=+k8s:alpha=+k8s:maxLength=5"),
    "alpha tag": field(OPTIONAL, '+k8s:neq="x"'),
    "alpha tag at alpha": field(OPTIONAL, '+k8s:alpha=+k8s:neq="x"'),
    "alpha tag at beta": field(OPTIONAL, '+k8s:beta=+k8s:neq="x"'),
    "option": field(OPTIONAL, "+k8s:ifEnabled(A)=+k8s:maxLength=5"),
    "option and alpha tag": field(OPTIONAL, '+k8s:ifDisabled(A)=+k8s:neq="x"'),
    "tags of a type": '// +k8s:alpha=+k8s:beta=+k8s:maxLength=5\ntype N string\n\n' + field(OPTIONAL, go="N"),
    "comment of ours": field("+harness:nolint=unknown-tag,tag-scope  # why: it is so", OPTIONAL, "+k8s:maxLength=5"),
    "nolint": "// +k8s:validation-gen-nolint\n" + field("+k8s:maxLength=5"),
    "nolint below": field("+k8s:maxLength=3", go="N", before="// +k8s:validation-gen-nolint\n" + NAMED),
}  # fmt: skip


@pytest.fixture(scope="session")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Upstream's generator of 1.37.1."""
    folder = tmp_path_factory.mktemp("generator")
    environment = go_environment() | {"GOBIN": str(folder)}
    command = [str(find_toolchain((1, 26)).go), "install", "k8s.io/code-generator/cmd/validation-gen@v0.37.1"]
    done = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, timeout=900, check=False
    )
    assert 0 == done.returncode, done.stderr
    return folder / "validation-gen"


def write(go: str, folder: Path, version: str) -> Path:
    """Write a module with one package for which validation is generated."""
    place = folder / "api" / version
    place.mkdir(parents=True)
    (folder / "go.mod").write_text("module example.com\n\ngo 1.24\n", encoding="utf-8")
    tags = "// +k8s:validation-gen=*\n// +k8s:validation-gen-scheme-registry=nil\n"
    (place / "doc.go").write_text(f"{tags}package {version}\n", encoding="utf-8")
    (place / "types.go").write_text(f"package {version}\n\n{go}", encoding="utf-8")
    return place


def messages_of(generator: Path, place: Path) -> list[str]:
    """Return the messages of upstream's linter, in the form of ours."""
    path = f"{Path(find_toolchain().go).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [generator, "--output-file", "zz_generated.validations.go", "./api/..."],
        env={**os.environ, "PATH": path}, cwd=place.parent.parent,
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    _, failed, listed = done.stderr.partition("lint failed:\n")
    assert bool(failed) or 0 == done.returncode, done.stderr
    said, holder = [], ""
    for name, member, message in _SAID.findall(listed):
        holder = name or holder
        if message:
            said.append(f"{holder}.{member}: {message}" if member else f"{holder}: {message}")
    return said


@pytest.mark.parametrize("version", ["v1", "v1beta1", "v1alpha1"])
@pytest.mark.parametrize("case", CASES)
def test_both_linters_report_the_same(upstream: Path, tmp_path: Path, case: str, version: str) -> None:
    """They have the same messages for the same types and fields, in stable, beta and alpha packages."""
    place = write(CASES[case], tmp_path, version)
    ours = lint(open_api(place), only=CODES)
    assert sorted(messages_of(upstream, place)) == sorted(one.diagnostic.message for one in ours)


def test_a_second_list_type_is_not_rejected(upstream: Path, tmp_path: Path) -> None:
    """Upstream rejects the second of two typedefs with +k8s:listType, though neither is wrong; we do not copy that."""
    lists = "".join(f"// +k8s:listType=set\ntype {name} []string\n\n" for name in "AB")
    place = write(f'{lists}type T struct {{\n\tF A `json:"f"`\n\tG B `json:"g"`\n}}\n', tmp_path, "v1")
    assert any("listType cannot be specified more than once" in message for message in messages_of(upstream, place))
    ours = lint(open_api(place), only=CODES)
    assert not any("listType" in one.diagnostic.message for one in ours)
