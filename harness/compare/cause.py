"""The record of a cause, and the question that causes answer: why do the two validators differ on this case?

A cause declares how it is found (`Finder`): from the two error lists, by cases of the first batch, by a search of its
own, or because no other cause was found. `harness.compare.judge` tries all causes and knows none of them by name.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from harness.case import Answer, Case, Json, Operation, Vocabulary
from harness.compare.change import TagChange
from harness.compare.comparator import Comparator
from harness.compare.mismatch import Mismatch
from harness.field import FieldError
from harness.field.facts import RuleDeclaration, RuleFacts
from harness.jsonpath import ABSENT, Edit, canonical_path, look, path_of

R = TypeVar("R")
Experiment: TypeAlias = Generator[list[Case], list[Answer], R]
"""A generator that yields batches of cases, receives their answers, and returns a result."""

Repairs: TypeAlias = Callable[[Case, FieldError], Iterable[tuple[Json, Json]]]
"""Yields pairs of new and old object in which an error of the case may be gone, the most likely repair first."""


OtherValues: TypeAlias = Callable[[Case, str, Callable[[str], str]], Iterable[Edit]]
"""Yields edits of the new object of a case that set another value at a field path, or add or replace what is beside it.

The function normalizes field paths: the path may be that of the internal type.
"""

Certainty: TypeAlias = Literal["", "observed", "experiment", "remains"]
"""How sure a cause is: the answer itself shows it, an experiment proved it, or it is what remains of those tried. Empty
where nothing was tried, or no case of an experiment was answered."""


def no_repairs(case: Case, error: FieldError) -> Iterable[tuple[Json, Json]]:
    """Yield no repairs."""
    return ()


def no_values(case: Case, path: str, normalize: Callable[[str], str]) -> Iterable[Edit]:
    """Yield no edits."""
    return ()


def no_keys(path: str, type: str, origin: str) -> bool:
    """Know of no rule that it looks at keys."""
    return False


def no_tag(path: str, type: str, origin: str) -> str:
    """Know no tag."""
    return ""


def not_reported(case: Case, side: str, mismatch: Mismatch) -> bool:
    """Know of no other answer."""
    return False


def no_choice(path: str) -> bool:
    """Know no field by which a choice is made."""
    return False


def no_mode(path: str) -> str:
    """Know no field by whose value rules are chosen."""
    return ""


def same_path(case: Case, path: str) -> str:
    """Return the path as it is."""
    return path


class ListWithoutKeys(NamedTuple):
    """A list whose items the rules do not look up in the old list: its path, the tags that change it, and its line.

    `key_tag` is the tag for the key of its items, if that has to be named.
    """

    path: str
    tags: str
    source: str
    key_tag: str = ""


def no_list(path: str) -> ListWithoutKeys | None:
    """Know no list."""
    return None


def no_objects(case: Case) -> Iterable[Json]:
    """Know no object."""
    return ()


@dataclass(frozen=True, slots=True)
class Hints:
    """What the caller of the judge knows besides the answers: what to try, and facts as data.

    `repairs` may make errors go away, `values` are other values for a path, and `siblings` values for what is beside
    it. `tag` is the text of the tag at a field that declares a rule for errors of a type and origin, as far as the
    types are known, and `line` the whole line that has it, with its level; `is_about_keys` says whether that rule looks
    at the keys of a map. `reported` says whether a side reported the error of a mismatch for any object of the run.
    `accepted` are objects of the kind that both sides accept. `makes_choice` says whether a field is a discriminator or
    one of the members of which one is chosen; `mode` is the field by whose value the rules of a field are chosen, which
    they look at too; `unkeyed_list` is the outermost list without keys on the way to a path.
    `own_path` is the path that the types of the case's version have for that of the internal type.
    """

    repairs: Repairs = no_repairs
    values: OtherValues = no_values
    siblings: OtherValues = no_values
    tag: Callable[[str, str, str], str] = no_tag
    line: Callable[[str, str, str], str] = no_tag
    is_about_keys: Callable[[str, str, str], bool] = no_keys
    reported: Callable[[Case, str, Mismatch], bool] = not_reported
    accepted: Callable[[Case], Iterable[Json]] = no_objects
    makes_choice: Callable[[str], bool] = no_choice
    mode: Callable[[str], str] = no_mode
    own_path: Callable[[Case, str], str] = same_path
    unkeyed_list: Callable[[str], ListWithoutKeys | None] = no_list


NO_HINTS = Hints()


class Explanation(NamedTuple):
    """A sentence that explains a mismatch by a cause, and a proposed fix. The judge fills in the code of the `cause`,
    unless the experiment of one cause showed another one.

    `is_guess`: experiments may find another cause. `partner` is the error of the other validator that is the same error
    in another form. `shown` is a case with its answer that demonstrates the cause, if the judged case does not.
    `experiment` says which experiment stood behind it, empty for that of the cause; the judge adds the `certainty`.
    `change` is the fix as data, if it is a change of tags. `tried` is `gone` if the fix was made in the lists of the
    answer and the mismatch was gone. `spoken` is a case for which the silent validator reports the error too, and
    `masking` the error because of which it returned early; `beside` is the member that decides whether it checks.
    `marked` is a case for which the handwritten validator reports errors that the fix wants to be marked, with their
    type. `ungenerated` are versions for which the fix wants validation to be generated.
    """

    detail: str
    fix: str
    partner: FieldError | None = None
    shown: tuple[Case, Answer] | None = None
    is_guess: bool = False
    cause: str = ""
    experiment: str = ""
    certainty: Certainty = ""
    change: TagChange | None = None
    tried: str = ""
    spoken: Case | None = None
    masking: FieldError | None = None
    beside: str = ""
    marked: tuple[Case, str] | None = None
    ungenerated: tuple[str, ...] = ()


Watched: TypeAlias = tuple[Literal["repaired", "left out"], Literal["stay", "go"]]
"""What was done to a case, and what became of both forms of its error."""


class Unmasked(NamedTuple):
    """The result of repairing a case (`harness.compare.unmasking`).

    `speaks`: after a change, the silent validator reports the error too. The change repaired `error`, removed the field
    `left_out` that had no error, or set the field `filled` to another value; `before` is what stood there. A repair
    that makes another choice (of a mode, of a member of a union) counts as a field that was left out or filled: what it
    proves is that the check runs for the other choice. `spoken` is the changed case, and `said` its answer.
    `contradicted`: the other form of the error disappeared and the mismatch did not, so the two are different errors.
    `uncovered` explains the mismatch by another form of the error, which the silent validator reports once other errors
    are repaired. `seen` says what became of both forms, together, where another error was gone, and where a field was
    left out.
    """

    speaks: bool = False
    error: FieldError | None = None
    left_out: str = ""
    filled: Edit | None = None
    before: Json = None
    contradicted: bool = False
    uncovered: Explanation | None = None
    spoken: Case | None = None
    said: Answer | None = None
    seen: frozenset[Watched] = frozenset()


class Trial(NamedTuple):
    """A case of the first batch, and the function that returns the explanation that its answer proves, if any."""

    case: Case
    proves: Callable[[Answer], Explanation | None]


def _nothing(question: Question) -> None:
    return None


def _no_trials(question: Question) -> Iterable[Trial]:
    return ()


def _no_search(question: Question) -> Experiment[Explanation | None]:
    yield from ()
    return None


def _as_found(question: Question, found: Explanation) -> Experiment[Explanation]:
    yield from ()
    return found


@dataclass(frozen=True, slots=True)
class Finder:
    """How a cause is found, in four steps that each return None if it is not the cause.

    1. `show` reads the two error lists of the answer.
    2. `trials` yields cases of the first batch, which all causes share; `refine` asks what one of them leaves open.
    3. `search` asks batches of its own.
    4. `remain` is called when no experiment explained the mismatch.

    `overrules`: its trials are asked even if the lists show another cause for certain.
    """

    show: Callable[[Question], Explanation | None] = _nothing
    trials: Callable[[Question], Iterable[Trial]] = _no_trials
    refine: Callable[[Question, Explanation], Experiment[Explanation]] = _as_found
    search: Callable[[Question], Experiment[Explanation | None]] = _no_search
    remain: Callable[[Question], Explanation | None] = _nothing
    overrules: bool = False


NO_FINDER = Finder()


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause: its code in reports and exceptions, its page of `harness explain`, and how it is found.

    `experiment` says in a phrase how it is told from others, and `example` shows one; both are part of the page.

    `sides` finds it between the handwritten and the declarative validators of one target, `servers` between two
    targets, `validators` between an old and a new validator of Python. `told_by` is the module that reports the cause,
    if none of them does.

    `extent` is the scope of one mistake: a whole type, a member of it, or one rule of a member. `is_of_both_sides`:
    both validators report an error of their own. `leads`: a group of findings is named after it, whatever other causes
    the group contains. `is_silence`: it only states which validator is silent, so a gate that
    changes this explains more.
    """

    code: str
    page: str
    sides: Finder = NO_FINDER
    servers: Finder = NO_FINDER
    validators: Finder = NO_FINDER
    told_by: str = ""
    extent: Literal["type", "member", "rule"] = "member"
    is_of_both_sides: bool = False
    leads: bool = False
    is_silence: bool = False
    experiment: str = ""
    example: str = ""


@dataclass
class Question:
    """One mismatch whose cause is searched, and the results so far.

    `finders` are those of all causes, by code. `guess` is an uncertain explanation from the lists; `answers` are those
    to the first batch, `proofs` the cases of it that prove the cause found, `proven` the answer to the first of them,
    and `unmasked` is the result of repairing the other errors of the case. `is_refused`: the target answered no case of
    the first batch, so that it is asked no others. `asked` counts the cases of experiments, `answered` those with an
    answer that is no failure, and `unasked` those that the budget did not allow.
    """

    case: Case
    answer: Answer
    mismatch: Mismatch
    comparator: Comparator
    finders: tuple[tuple[str, Finder], ...] = ()
    hints: Hints = NO_HINTS
    guess: Explanation | None = None
    answers: Sequence[Answer] = ()
    proofs: Sequence[Case] = ()
    proven: Answer | None = None
    is_refused: bool = False
    asked: int = 0
    answered: int = 0
    unasked: int = 0
    unmasked: Unmasked | None = None
    _results: dict[Any, Any] = field(default_factory=dict)

    def show(self) -> Explanation | None:
        """Return the explanation that follows from the two lists alone."""
        for code, finder in self.finders:
            found = finder.show(self)
            if found is not None:
                return found._replace(cause=code)
        return None

    def search_once(self, search: Callable[[Question], Experiment[R]]) -> Experiment[R]:
        """Run a search that several causes share, or return its cached result."""
        if search not in self._results:
            self._results[search] = yield from search(self)
        found: R = self._results[search]
        return found

    def result_of(self, search: Callable[[Question], Experiment[R]]) -> R | None:
        """Return the result of a search that was run once, None if it was not."""
        found: R | None = self._results.get(search)
        return found

    def find_once(self, find: Callable[[Question], R]) -> R:
        """Call a function that several causes share and that asks no cases, or return its cached result."""
        if find not in self._results:
            self._results[find] = find(self)
        found: R = self._results[find]
        return found

    @property
    def has_fewer_others(self) -> bool:
        """Whether the silent side reports less of something else on the first proof than on the case itself."""
        if self.proven is None:
            return False
        reported_by = self.comparator.comparison.reported_by
        before, now = (
            {(one.type, canonical_path(one.field)) for one in reported_by(self.silent, answer)}
            for answer in (self.answer, self.proven)
        )
        return not before <= now

    def is_mended(self, before: FieldError, after: FieldError) -> bool:
        """Whether the mismatch is gone, and no other came, if the handwritten code reports `after` for `before`."""
        handwritten = tuple(after if one == before else one for one in self.answer.handwritten)
        changed = msgspec.structs.replace(self.answer, handwritten=handwritten, served=())
        known = {one.signature for one in self.comparator.compare(self.case, self.answer)}
        shown = {one.signature for one in self.comparator.compare(self.case, changed)}
        return self.mismatch.signature not in shown and shown <= known

    @property
    def facts(self) -> RuleFacts:
        """What is known of the rules behind errors."""
        return self.comparator.facts

    @property
    def words(self) -> Vocabulary:
        """What the handwritten code calls things."""
        return self.comparator.vocabulary

    @property
    def is_about_an_error(self) -> bool:
        """Whether the mismatch is an error that one validator reports more often than the other."""
        return self.mismatch.kind in ("unmatched", "extra", "served")

    @property
    def where(self) -> str:
        """The path of the mismatch, for a sentence."""
        return canonical_path(self.mismatch.path) or "the object itself"

    @property
    def declared_at(self) -> str:
        """The path of the mismatch as the types of the version have it, where a tag stands, for a sentence.

        A tag about the items of a list stands at the list, where its error is about one of them.
        """
        path = canonical_path(self.hints.own_path(self.case, self.mismatch.path))
        is_on_list = path.endswith("[*]") and any(one.place == "list" for one in self.declarations)
        return (path.removesuffix("[*]") if is_on_list else path) or "the object itself"

    @property
    def every_version(self) -> str:
        """Words for a fix of tags: one check serves all versions of a kind, and each has tags of its own."""
        return " in every version" if self.comparator.info.versions else ""

    @property
    def tag(self) -> str:
        """The tag that declares the rule of the mismatch, with its payload if the error says it; empty if unknown.

        Of several that may, it is the one that stands at the field.
        """
        declared = [one.text for one in self.declarations]
        if standing := self.standing_tag:
            return next((one for one in declared if one.partition("=")[0] == standing), standing)
        return " or ".join(declared) or self.facts.name_of(self.mismatch.type, self.mismatch.origin)

    @cached_property
    def standing_tag(self) -> str:
        """The name of the tag at the field whose rule reports such errors; empty if the types have none."""
        path = self.hints.own_path(self.case, self.mismatch.path)
        return self.hints.tag(path, self.mismatch.type, self.mismatch.origin)

    @property
    def tag_or_rule(self) -> str:
        """The tag, or words for it, for a sentence."""
        return self.tag or "the rule"

    @cached_property
    def standing_line(self) -> str:
        """The line of that tag as it stands, with its level."""
        path = self.hints.own_path(self.case, self.mismatch.path)
        return self.hints.line(path, self.mismatch.type, self.mismatch.origin)

    @cached_property
    def declarations(self) -> tuple[RuleDeclaration, ...]:
        """How one could declare a rule that reports the error of the mismatch, as far as the error says it."""
        others = (one for errors in self.answer.versions.values() for one in errors)
        error = self.error or next(
            iter(self.select((*self.answer.handwritten, *self.answer.declarative, *others))), None
        )
        if error is None:
            return ()
        values = (look(value, path_of(error.field)) for value in (self.case.object, self.case.old))
        new, old = (None if value is ABSENT else value for value in values)
        return self.facts.declarations(error, new, old)

    def check_of(self, error: FieldError) -> str:
        """Name the call of handwritten code that makes an error, with its field and file, for a sentence."""
        call, path = self.words.call(error.type, error.detail), self.comparator.matcher.normalize(error.field)
        return f"{call} for {canonical_path(path) or 'the object itself'}{self.in_file}"

    @property
    def check(self) -> str:
        """Name the call of handwritten code that reports the error of the mismatch, or would, for a sentence."""
        found = next(iter(self.select((*self.answer.handwritten, *self.answer.declarative))), None)
        return f"{self.where}{self.in_file}" if found is None else self.check_of(found)

    @property
    def in_file(self) -> str:
        """The file of the handwritten code, for the end of a sentence; empty if it is not known."""
        file = self.words.file
        return f" in {file}" if file else ""

    @property
    def rule(self) -> str:
        """The rule and its field, for a sentence."""
        return f"{self.tag} on {self.declared_at}" if self.tag else self.where

    @property
    def silent(self) -> str:
        """The validator that does not report the error, `declarative` or `handwritten`."""
        return "handwritten" if self.mismatch.side == "declarative" else "declarative"

    @property
    def is_about_servers(self) -> bool:
        """Whether the two lists are those of two servers."""
        return bool(self.comparator.comparison.names)

    @property
    def loud(self) -> str:
        """The validator that reports the error, `declarative` or `handwritten`."""
        return "declarative" if self.silent == "handwritten" else "handwritten"

    @property
    def names(self) -> tuple[str, str]:
        """The names of the declarative and the handwritten validators, or of the server before and the one after."""
        return self.name_of("declarative"), self.name_of("handwritten")

    def name_of(self, side: str) -> str:
        """Return the name of a side for a sentence."""
        return self.comparator.comparison.name_of(side)

    def select(self, errors: Iterable[FieldError], *, covered: bool = False) -> list[FieldError]:
        """Return the errors that the mismatch is about."""
        return [one for one in errors if self.comparator.concerns(self.mismatch, one) and one.covered >= covered]

    @cached_property
    def error(self) -> FieldError | None:
        """The error that the other validator does not report: a covered handwritten one, or a declarative one."""
        is_covered = self.mismatch.kind == "unmatched"
        errors = self.answer.handwritten if is_covered else self.answer.declarative
        return self.pick(self.select(errors, covered=is_covered))

    def pick(self, errors: list[FieldError]) -> FieldError | None:
        """Return the error with exactly the path of the mismatch, else the first."""
        exact = next((error for error in errors if error.field == self.mismatch.path), None)
        return exact or next(iter(errors), None)

    def created(self) -> Case | None:
        """Return the update as a create of its new object; None for a create, and for kinds that cannot be created."""
        if self.case.operation is not Operation.UPDATE:
            return None
        if Operation.CREATE in self.comparator.info.operations:
            return msgspec.structs.replace(self.case, operation=Operation.CREATE, old=None)
        if self.case.subresource:  # objects are created through the main resource; where that is another kind, it fails
            return msgspec.structs.replace(self.case, operation=Operation.CREATE, old=None, subresource="")
        return None
