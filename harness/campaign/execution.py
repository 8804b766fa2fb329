"""Hands the units of a campaign to the workers of a Dask scheduler: an embedded one, or one at an address.

Few units are with the scheduler at a time, and only their names and counts come back; reports go from the worker to the
ledger. A worker that dies loses its unit, which is handed out again; one on which a unit failed is not given it again
while there are others. A scheduler that goes away ends the command, and what is done stays.
"""

from __future__ import annotations

import gc
import itertools
import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from harness.campaign.ledger import CampaignLedger, LedgerError, missing_extra
from harness.campaign.plan import CampaignUnit
from harness.campaign.tries import RestrictedUnits, UnitTries
from harness.campaign.unitrun import RemoteResult, UnitTask, compute_remotely
from harness.diagnostics import TargetError
from harness.files import code_digest

AHEAD = 2
"""Units that are with the scheduler for each thread of a worker: one computed and one waiting."""
MOST_TRIES = 3
"""How often a unit is tried that ends with an error. A worker's death is none."""
MOST_DEATHS = 20
"""How many workers may die with the same unit before it is given up."""
_CONNECTING = 10.0
"""How long a scheduler may take to answer. Units: seconds."""
_LOOK = 10.0
"""How often it is asked whether the scheduler has a worker. Units: seconds."""
_LOGGERS = ("distributed", "distributed.client", "distributed.core", "distributed.comm")
"""What Dask logs with tracebacks, and the command says in its own words."""
_PLAIN = ("dask", "msgpack", "error")
"""How results travel: as bytes; the client reads no pickle of a worker."""
_WAIT = 60.0
"""How long a scheduler may take to have a worker. Units: seconds."""


@dataclass(slots=True)
class Tally:
    """How far a campaign is: units in all, done before, and done now; their cases; and the units that failed."""

    units: int
    before: int = 0
    done: int = 0
    cases: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """The time since the start."""
        return time.monotonic() - self.started

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the units that are done; None before the first."""
        open_units = self.units - self.before - self.done - len(self.failed)
        return self.seconds / self.done * open_units if self.done else None


@contextmanager
def connected(scheduler: str | None, workers: int) -> Iterator[Any]:
    """Yield a client of the scheduler at an address, or of an embedded one with `workers`. Raises: HarnessError."""
    try:
        import dask
        import distributed
    except ImportError:
        raise missing_extra("distributed") from None
    # A unit is asked again after the death of a worker: a campaign outlives more deaths than one computation.
    dask.config.set({"distributed.scheduler.allowed-failures": MOST_DEATHS})
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with ExitStack() as opened:
        # What the caller raises passes by here, and is no error of connecting.
        yield _enter(opened, distributed.Client, scheduler, workers)


def _enter(opened: ExitStack, make: Callable[..., Any], scheduler: str | None, workers: int) -> Any:
    """Return a client that is closed with `opened`. Raises: HarnessError."""
    try:
        if scheduler is None:
            return opened.enter_context(quiet_cluster(workers))
        try:
            client = opened.enter_context(_connect(make, scheduler, timeout=_CONNECTING))
        except ValueError as error:  # how Dask tells that a text is no address
            raise TargetError(
                f"{scheduler!r} is no address of a scheduler", _words_of(error),
                "--scheduler tcp://HOST:PORT, as `dask scheduler` prints it, such as tcp://127.0.0.1:8786",
            ) from None  # fmt: skip
    except (OSError, TimeoutError, ValueError) as error:
        raise _gone(scheduler or "the embedded scheduler", error) from None
    except (TypeError, RuntimeError) as error:  # how Dask tells that certificates are missing, or encryption
        raise TargetError(
            f"the scheduler {scheduler or 'in this process'} cannot be reached as Dask is configured", _words_of(error),
            "name tls://HOST:PORT, and set DASK_DISTRIBUTED__COMM__TLS__CA_FILE, __CLIENT__CERT and __CLIENT__KEY",
        ) from None  # fmt: skip
    try:
        client.wait_for_workers(1, timeout=_WAIT)
    except TimeoutError as error:
        raise TargetError(
            f"{scheduler} has no worker", str(error), f"dask worker {scheduler}, in an environment with the harness"
        ) from None
    return client


def _connect(make: Callable[..., Any], scheduler: Any, **more: Any) -> Any:
    """Make a client of a scheduler.

    A client that could not connect is closed when it is collected, under a lock that the start of another one holds in
    the same thread: then the process would wait for itself. So nothing is collected meanwhile.
    """
    gc.collect()
    gc.disable()
    try:
        return make(scheduler, serializers=_PLAIN, **more)
    finally:
        gc.enable()


@contextmanager
def quiet_cluster(processes: int, threads: int = 1) -> Iterator[Any]:
    """Yield a client of a scheduler in this process, with workers in others, that logs nothing."""
    import distributed

    cluster = distributed.LocalCluster(
        n_workers=processes, threads_per_worker=threads, processes=True, dashboard_address=":0", silence_logs=50,
        host="127.0.0.1",
    )  # fmt: skip
    with cluster, _connect(distributed.Client, cluster) as client:
        yield client


def execute(
    ledger: CampaignLedger, client: Any, folder: Path, on_progress: Callable[[Tally], None], retry: int = MOST_TRIES,
    work: Callable[[bytes], bytes] = compute_remotely, say: Callable[[str], None] = lambda words: None,
) -> Tally:  # fmt: skip
    """Compute the units of a ledger that have no report. Raises: HarnessError when the scheduler goes away.

    A ledger that cannot be written ends it as well: no unit could be kept. `say` is told while no worker is left: one
    may come back, as on a cluster.
    """
    from distributed import as_completed
    from distributed.client import FutureCancelledError
    from distributed.comm import CommClosedError

    done = ledger.done()
    units = list(ledger.units())
    missing = [unit for unit in units if unit.digest not in done]
    go = ledger.go()
    tally = Tally(len(units), before=len(units) - len(missing))
    on_progress(tally)
    waiting = iter(missing)
    own = uuid.uuid4().hex[:12]  # a scheduler takes two tasks of one name for one, and another ledger's may be there
    running: dict[str, CampaignUnit] = {}
    tries, restricted, numbers = UnitTries(), RestrictedUnits(), itertools.count()
    finished = as_completed()

    def hand_out(unit: CampaignUnit) -> None:
        task = msgspec.json.encode(UnitTask(unit, ledger.url, str(folder), code_digest(), go))
        # Without `allow_other_workers`: with it an idle worker steals the unit, and that is the one that fails at once.
        workers = tries.candidates(unit, client.nthreads())
        name = f"{unit.digest}-{next(numbers)}-{own}"
        future = client.submit(work, task, key=name, pure=False, workers=workers or None)
        if workers:
            restricted.add(future, workers)
        running[future.key] = unit
        finished.add(future)

    watch = _WorkerWatch(client, say, restricted)
    watch.start()
    try:
        for unit in waiting:
            hand_out(unit)
            if len(running) >= AHEAD * max(1, sum(client.nthreads().values())):
                break
        for future in finished:
            unit = running.pop(future.key)
            error = _take(future, tally)
            if restricted.take(future.key) and isinstance(error, FutureCancelledError):
                hand_out(unit)
                continue
            if isinstance(error, (CommClosedError, FutureCancelledError)):
                raise _gone(client.scheduler.address, error)
            if isinstance(error, LedgerError):
                raise error
            if error is None:
                tally.done += 1
            elif tries.add(unit, _worker_of(client, future)) < retry:
                hand_out(unit)
                continue
            else:
                tally.failed[str(unit)] = f"{error}\n  tried on: {tries.describe(unit)}"
            on_progress(tally)
            if (following := next(waiting, None)) is not None:
                hand_out(following)
    except (OSError, TimeoutError) as error:
        raise _gone(client.scheduler.address, error) from None
    finally:
        watch.stop()
    return tally


class _WorkerWatch(threading.Thread):
    """Tells when the scheduler has no worker, once each time, and releases units whose workers have gone."""

    def __init__(self, client: Any, say: Callable[[str], None], restricted: RestrictedUnits) -> None:
        super().__init__(daemon=True)
        self._client, self._say, self._restricted = client, say, restricted
        self._stopped = threading.Event()

    def run(self) -> None:
        """Look until it is stopped, or the scheduler has gone, which the command tells."""
        had = True
        while not self._stopped.wait(_LOOK):
            try:
                workers = self._client.nthreads()
                self._restricted.release(workers)
            except Exception:  # whatever Dask raises when its connection closes
                return
            has = bool(workers)
            if had and not has and not self._stopped.is_set():
                self._say(
                    "no worker is left, and no unit is computed until one comes; Ctrl-C ends it, what is done stays"
                )
            had = has

    def stop(self) -> None:
        """End the thread, without waiting for an answer that it may wait for."""
        self._stopped.set()


def _take(future: Any, tally: Tally) -> BaseException | None:
    """Add the outcome of a unit to the tally, and return its error."""
    if future.status != "finished":
        return future.exception() if future.status == "error" else _cancelled()
    outcome = msgspec.json.decode(future.result(), type=RemoteResult)
    tally.cases += outcome.cases
    if outcome.stops:
        return LedgerError(outcome.problem)
    return TargetError(outcome.problem) if outcome.problem else None


def _worker_of(client: Any, future: Any) -> str:
    """Return the address of the worker that has the outcome of a unit; empty if it has gone, or there is none."""
    if future.status != "finished":
        return ""
    return next(iter(client.who_has([future]).get(future.key, ())), "")


def _cancelled() -> BaseException:
    from distributed.client import FutureCancelledError

    error: BaseException = FutureCancelledError("unit", "the scheduler cancelled it")
    return error


def _gone(name: str, error: BaseException) -> TargetError:
    return TargetError(
        f"the scheduler {name} cannot be reached", _words_of(error),
        "start it, then `harness campaign resume`; what is done stays in the ledger",
    )  # fmt: skip


def _words_of(error: BaseException) -> str:
    return " ".join(str(error).split())[:300]
