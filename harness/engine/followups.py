"""Chooses follow-up cases after a rejection: the rejected value, kept by an update, and with other siblings.

The handwritten and the declarative validators differ most in whether they ratchet a value that an update does not
change, and in whether they look at a value at all when a sibling is set. A pass over all paths gets to these pairs
late, so they are asked as soon as an error signature is seen for the first time.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from harness import tuning
from harness.case import Answer, Json, Operation
from harness.engine.asker import CaseSpec, UnitAsker
from harness.fuzzers.neighbours import neighbours, variants_of_siblings
from harness.fuzzers.shapepaths import resolve_path
from harness.jsonpath import ABSENT, JsonPath, canonical_path, look
from harness.objectmodel import STATUS, is_in_metadata, is_in_status, stored


class SeenErrorSignatures:
    """Tracks the error signatures (type, origin, canonical path) that were already seen, by context."""

    def __init__(self) -> None:
        self._seen: set[int] = set()  # hashes, to save memory: hundreds of searches each keep thousands of signatures

    def has_new(self, context: tuple[object, ...], answer: Answer) -> bool:
        """Whether an answer has an error signature that was not seen in this context; from now on all of them are.

        The context is a tuple such as the subresource. One answer may hold several signatures, at one path or many.
        """
        errors = (*answer.handwritten, *answer.declarative)
        signatures = {hash((*context, error.type, error.origin, canonical_path(error.field))) for error in errors}
        has_new = not signatures <= self._seen
        self._seen |= signatures
        return has_new


class FollowUps:
    """Chooses the follow-up cases for one unit."""

    def __init__(self, asker: UnitAsker) -> None:
        self._shape = asker.plan.shape
        self._all_updates = [
            state.request for state in asker.ledger.states.values() if state.request.operation is Operation.UPDATE
        ]
        self._main_updates = [request for request in self._all_updates if not request.info.subresource]
        self._signatures = SeenErrorSignatures()

    def choose(self, specs: Sequence[CaseSpec], answers: Sequence[Answer]) -> list[CaseSpec]:
        """Return the cases to ask after these answers.

        For each answer with a new error signature:

        1. an update through every subresource that changes nothing: old and new are the rejected object;
        2. updates that keep the rejected value and change a sibling;
        3. for a create, creates with other siblings.
        """
        follow_ups: list[CaseSpec] = []
        # There may be fewer answers than cases: a search whose time is up stops between two batches.
        for (request, new, old, base), answer in zip(specs, answers, strict=False):
            if not self._signatures.has_new((request.info.subresource,), answer):
                continue
            stored_obj = stored(new)
            path = self._path_of_first_error(stored_obj, answer)
            # A pair without a change is valid for every subresource: PrepareForUpdate resets the fields that the
            # subresource does not own to those of the old object, and they are equal there.
            follow_ups += [(update, stored_obj, stored_obj, base) for update in self._all_updates]
            if not path or is_in_metadata(path):  # metadata is common to all kinds, and so are its validators
                continue
            updates = [request] if old is not None else self._main_updates
            # A status is written through its own subresource, which resets all other fields.
            updates = [one for one in updates if (one.info.subresource == STATUS) == is_in_status(path)]
            pairs = list(islice(neighbours(self._shape, stored_obj, path), tuning.NEIGHBOURS if updates else 0))
            follow_ups += [(update, *pair, base) for update in updates for pair in pairs]
            if old is None:
                follow_ups += [(request, other, None, base) for other in variants_of_siblings(self._shape, new, path)]
        return follow_ups

    def _path_of_first_error(self, obj: Json, answer: Answer) -> JsonPath:
        """Return the path of the first error that has one, shortened until its parent exists in the object."""
        for error in (*answer.declarative, *answer.handwritten):
            path, _ = resolve_path(error.field, self._shape)
            while path and look(obj, path[:-1]) is ABSENT:
                path = path[:-1]
            if path:
                return path
        return ()
