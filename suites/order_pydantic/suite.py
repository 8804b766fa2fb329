"""Orders of a shop: a handwritten function, and the pydantic model that is to replace it."""

from harness.suite import Suite

from .handwritten import validate_order
from .model import Order

SUITE = Suite(old=validate_order, new=Order)
