"""The catalogue of tags is a function of their declarations, and its examples are run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.apidocs.catalogue import catalogue, compile_errors, file_of, page_of, validate_example
from harness.tags.registry import ALL_SPECS, SPECS
from harness.tags.spec import TagSpec

PAGES = Path(__file__).parents[2] / "docs" / "reference" / "tags"
TEXTS_WITHOUT_EXAMPLES = {
    "k8s:format": "each format has texts of its own",
    "format": "each format has texts of its own",
    "k8s:ifEnabled": "examples define every option",
    "k8s:ifDisabled": "examples define every option",
}
"""Tags whose own texts no example can show, and why."""
every_tag = pytest.mark.parametrize("spec", ALL_SPECS.values(), ids=lambda spec: spec.name)


def test_the_committed_pages_are_up_to_date() -> None:
    """docs/reference/tags is what `harness docs --tags --output docs/reference/tags` writes, and nothing else."""
    committed = {path.name: path.read_text(encoding="utf-8") for path in PAGES.iterdir()}
    stale = sorted(name for name, page in catalogue().items() if committed.get(name) != page)
    assert ([], set()) == (stale, set(committed) - set(catalogue()))


def test_every_tag_has_its_page_in_the_index() -> None:
    """No tag is left out, none is lost from the index."""
    index = catalogue()["README.md"]
    assert [] == [spec.name for spec in ALL_SPECS.values() if f"]({file_of(spec.name)})" not in index]


@every_tag
def test_errors_have_the_texts_that_are_declared(spec: TagSpec) -> None:
    """What examples are told fits the texts of the tag, with what differs in angle brackets."""
    texts = [re.escape(text) for emission in spec.emits for text in emission.texts]
    patterns = [re.sub(r"<[^<>]*>", ".+", text).replace("characters", "characters?") for text in texts]
    patterns = [pattern.replace("items", "items?").replace("bytes", "bytes?") for pattern in patterns]
    own = {emission.origin for emission in spec.emits if emission.texts and not emission.origin.endswith("=")}
    errors = [
        error for example in spec.examples for error in validate_example(spec.name, example) if error.origin in own
    ]
    if patterns and spec.name not in TEXTS_WITHOUT_EXAMPLES:
        assert errors
        assert [] == [error.text for error in errors if not any(re.fullmatch(one, error.detail) for one in patterns)]


@every_tag
def test_invalid_usages_do_not_compile(spec: TagSpec) -> None:
    """Each is a compile error, whose messages the page shows."""
    assert [] == [example for example in spec.invalid_usages if not compile_errors(spec.name, example)]


@every_tag
def test_rules_have_descriptions(spec: TagSpec) -> None:
    """A tag that checks values describes its rule; wrappers need not, since the nested tag does."""
    wraps = spec.payload is not None and spec.payload.kind == "tag" and spec.name not in ("k8s:ifMode", "k8s:member")
    if spec.emits and not wraps and spec.name not in ("k8s:modeDiscriminator", "k8s:discriminator", "k8s:enumExclude"):
        assert spec.describe is not None


@pytest.mark.parametrize("name", ["k8s:maxLength", "+k8s:maxLength", "maxLength"])
def test_a_page_is_found_by_any_spelling(name: str) -> None:
    """With and without plus and prefix; what is no tag has no page."""
    assert catalogue()["maxLength.md"] == page_of(name)
    assert catalogue()["validation-gen.md"] == page_of("k8s:validation-gen")
    assert "" == page_of("k8s:nope")


def test_an_example_that_compiles_has_no_compile_errors() -> None:
    """The check of invalid usages can fail."""
    spec = SPECS["k8s:maxLength"]
    assert [] == compile_errors(spec.name, spec.examples[0])


def test_a_page_says_what_was_seen() -> None:
    """The exact errors of an example, and the message of an invalid usage."""
    page = page_of("k8s:maxLength")
    assert "`f: Too long: may not be more than 3 characters` (FieldValueTooLong, origin `maxLength`)" in page
    assert "+k8s:maxLength: can only be used on string types ([]string)" in page
    assert "- 1.35: new." in page
    assert SPECS["k8s:maxLength"].caveats[0] in page
