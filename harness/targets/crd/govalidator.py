"""A validator in Go of the project's own module as the handwritten side: a program around it, built in its module.

The program is laid over the module with the compiler's `-overlay`: nothing is written into the checkout, its
dependencies stay its own, and internal packages can be imported. So is a copy of the constructors of errors, which
tells the program where each error of a field is made.

A program that counts the code of the module is in a module of its own below its path, which a copy of go.mod names: Go
counts no code in files that are laid over others, and reads counters only of a program that counts its own code too.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import platformdirs

from harness.diagnostics import TargetError, UsageError
from harness.files import locked
from harness.limits import read_checkout_text
from harness.targets.kubernetes.blocks import CountedCode, list_blocks
from harness.targets.kubernetes.build import WORKER
from harness.targets.kubernetes.madeerrors import ERRORS, MODULE, tell_made_errors
from harness.targets.kubernetes.release import find_toolchain, wanted_go

_CHILD = Path(__file__).parent / "child"
_FOLDER, _COUNTED = "harness_validator", "counted"
_PROGRAM = "validator"
_MODULE = re.compile(r"^module[ \t]+(\S+)", re.M)
_GO = re.compile(r"^go[ \t]+\S+", re.M)
_NAME = re.compile(r"(?P<folder>.*)\.(?P<name>[A-Za-z_]\w*)")
_OF_KUBERNETES = re.compile(r"k8s\.io/(api|apimachinery|client-go)(/|$)")
"""Libraries whose texts say nothing about what a project validates."""
_ERRORS = f"{MODULE}/{Path(ERRORS).parent.as_posix()}"
_MOST_LINES = 20
_COUNTERS = WORKER / "covered" / "blocks.go"
_LANGUAGE = "//go:build go1.22\n\n"
"""Before the source of the counters, whose language may be newer than that of the module."""


class _Named(NamedTuple):
    """A function or a type of a package: its module and the folder of that, its import path, and its name."""

    top: Path
    module: str
    package: str
    name: str
    is_function: bool


def build_validator(location: str, note: Callable[[str], None], counts_blocks: bool = False) -> Path:
    """Build the program around `PATH.NAME`, or `PATH.NAME=PATH.OBJECT` where the validator takes any object.

    With `counts_blocks` it counts the code of the module that the validator's package depends on. If no such program
    can be built, it is one that does not, and `note` hears why.

    Returns: the program. Raises: UsageError for what is not there, TargetError if the module does not compile.
    """
    first, _, second = location.partition("=")
    validator = _find(first)
    object_type = _find(second) if second else None
    toolchain = find_toolchain(wanted_go(read_checkout_text(validator.top / "go.mod")))
    key = hashlib.sha256(f"{validator}{object_type}".encode()).hexdigest()[:16]
    folder = platformdirs.user_cache_path("equivalence-harness") / "validators" / key
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with locked(folder.with_suffix(".lock"), lambda: note("another process builds this validator; waiting for it")):
        source, program = folder / "main.go", folder / _PROGRAM
        source.write_text(_source(validator, object_type), encoding="utf-8")
        own = {str(validator.top / _FOLDER / "main.go"): str(source)}
        done = None
        traced = _trace(validator, toolchain.go, folder)
        if counts_blocks:
            counted = _build_counted(validator, toolchain.go, folder, traced)
            if counted.returncode == 0:
                return folder / _COUNTED / _PROGRAM
            note(f"the code of handwritten validators is not counted: {_not_compiled(location, validator, counted)}")
        if traced is not None:
            done = _build(validator, toolchain.go, program, {**own, **traced.replaced}, traced.flags)
        if done is None or done.returncode != 0:  # a workspace, or modules that want no change, are built as they are
            done = _build(validator, toolchain.go, program, own)
    if done.returncode != 0:
        raise _not_compiled(location, validator, done)
    return program


def blocks_of_validator(location: str) -> CountedCode:
    """List the blocks of code that the program around a validator counts. Raises: TargetError, UsageError."""
    program = build_validator(location, lambda text: None, counts_blocks=True)
    validator = _find(location.partition("=")[0])
    blocks = list_blocks(program, own=f"{validator.module}/{_FOLDER}", arguments=())
    return CountedCode(blocks, validator.top, validator.module)


def _not_compiled(location: str, validator: _Named, done: subprocess.CompletedProcess[str]) -> TargetError:
    said = [line for line in done.stderr.strip().splitlines() if not line.startswith("go: downloading ")]
    lines = said[-_MOST_LINES:]
    return TargetError(
        f"the validator {location} does not compile: the compiler says\n" + "\n".join(f"    {one}" for one in lines),
        why=f"it is built in its module, {validator.top}",
        fix="run go build ./... there first; a name that other packages use begins with a capital",
    )


def _build_counted(
    validator: _Named, go: Path, folder: Path, traced: _Tracing | None
) -> subprocess.CompletedProcess[str]:
    """Compile the program with counters in its own package and in those of the module that it depends on."""
    place, package = folder / _COUNTED, f"{validator.module}/{_FOLDER}"
    place.mkdir(exist_ok=True)
    language = _GO.search(read_checkout_text(validator.top / "go.mod"))
    (place / "go.mod").write_text(f"module {package}\n\n{language[0] if language else ''}\n", encoding="utf-8")
    (place / "main.go").write_bytes((folder / "main.go").read_bytes())
    (place / "blocks.go").write_text(_LANGUAGE + _COUNTERS.read_text(encoding="utf-8"), encoding="utf-8")
    (place / "trace.go").unlink(missing_ok=True)
    if traced is not None and not traced.flags:  # vendored constructors do not go with another go.mod
        traced = None
    replaced = dict(traced.replaced) if traced is not None else {}
    if (trace := replaced.pop(str(validator.top / _FOLDER / "trace.go"), None)) is not None:
        (place / "trace.go").write_bytes(Path(trace).read_bytes())
    modules = folder / "counted.mod"
    _copy_modules(folder / "traced.mod" if traced is not None else validator.top / "go.mod", modules)
    edit = [str(go), "mod", "edit", f"-require={package}@v0.0.0", f"-replace={package}={place}", str(modules)]
    subprocess.run(edit, capture_output=True, check=False)  # building says what is wrong
    flags = [f"-modfile={modules}", "-mod=mod"]
    of_module = "{{if .Module}}{{if .Module.Main}}{{.ImportPath}}{{end}}{{end}}"
    counted = ",".join([package, *_go_list(go, validator.top, of_module, *flags, "-deps", validator.package)])
    # Counters can be read and cleared while the program runs in this mode alone.
    flags += ["-cover", "-covermode=atomic", f"-coverpkg={counted}"]
    return _build(validator, go, place / _PROGRAM, replaced, flags, package)


def _copy_modules(source: Path, copy: Path) -> None:
    """Copy a go.mod, and the go.sum beside it if there is one."""
    for suffix in (".mod", ".sum"):
        file = source.with_suffix(suffix)
        copy.with_suffix(suffix).write_text(read_checkout_text(file) if file.is_file() else "")


def _build(
    validator: _Named,
    go: Path,
    program: Path,
    replaced: Mapping[str, str],
    flags: Sequence[str] = (),
    package: str = f"./{_FOLDER}",
) -> subprocess.CompletedProcess[str]:
    """Compile the program with files laid over those of the module and of what it uses."""
    overlay = program.with_name("overlay.json")
    overlay.write_text(json.dumps({"Replace": replaced}), encoding="utf-8")
    return subprocess.run(
        [str(go), "build", *flags, f"-overlay={overlay}", "-o", str(program), package],
        cwd=validator.top, capture_output=True, text=True, errors="replace", env={**os.environ, "GO111MODULE": "on"},
        check=False,
    )  # fmt: skip


class _Tracing(NamedTuple):
    """What lets a program tell where errors are made: the files that are laid over others, and flags of the build."""

    replaced: Mapping[str, str]
    flags: Sequence[str] = ()


def _trace(validator: _Named, go: Path, folder: Path) -> _Tracing | None:
    """Write what tells where errors of fields are made; None where the validator has none of apimachinery.

    Go replaces no file below its module cache, so the module is looked at through a link, which a copy of go.mod names.
    """
    of_errors = f'{{{{if eq .ImportPath "{_ERRORS}"}}}}{{{{.Dir}}}}{{{{end}}}}'
    found = _go_list(go, validator.top, of_errors, "-deps", validator.package)
    apimachinery = Path(found[0]).parents[3] if found else None
    told = tell_made_errors(apimachinery) if apimachinery is not None else b""
    if apimachinery is None or not told:
        return None
    constructors, source, flags = folder / "errors.go", folder / "trace.go", list[str]()
    constructors.write_bytes(told)
    text = (_CHILD / "trace.go.tmpl").read_text(encoding="utf-8")
    for key, value in (("MODULE", validator.module), ("FOLDER", f"{validator.top}/")):
        text = text.replace(f"= {key}\n", f"= {json.dumps(value)}\n")
    source.write_text(text, encoding="utf-8")
    if not apimachinery.is_relative_to(validator.top):  # nor is it vendored
        link, copy = folder / "apimachinery", folder / "traced.mod"
        link.unlink(missing_ok=True)
        try:
            link.symlink_to(apimachinery, target_is_directory=True)
        except OSError:  # not everybody may make links everywhere
            return None
        _copy_modules(validator.top / "go.mod", copy)
        edit = [str(go), "mod", "edit", f"-replace={MODULE}={link}", str(copy)]
        if subprocess.run(edit, capture_output=True, check=False).returncode != 0:
            return None
        apimachinery, flags = link, [f"-modfile={copy}"]
    laid = {str(apimachinery / ERRORS): str(constructors), str(validator.top / _FOLDER / "trace.go"): str(source)}
    return _Tracing(laid, flags)


def folders_of(location: str) -> list[Path]:
    """Return the folder of a validator's package, and those of what it imports from modules that are not Kubernetes'.

    Nothing but the folder of the package if Go cannot list them. Raises: UsageError for what is not there.
    """
    named = _find(location.partition("=")[0])
    folder = Path(location.partition("=")[0].rpartition(".")[0] or ".").expanduser().resolve()
    toolchain = find_toolchain(wanted_go(read_checkout_text(named.top / "go.mod")))
    form = "{{if not .Standard}}{{.ImportPath}} {{.Dir}}{{end}}"
    imports = _go_list(toolchain.go, folder, "{{range .Imports}}{{println .}}{{end}}", ".")
    wanted = [one for one in imports if "." in one.partition("/")[0] and not _OF_KUBERNETES.match(one)]
    found = _go_list(toolchain.go, folder, form, *wanted) if wanted else []
    return [folder, *(Path(line.partition(" ")[2]) for line in found)]


def _go_list(go: Path, folder: Path, form: str, *packages: str) -> list[str]:
    command = [str(go), "list", "-f", form, *packages]
    environment = {**os.environ, "GO111MODULE": "on"}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    return [line for line in done.stdout.splitlines() if line.strip()] if done.returncode == 0 else []


def _find(location: str) -> _Named:
    """Find a function or a type by the folder of its package and its name. Raises: UsageError."""
    found = _NAME.fullmatch(location)
    folder = Path(found["folder"] or ".").expanduser().resolve() if found else None
    if found is None or folder is None or not folder.is_dir():
        raise UsageError(f"there is no package for {location}\n  fix: --validator ./api/v1.Backup, PATH.NAME")
    top = next((one for one in (folder, *folder.parents) if (one / "go.mod").is_file()), None)
    if top is None:
        raise UsageError(f"{folder} belongs to no Go module\n  why: no go.mod above it\n  fix: go mod init")
    module = _MODULE.search(read_checkout_text(top / "go.mod"))
    texts = [read_checkout_text(file) for file in sorted(folder.glob("*.go")) if not file.name.endswith("_test.go")]
    name = found["name"]
    is_function = any(re.search(rf"^func {name}[(\[]", text, re.M) for text in texts)
    is_type = any(re.search(rf"^(type |\t){name} +(struct|=|map|\[|\w+$)", text, re.M) for text in texts)
    if not (is_function or is_type) or module is None:
        raise UsageError(f"{folder} declares no {name}\n  fix: name a function or a type with validating methods")
    inside = folder.relative_to(top).as_posix()
    return _Named(top, module[1], module[1] if inside == "." else f"{module[1]}/{inside}", name, is_function)


def _source(validator: _Named, object_type: _Named | None) -> str:
    called = f"validator.{validator.name}" if validator.is_function else f"new(validator.{validator.name})"
    if object_type is None:
        imported, prototype = "", "nil"
    else:
        imported, prototype = f'object_ "{object_type.package}"', f"reflect.TypeFor[object_.{object_type.name}]()"
    text = (_CHILD / "main.go.tmpl").read_text(encoding="utf-8")
    for key, value in (
        ("VALIDATOR_PACKAGE", validator.package), ("OBJECT_IMPORT", imported),
        ("SUBJECT", f"reflect.ValueOf({called})"), ("OBJECT", prototype),
    ):  # fmt: skip
        text = text.replace(key, value)
    return text
