"""The model of orders that is to replace the handwritten validator."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator


def _iso_day(value: object) -> object:
    """Take days as `2024-12-31` only: pydantic would take timestamps too."""
    if value is None or isinstance(value, date):
        return value
    if not isinstance(value, str) or not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        raise ValueError("a day is written as 2024-12-31")
    return value


Day = Annotated[date, BeforeValidator(_iso_day)]
Money = Annotated[str, Field(strict=True, pattern=r"^[0-9]{1,7}\.[0-9]{2}$")]


class Closed(BaseModel):
    """A model that takes no other fields."""

    model_config = ConfigDict(extra="forbid")


class Customer(Closed):
    """Who orders."""

    name: Annotated[str, Field(strict=True, min_length=1, max_length=80)]
    email: Annotated[str, Field(strict=True, pattern=r"^[^@ ]+@[^@ ]+\.[^@ ]+$")]


class Line(Closed):
    """One article of an order."""

    sku: Annotated[str, Field(strict=True, pattern=r"^[A-Z]{3}-[0-9]{4}$")]
    quantity: Annotated[int, Field(strict=True, ge=1, le=999)]
    price: Money
    discount: Annotated[int, Field(strict=True, ge=0, le=50)] = 0
    note: Annotated[str, Field(strict=True, max_length=140)] | None = None


class Order(Closed):
    """An order with its lines."""

    id: Annotated[str, Field(strict=True, pattern=r"^ORD-[0-9]{6}$")]
    status: Literal["draft", "placed", "paid", "shipped", "cancelled"]
    currency: Literal["EUR", "GBP", "USD"]
    customer: Customer
    lines: Annotated[list[Line], Field(strict=True, min_length=1, max_length=20)]
    placed_on: Day | None = None
    shipped_on: Day | None = None

    @field_validator("lines")
    @classmethod
    def _each_article_once(cls, lines: list[Line]) -> list[Line]:
        if len({line.sku for line in lines}) < len(lines):
            raise ValueError("an article stands in two lines")
        return lines

    @model_validator(mode="after")
    def _days_fit_status(self) -> Order:
        if self.placed_on is None and self.status != "draft":
            raise ValueError("placed_on is needed once the order is placed")
        if (self.status == "shipped") != (self.shipped_on is not None):
            raise ValueError("shipped_on is needed for a shipped order, and for no other one")
        if self.placed_on is not None and self.shipped_on is not None and self.shipped_on < self.placed_on:
            raise ValueError("it is shipped after it was placed")
        return self
