"""How quick is the HTML report of thousands of findings, beside a page that has all of their details at once?"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bench.memory import family, resident
from bench.record import Measured, Section
from harness.case import Answer, Case, KindInfo, Operation, TargetInfo
from harness.compare.finding import CAUSE_CODES, SEVERITIES, Finding
from harness.events import Budget, KindReport, Result, Timings
from harness.field import FieldError
from harness.report.formats.html.details import MAX_INLINE
from harness.report.formats.html.page import render_html
from harness.report.model.assembly import build_report
from harness.report.model.document import Report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FINDINGS = 5_000
_FILTER = """async (words) => {
  const search = document.getElementById("search"), shown = document.getElementById("shown");
  const before = shown.textContent, started = performance.now();
  search.value = words;
  search.dispatchEvent(new Event("input"));
  while (shown.textContent === before && performance.now() < started + 60000) {
    await new Promise((done) => setTimeout(done, 0));
  }
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  return performance.now() - started;
}"""


def measure(number: int = FINDINGS) -> Section:
    """Write both pages, open them, filter them, open a finding. Units: seconds, of processor time where it says so."""
    chromium = shutil.which("chromium")
    if chromium is None:
        return Section("How quick is the page?", "findings", (), ("the page: there is no chromium on PATH",))
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium)
        lines = tuple(both(browser, made(number)))
        browser.close()
    return Section(f"How quick is a page of {number:,} findings?", "findings", lines)


def both(browser: Browser, report: Report) -> Iterator[Measured]:
    """Measure the naive page and ours."""
    with tempfile.TemporaryDirectory() as folder:
        for name, at_once in (("everything at once", len(report.findings)), ("ours", MAX_INLINE)):
            yield from _measured(browser, Path(folder), name, report, at_once)


def _measured(browser: Browser, folder: Path, name: str, report: Report, at_once: int) -> Iterator[Measured]:
    number, file = len(report.findings), folder / "page.html"
    started = time.process_time()
    file.write_text(render_html(report, at_once), encoding="utf-8")
    size = file.stat().st_size // 1000
    yield Measured(f"{name}: write (processor)", number, time.process_time() - started, more={"kB": size})
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(300_000)
    started = time.perf_counter()
    page.goto(file.as_uri())
    seconds = time.perf_counter() - started
    yield Measured(f"{name}: load", number, seconds, more=_weight(page))
    first = float(page.evaluate(_FILTER, "f00 create")) / 1000
    yield Measured(f"{name}: first filter", number, first)
    again = float(page.evaluate(_FILTER, "kinds59")) / 1000
    yield Measured(f"{name}: next filter", number, again, more=_weight(page))
    started = time.perf_counter()
    page.evaluate("name => { location.hash = name; }", f"f-{number - 1:012x}")
    page.wait_for_selector(f"#f-{number - 1:012x} .story")
    yield Measured(f"{name}: a link to the last finding", 1, time.perf_counter() - started)
    page.close()


def _weight(page: Page) -> dict[str, int | str]:
    """What the page costs the browser: resident memory of what draws it, and nodes."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    told = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
    held = sum(resident(pid) for pid in family(os.getpid()) if "--type=renderer" in _command(pid))
    return {"MB": round(held / 1e6), "nodes": int(told["Nodes"])}


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:  # it ended
        return ""


def made(number: int) -> Report:
    """A report whose findings have the size of those of a Kubernetes release: objects of 60 lines, five errors."""
    kinds = tuple(
        KindInfo("apps", "v1", f"Kind{n}", f"kinds{n}", "apps/v1", type=f"k8s.io/api/apps/v1.Kind{n}")
        for n in range(60)
    )
    reports = tuple(KindReport(kind, "update", 100, 50, True) for kind in kinds)
    target = TargetInfo("bench", kinds=kinds)
    findings = tuple(_finding(n, kinds[n % len(kinds)]) for n in range(number))
    return build_report(
        Result(
            "bench", target, "served", 1, Budget(60.0), "2026-01-01T00:00:00+00:00", 60.0, number * 100,
            number * 100, 0, 0, reports, findings, (), Timings(),
        ),
        replay=lambda finding: f"harness replay report.json {finding.fingerprint}",
    )  # fmt: skip


def _finding(number: int, kind: KindInfo) -> Finding:
    spec = {f"f{n:02}": {"name": "x" * (number % 17), "items": [n, number % 5]} for n in range(12)}
    new = {"apiVersion": "apps/v1", "kind": kind.kind, "metadata": {"name": "a"}, "spec": {**spec, "size": number}}
    operation = Operation.UPDATE if number % 2 else Operation.CREATE
    case = Case(
        1, "apps", "v1", kind.kind, operation, new, {**new, "spec": spec} if number % 2 else None, kind.resource
    )
    errors = tuple(
        FieldError("FieldValueInvalid", f"spec.f{n:02}.name", "must be shorter", "maxLength") for n in range(5)
    )
    odd = FieldError("FieldValueRequired", f"spec.f{number % 12:02}.name", "a reason in some words", covered=True)
    cause = CAUSE_CODES[number // 7 % len(CAUSE_CODES)]
    return Finding(
        f"{number:012x}", cause, cause, SEVERITIES[number % 5], "unmatched", "apps", "v1", kind.kind, kind.resource, "",
        str(operation), odd.field, odd.type, "", "handwritten", {}, f"no declarative twin of {odd.text}",
        f"declare +k8s:required on {odd.field}", 7, case, Answer(1, handwritten=(odd, *errors), declarative=errors),
        owner=f"k8s.io/api/apps.Type{number // 11}", member=odd.field, source="k8s.io/api/apps/v1/types.go:10",
    )  # fmt: skip
