"""The ledger of campaigns: the plans, and report and corpus of every unit that is done. A folder, or an object store.

A unit's report is a file of its own, named by what was asked. It is written under another name and moved, so that it is
there whole or not at all; whoever computes a unit again writes the same. So a killed process loses the unit it was at,
and two campaigns may write to one ledger.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
import uuid
import zlib
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, TypeVar

import msgspec

import harness
from harness.campaign.contents import LEDGER_MARKER
from harness.campaign.corpora import CampaignCorpus
from harness.campaign.mutants import MutantCount
from harness.campaign.plan import CampaignPlan, CampaignUnit
from harness.diagnostics import HarnessError, TargetError
from harness.files import code_digest
from harness.report.model.document import Report
from harness.report.model.reading import decode

T = TypeVar("T")
VERSION = 3
"""The layout of ledgers. A ledger of another one is refused."""
_GO = "go-version"


class LedgerMarker(msgspec.Struct, frozen=True):
    """What the file that makes a folder a ledger says: the layout, and which code of the harness computes units.

    `identity` tells it from a ledger of the same name on another machine.
    """

    ledger: int
    code: str
    harness: str
    identity: str = ""


class _TargetContent(msgspec.Struct, frozen=True):
    """What the files of a target contained when its first unit was computed."""

    target: tuple[str, ...]
    content: str


class _Started(msgspec.Struct, frozen=True):
    """The part of a report that says when its run began."""

    started: str


class LedgerError(TargetError):
    """A ledger cannot be read or written, as on a full disk: no unit can be kept, and what is done stays."""


class CampaignLedger:
    """A ledger at a folder or a URL that fsspec knows, such as `s3://bucket/nightly`."""

    def __init__(self, url: str) -> None:
        """Open a ledger; nothing is written yet. Raises: HarnessError without fsspec, or the package of the store."""
        try:
            import fsspec
        except ImportError:
            raise missing_extra("fsspec") from None
        self.url = url if "://" in url else os.path.abspath(url)
        try:
            self._files, self._root = fsspec.core.url_to_fs(self.url)
        except (ImportError, ValueError, TypeError, KeyError, OSError) as error:
            raise TargetError(f"the ledger {url} cannot be opened", str(error), "name a folder or s3://...") from None

    def check_place(self) -> None:
        """Check that the place is a ledger of this code, or empty. Raises: HarnessError."""
        if self._exists(LEDGER_MARKER):
            return self.check()
        try:
            found = self._files.ls(self._root, detail=False) if self._files.exists(self._root) else []
        except OSError as error:
            raise self._unusable(error) from None
        if found:
            raise TargetError(f"{self.url} is no ledger, and not empty", fix="name an empty or a new folder")

    def create(self) -> None:
        """Make the place a ledger of this code, unless it is one. Raises: HarnessError if it is another's."""
        self.check_place()
        if not self._exists(LEDGER_MARKER):
            marker = LedgerMarker(VERSION, code_digest(), harness.__version__, uuid.uuid4().hex)
            self._write(LEDGER_MARKER, msgspec.json.encode(marker))

    def check(self) -> None:
        """Check that units of this ledger are computed by this code. Raises: HarnessError."""
        marker = self.check_layout()
        if marker.code != code_digest():
            raise TargetError(
                f"{self.url} was begun by another build of the harness ({marker.harness}, {marker.code})",
                "units that other code computed are no part of one result",
                "use that build, or begin another ledger",
            )  # fmt: skip

    def check_layout(self) -> LedgerMarker:
        """Check that this ledger can be read, whatever code wrote it. Raises: HarnessError."""
        if not self._exists(LEDGER_MARKER):
            raise TargetError(f"{self.url} is no ledger of campaigns", fix="harness campaign run PLAN --ledger DIR")
        marker = self._decoded(LEDGER_MARKER, LedgerMarker, "name another ledger")
        if marker.ledger != VERSION:
            raise TargetError(
                f"{self.url} is a ledger of layout {marker.ledger}", f"this harness writes {VERSION}",
                "use the harness that began it, or begin another ledger",
            )  # fmt: skip
        return marker

    def keep_go(self, version: str) -> None:
        """Keep the version of Go that builds the targets of this ledger. Raises: HarnessError if it has another one."""
        known = self.go()
        if known and version and known != version:
            raise TargetError(
                f"{self.url} has units of targets that {known} built, and the workers have {version}",
                "validators that another Go built are no part of one result",
                f"install {known} on every worker, or begin another ledger",
            )  # fmt: skip
        if version and not known:
            self._write(_GO, version.encode())

    def go(self) -> str:
        """Return the version of Go that builds targets; empty if none was built yet."""
        return self._read(_GO).decode("utf-8", "replace") if self._exists(_GO) else ""

    def keep_content(self, target: tuple[str, ...], content: str) -> None:
        """Keep what the files of a target contain. Raises: HarnessError if its units are of other files."""
        name = f"targets/{hashlib.sha256(msgspec.json.encode(target)).hexdigest()[:20]}.json"
        if not self._exists(name):
            self._write(name, msgspec.json.encode(_TargetContent(target, content)))
            return
        known = self._decoded(name, _TargetContent, "begin another ledger")
        if known.content != content:
            raise TargetError(
                f"the files of {' '.join(target)} are not those that {self.url} was begun with",
                "units of other files are no part of one result",
                "begin another ledger; `harness campaign changes OLD NEW` tells what is new since this one",
            )  # fmt: skip

    def add_plan(self, plan: CampaignPlan) -> None:
        """Keep a plan."""
        self._write(f"plans/{plan.digest}.json", msgspec.json.encode(plan))

    def plans(self) -> tuple[CampaignPlan, ...]:
        """Return the plans, ordered by their digests. Raises: HarnessError if one is damaged, or there is none."""
        found = []
        for name in self._names("plans"):
            try:
                found.append(msgspec.json.decode(self._read(f"plans/{name}"), type=CampaignPlan))
            except msgspec.DecodeError as error:
                raise TargetError(
                    f"the plan {self.url}/plans/{name} is damaged", str(error),
                    "remove it, and start the campaign with its plan again",
                ) from None  # fmt: skip
        if not found:
            raise TargetError(
                f"{self.url} has no plan", "it was removed, or the command ended before it was kept",
                f"harness campaign run PLAN --ledger {self.url}: units of the same plan that are there count",
            )  # fmt: skip
        return tuple(found)

    def units(self) -> Iterator[CampaignUnit]:
        """Yield the units of all plans, each once."""
        return iter({unit.digest: unit for plan in self.plans() for unit in plan.units()}.values())

    def done(self) -> frozenset[str]:
        """Return the digests of the units with a report."""
        return frozenset(name.removesuffix(".json.gz") for name in self._names("units") if name.endswith(".json.gz"))

    def is_done(self, unit: CampaignUnit) -> bool:
        """Whether a unit has a report by now. Raises: HarnessError."""
        return self._exists(f"units/{unit.digest}.json.gz")

    def keep(self, unit: CampaignUnit, document: bytes) -> None:
        """Keep the report of a unit. Raises: HarnessError if it cannot be written."""
        self._write(f"units/{unit.digest}.json.gz", gzip.compress(document, 6, mtime=0))

    def keep_mutants(self, unit: CampaignUnit, counted: MutantCount) -> None:
        """Keep what became of the mutants of a unit. Raises: HarnessError if it cannot be written."""
        self.keep(unit, msgspec.json.encode(counted))

    def mutants(self, unit: CampaignUnit) -> MutantCount:
        """Return what became of the mutants of a unit. Raises: HarnessError if its report is damaged."""
        return self._report(unit, lambda data, _: msgspec.json.decode(data, type=MutantCount))

    def report(self, unit: CampaignUnit) -> Report:
        """Return the report of a unit. Raises: HarnessError if it is damaged."""
        return self._report(unit, decode)

    def day(self, unit: CampaignUnit) -> str:
        """Return the day on which a unit was computed. Raises: HarnessError if its report is damaged."""
        return self._report(unit, lambda data, _: msgspec.json.decode(data, type=_Started).started[:10])

    def _report(self, unit: CampaignUnit, read: Callable[[bytes, str], T]) -> T:
        name = f"units/{unit.digest}.json.gz"
        try:
            return read(gzip.decompress(self._read(name)), f"{self.url}/{name}")
        except (EOFError, zlib.error, gzip.BadGzipFile, msgspec.DecodeError, HarnessError) as error:
            raise TargetError(
                f"the report of {unit} is damaged", f"{self.url}/{name}: {error}",
                "remove the file; `harness campaign resume` computes it again",
            ) from None  # fmt: skip

    def keep_corpus(self, name: str, corpus: CampaignCorpus) -> None:
        """Keep a corpus: that of a unit by its digest, that which a plan starts from by its own."""
        self._write(f"corpora/{name}.json.gz", gzip.compress(corpus.encoded, 6, mtime=0))

    def corpus(self, name: str) -> CampaignCorpus:
        """Return a corpus. Raises: HarnessError if it is missing or damaged."""
        file = f"corpora/{name}.json.gz"
        is_there = self._exists(file)
        try:
            if is_there:
                return msgspec.json.decode(gzip.decompress(self._read(file)), type=CampaignCorpus)
            why = "somebody removed it"
        except (EOFError, zlib.error, gzip.BadGzipFile, msgspec.DecodeError) as error:
            why = str(error)
        raise TargetError(
            f"the corpus {self.url}/{file} is {'damaged' if is_there else 'missing'}", why,
            f"remove it and units/{name}.json.gz, if they are there; `harness campaign resume` computes both again",
        )  # fmt: skip

    def keep_claim(self, name: str, data: bytes) -> None:
        """Keep the claim of a command, or renew it."""
        self._write(f"claims/{name}", data)

    def drop_claim(self, name: str) -> None:
        """Remove a claim, unless somebody did. Raises: HarnessError."""
        try:
            with contextlib.suppress(FileNotFoundError):
                self._files.rm_file(f"{self._root}/claims/{name}")
        except OSError as error:
            raise self._unusable(error) from None

    def claims(self) -> dict[str, tuple[bytes, datetime]]:
        """Return the claims, each with the time at which it was written, by the clock of the store."""
        found = {}
        for name in self._names("claims"):
            with contextlib.suppress(FileNotFoundError):
                place = f"{self._root}/claims/{name}"
                found[name] = self._files.cat_file(place), self._files.modified(place)
        return found

    def _exists(self, name: str) -> bool:
        try:
            return bool(self._files.exists(f"{self._root}/{name}"))
        except OSError as error:
            raise self._unusable(error) from None

    def _names(self, folder: str) -> list[str]:
        try:
            self._files.invalidate_cache()
            if not self._files.exists(f"{self._root}/{folder}"):
                return []
            listed: list[str] = self._files.ls(f"{self._root}/{folder}", detail=False)
        except OSError as error:
            raise self._unusable(error) from None
        return sorted(name.rpartition("/")[2] for name in listed if ".writing" not in name)

    def _decoded(self, name: str, type_: type[T], fix: str) -> T:
        try:
            return msgspec.json.decode(self._read(name), type=type_)
        except msgspec.DecodeError as error:
            raise TargetError(f"{self.url}/{name} is damaged", str(error), fix) from None

    def _read(self, name: str) -> bytes:
        try:
            data: bytes = self._files.cat_file(f"{self._root}/{name}")
        except OSError as error:
            raise self._unusable(error) from None
        return data

    def _write(self, name: str, data: bytes) -> None:
        whole = f"{self._root}/{name}"
        part = f"{whole}.writing-{uuid.uuid4().hex[:8]}"
        try:
            self._files.makedirs(whole.rpartition("/")[0], exist_ok=True)
            self._files.pipe_file(part, data)
            self._files.mv(part, whole)
        except OSError as error:
            with contextlib.suppress(OSError):
                self._files.rm_file(part)
            raise self._unusable(error) from None

    def _unusable(self, error: Any) -> LedgerError:
        return LedgerError(
            f"the ledger {self.url} cannot be used", str(error),
            "check space and permissions; what is done stays, and `harness campaign resume` goes on",
        )  # fmt: skip


def missing_extra(package: str) -> HarnessError:
    """Return the error that says which extra to install."""
    return TargetError(f"{package} is not installed", "campaigns need it", "pip install '.[campaign]'")
