"""Lists of objects, as servers and kubectl write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from harness.case import Json
from harness.objectmodel import API_VERSION, KIND

ITEMS = "items"
_LIST = "List"


def item_of(item: Json, header: Mapping[str, Json]) -> Json:
    """Return an item of a list as an object: those of a typed list, such as a PodList, do not say what they are."""
    kind = header.get(KIND)
    if not isinstance(item, dict) or KIND in item or not isinstance(kind, str) or kind == _LIST:
        return item
    return {API_VERSION: header.get(API_VERSION), KIND: kind.removesuffix(_LIST), **item}


def items_of(value: Json) -> Iterator[Json]:
    """Yield the items of a list that was read whole, or the value itself."""
    items = value.get(ITEMS) if isinstance(value, dict) else None
    if isinstance(items, list) and str(value.get(KIND)).endswith(_LIST):
        yield from (item_of(item, value) for item in items)
    else:
        yield value
