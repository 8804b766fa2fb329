"""What a running server answers is held against what we say that it answers."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from harness.case import Answer, Case, Composition, Failure, Operation, ServedList
from harness.compare.confirmation import HANDLER, confirm, questions
from harness.field import FieldError
from harness.targets.wire import capped

CASE = Case(1, "apps", "v1", "Deployment", Operation.CREATE, {"a": 1}, None, "deployments")
UPDATE = Case(1, "apps", "v1", "Deployment", Operation.UPDATE, {"a": 1}, {"a": 2}, "deployments")
SCALE = Case(1, "apps", "v1", "Scale", Operation.UPDATE, {"a": 1}, {"a": 2}, "deployments", "scale")
WRONG = FieldError("FieldValueInvalid", "spec.size", "must be even", "even", "beta", True, value="3")
SAID = FieldError("FieldValueInvalid", "spec.size", "3: must be even")
REQUIRED = FieldError("FieldValueRequired", "spec.name")


def ours(*errors: FieldError, **more: Any) -> Answer:
    """What we say is served under both settings."""
    return Answer(1, served=(ServedList("beta-on", {}, errors), ServedList("beta-off", {}, errors)), **more)


def its(on: tuple[FieldError, ...] | str, off: tuple[FieldError, ...] | str | None = None) -> Answer:
    """What a server answers: errors, or a status, under both settings alike unless the second is given."""
    said = (("beta-on", on), ("beta-off", on if off is None else off))
    lists = (ServedList(name, {}, *(((), one) if isinstance(one, str) else (one,))) for name, one in said)
    return Answer(1, served=tuple(lists))


def outcome(
    answer: Answer, *said: Answer, case: Case = CASE, served: bool = True, stored: bool = True,
    composition: Composition = "levels",
) -> str:  # fmt: skip
    """What comes of it."""
    return confirm(case, answer, said, "s", served, stored, composition).outcome


def test_equal_lists_confirm() -> None:
    """Type, path and text count; what no client sees does not, nor does the order."""
    assert "confirmed" == outcome(ours(), its(()))
    assert "confirmed" == outcome(ours(WRONG, REQUIRED), its((REQUIRED, SAID)))


@pytest.mark.parametrize(
    "said",
    [(), (SAID, SAID), (REQUIRED,), (FieldError("FieldValueInvalid", "spec.size", "4: must be even"),), "500 : boom"],
)
def test_other_lists_contradict(said: tuple[FieldError, ...] | str) -> None:
    """One setting is enough, and the reason names it and both sides."""
    found = confirm(CASE, ours(WRONG), [its((SAID,), said)], "s")
    assert ("contradicted", ("beta-off",)) == (found.outcome, found.settings)
    assert found.reason.startswith("under beta-off: it ")


def test_a_value_that_a_worker_shortened_is_the_whole_one() -> None:
    """The server quotes all of it; another value of that length is another one."""
    long = '"' + "x" * 1000 + '"'
    short = FieldError("FieldValueInvalid", "spec.name", "must be short", value=capped(long))
    whole = FieldError("FieldValueInvalid", "spec.name", f"{long}: must be short")
    other = FieldError("FieldValueInvalid", "spec.name", f"{long.replace('x', 'y')}: must be short")
    assert "confirmed" == outcome(ours(short), its((whole,)))
    assert "contradicted" == outcome(ours(short), its((other,)))


def test_what_differs_from_process_to_process_is_no_difference() -> None:
    """Addresses of pointers, also in a value that a worker shortened, and the spaces of a quoted difference."""
    ours_says, it_says = (
        FieldError("FieldValueInvalid", "spec.owners", f"{{A:(*bool)({at}), B:1}}: only one")
        for at in ("0x1c", "0x2dd")
    )
    assert "confirmed" == outcome(ours(ours_says), its((it_says,)))
    other = msgspec.structs.replace(it_says, detail=it_says.detail.replace("B:1", "B:2"))
    assert "contradicted" == outcome(ours(ours_says), its((other,)))
    values = [
        f"{{A:(*bool)({at}), B:{tail}}}" for at, tail in (("0x1c", "x" * 900), ("0x2dd", "x" * 900), ("0x2", "y"))
    ]
    short = FieldError("FieldValueInvalid", "spec.owners", "only one", value=capped(values[0]))
    same, different = (FieldError("FieldValueInvalid", "spec.owners", f"{value}: only one") for value in values[1:])
    assert "confirmed" == outcome(ours(short), its((same,)))
    assert "contradicted" == outcome(ours(short), its((different,)))
    spaced = FieldError("FieldValueForbidden", "spec", "is immutable\n- \tA: nil,\n")
    hard = FieldError("FieldValueForbidden", "spec", "is immutable\n-\xa0\tA: nil,\n")
    assert "confirmed" == outcome(ours(spaced), its((hard,)))
    assert "confirmed" == outcome(ours(hard), its((spaced,)))


def test_the_end_of_a_generated_name_is_another_each_time() -> None:
    """Whatever a text quotes of it; the beginning counts, and so does a name that the object brings along."""

    def named(name: str) -> FieldError:
        return FieldError("FieldValueInvalid", "metadata.name", f'"{name}": must have a dot')

    generated = msgspec.structs.replace(CASE, object={"metadata": {"generateName": "a."}})
    assert "confirmed" == outcome(ours(named("a.x7kq2")), its((named("a.6n9tk"),), (named("a.kwmm9"),)), case=generated)
    assert "contradicted" == outcome(ours(named("a.x7kq2")), its((named("b.6n9tk"),)), case=generated)
    own = msgspec.structs.replace(CASE, object={"metadata": {"generateName": "a.", "name": "a.x7kq2"}})
    assert "contradicted" == outcome(ours(named("a.x7kq2")), its((named("a.6n9tk"),)), case=own)


def test_an_internal_error_with_the_texts_of_the_list_is_the_list() -> None:
    """Bindings are refused in this form."""
    text = "spec.size: Invalid value: 3: must be even"
    assert "confirmed" == outcome(ours(WRONG), its(f"500 : {text}"))
    assert "confirmed" == outcome(ours(WRONG, REQUIRED), its(f"500 : [{text}, spec.name: Required value]"))
    assert "contradicted" == outcome(ours(REQUIRED), its(f"500 : {text}"))
    long = FieldError("FieldValueInvalid", "target.kind", "must be short", value=capped("x" * 1000))
    assert "confirmed" == outcome(ours(long), its(f"500 : target.kind: Invalid value: {'x' * 1000}: must be short"))
    assert "contradicted" == outcome(ours(long), its(f"500 : target.kind: Invalid value: {'x' * 1000}: must be long"))


def test_a_version_that_is_not_served_is_unreachable() -> None:
    """A server that serves it contradicts, and so does one that does not serve what we say is served."""
    refused = its("404 NotFound: not served")
    assert "unreachable" == outcome(ours(WRONG), refused, served=False)
    assert "contradicted" == outcome(ours(WRONG), its((SAID,)), served=False)
    assert "contradicted" == outcome(ours(WRONG), refused)


def test_a_refusal_has_the_status_that_we_say() -> None:
    """Another status contradicts, and so does a server that validates."""
    answer = ours(WRONG, unreachable="409, because metadata.uid is not that of the stored object")
    assert "unreachable" == outcome(answer, its("409 Conflict: uid"), case=UPDATE)
    assert "contradicted" == outcome(answer, its("400 BadRequest: uid"), case=UPDATE)
    assert "contradicted" == outcome(answer, its((SAID,)), case=UPDATE)


def test_an_old_object_that_nobody_can_store_is_tried_to_be_stored() -> None:
    """As a new object, and by an update that leaves it unchanged: both are rejected, or we are contradicted."""
    answer = ours(unreachable="422 to whoever stores the old object, because spec.size: must be even")
    create, update = questions(UPDATE, answer)
    assert (Operation.CREATE, {"a": 2}, None) == (create.operation, create.object, create.old)
    assert (Operation.UPDATE, {"a": 2}, {"a": 2}) == (update.operation, update.object, update.old)
    assert "unreachable" == outcome(answer, its((SAID,)), its("the connection is closed"), case=UPDATE)
    assert "contradicted" == outcome(answer, its((SAID,)), its((SAID,), ()), case=UPDATE)
    assert [UPDATE] == questions(UPDATE, ours())


def test_a_crash_closes_the_connection() -> None:
    """Under one setting at least, because rules may reject the object before handwritten code crashes."""
    crash = Answer(1, failure=Failure("handwritten", "panic", panic=True))
    assert "confirmed" == outcome(crash, its("the connection is closed, because the server panics: nil", (SAID,)))
    assert "contradicted" == outcome(crash, its((SAID,)))


def test_a_scale_that_is_accepted_may_be_rejected_with_its_parent() -> None:
    """A handler does more with what is not stored; that is said, and nothing else is excused by it."""
    found = confirm(SCALE, ours(), [its((), (SAID,))], "s", stored=False)
    expected = f"{HANDLER}: spec.size: Invalid value: 3: must be even"
    assert ("unreachable", expected, ("beta-off",)) == (found.outcome, found.reason, found.settings)
    assert "unreachable" == outcome(ours(), its("500 : no number"), case=SCALE, stored=False)
    assert "unreachable" == outcome(ours(REQUIRED), its("409 Conflict: uid"), case=SCALE, stored=False)
    assert "contradicted" == outcome(ours(REQUIRED), its((SAID,)), case=SCALE, stored=False)
    assert "contradicted" == outcome(ours(), its((SAID,)), case=UPDATE)


def test_what_handwritten_code_repeats_may_be_repeated_after_graduation() -> None:
    """Of metadata, as often as it does and no more, and today it is not; by 1.36, and by no other release."""
    said, wrong = (msgspec.structs.replace(error, field="metadata.name") for error in (SAID, WRONG))
    twice, thrice = (said, said), (said, said, said)
    for setting, errors, expected in (
        ("graduated", twice, "confirmed"), ("graduated", thrice, "contradicted"), ("beta-on", twice, "contradicted"),
        ("graduated", (*twice, REQUIRED), "contradicted"), ("graduated", (), "contradicted"),
    ):  # fmt: skip
        answer = Answer(1, handwritten=(wrong, wrong), served=(ServedList(setting, {}, (wrong,)),))
        said_then = Answer(1, served=(ServedList(setting, {}, errors),))
        assert expected == outcome(answer, said_then, composition="shadow")
        assert expected == outcome(answer, said_then, composition="explicit")
        assert "contradicted" == outcome(answer, said_then)
        assert "contradicted" == outcome(answer, said_then, composition="takeover")
    answer = Answer(1, handwritten=(WRONG, WRONG), served=(ServedList("graduated", {}, (WRONG,)),))
    twice_said = Answer(1, served=(ServedList("graduated", {}, (SAID, SAID)),))
    assert "contradicted" == outcome(answer, twice_said, composition="shadow")


def test_what_cannot_be_handled_is_refused() -> None:
    """With a status or with errors; a server that accepts it contradicts."""
    decode = Answer(1, failure=Failure("decode", "no number"))
    assert "unreachable" == outcome(decode, its("400 BadRequest: no number"))
    assert "unreachable" == outcome(decode, its((SAID,)))
    assert "contradicted" == outcome(decode, its((SAID,), ()))


def test_an_address_without_a_name_has_two_answers() -> None:
    """That of a subresource is another one."""
    answer = ours(unreachable="405, because no object without a name is stored")
    assert ["unreachable"] * 2 == [outcome(answer, its(f"{code} No: no")) for code in (405, 400)]
    assert "contradicted" == outcome(answer, its("404 No: no"))


def test_what_could_not_be_asked_is_said() -> None:
    """With the failure of the request."""
    found = confirm(CASE, ours(), [Answer(1, failure=Failure("decode", "no object"))], "s")
    assert ("not-asked", "no object") == (found.outcome, found.reason)


def test_another_setting_confirms_nothing() -> None:
    """A server that is asked under a setting of which our answer says nothing was not asked."""
    found = confirm(CASE, ours(WRONG), [Answer(1, served=(ServedList("validation-on", {}, (SAID,)),))], "s")
    assert ("not-asked", "it was asked under validation-on, of which our answer says nothing") == (
        found.outcome, found.reason,
    )  # fmt: skip
