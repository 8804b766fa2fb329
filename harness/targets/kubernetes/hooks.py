"""Lays changed copies over files of a release, so that a worker can see what the release does, or spare it repetitions.

A hook adds to a file and changes no answer. A file of another form than the known one is left as it is, and the worker
does without: `go build -overlay` replaces files, the release itself is not changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.targets.kubernetes.release import KubernetesSource, Toolchain, module_folder

_COPIES = "hooked"


class Hook(NamedTuple):
    """A changed copy of one file of a module of the release, and the Go source that connects the worker to it.

    `change` gets the folder of the module, and returns the copy; nothing for a file of another form. A file that the
    release does not have is added. Of one module, one hook has a connection.
    """

    module: str
    file: str
    change: Callable[[Path], bytes]
    connection: str


class Laid(NamedTuple):
    """The files of a release that are replaced, by path, and the links through which their modules are looked at."""

    replaced: dict[str, str]
    links: dict[str, str]


def lay(hooks: Sequence[Hook], folder: Path, release: KubernetesSource, toolchain: Toolchain) -> Laid:
    """Write the copies and the connections into the folder of a worker's sources.

    Go replaces no file below its module cache, so the module of a release is looked at through a link.
    """
    laid = Laid({}, {})
    for hook in hooks:
        place = module_folder(release, hook.module, toolchain)
        changed = hook.change(place)
        if not changed:
            continue
        name = hook.module.rpartition("/")[2]
        if release.folder is None:
            link = folder / name
            try:
                if hook.module not in laid.links:
                    link.symlink_to(place, target_is_directory=True)
            except OSError:  # not everybody may make links everywhere
                continue
            laid.links[hook.module] = f"./{name}"
            place = link
        copy = folder / _COPIES / name / hook.file
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(changed)
        if hook.connection:
            (folder / f"hook_{name.replace('-', '_')}.go").write_text(hook.connection, encoding="utf-8")
        laid.replaced[str(place / hook.file)] = str(copy)
    return laid
