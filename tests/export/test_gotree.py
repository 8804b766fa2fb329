"""Where things lie in a release's tree: read from the tree itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.case import KindInfo
from harness.diagnostics import UsageError
from harness.export.gotree import Tree
from harness.export.imports import Imports
from tests.targets.kubernetes.places import GO_MOD, write

HELPER = (
    "package testing\n\nfunc VerifyValidationEquivalence(t *testing.T, ctx context.Context, obj runtime.Object, "
    "strategy rest.RESTCreateStrategy, expectedErrs field.ErrorList) {\n}\n"
)
STORAGE = (
    "package storage\n\nvar store = Store{{\n\tNewFunc:      func() runtime.Object {{ return &shop.{kind}{{}} }},\n}}\n"
)
PLAIN = "package shops\n\nvar Strategy = shopStrategy{}\n\nvar StatusStrategy = shopStatusStrategy{Strategy}\n"
BUILT = """package orders

func NewStrategy(nsClient v1.NamespaceInterface, a authorizer.Authorizer, resolver Resolver) *orderStrategy {
}

func NewStatusStrategy(strategy *orderStrategy, clock clock.PassiveClock) *statusStrategy {
}
"""
TYPES = "package shop\n\ntype Shop struct{}\n\ntype Order struct{}\n"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A checkout with a group of two kinds."""
    top = write(tmp_path / "k", {
        "go.mod": GO_MOD,
        "pkg/api/testing/validation.go": HELPER,
        "pkg/apis/shop/register.go": 'package shop\n\nconst GroupName = "shop.k8s.io"\n',
        "pkg/apis/shop/types.go": TYPES,
        "pkg/registry/shop/shops/strategy.go": PLAIN,
        "pkg/registry/shop/shops/storage/storage.go": STORAGE.format(kind="Shop"),
        "pkg/registry/shop/orders/strategy.go": BUILT,
        "pkg/registry/shop/orders/storage/storage.go": STORAGE.format(kind="Order"),
    })  # fmt: skip
    return Tree.of(str(top))


def info(kind: str, subresource: str = "", group: str = "shop.k8s.io") -> KindInfo:
    """A kind of the group."""
    return KindInfo(group, "v1", kind, f"{kind.lower()}s", f"{group}/v1", subresource, f"k8s.io/api/shop/v1.{kind}")


def test_places(tree: Tree) -> None:
    """The folder of tests is that of the group's package and the kind."""
    assert "test/declarative_validation/shop/order" == tree.package(info("Order"))
    assert "k8s.io/kubernetes/pkg/apis/shop.Order" == tree.internal_type(info("Order"))


@pytest.mark.parametrize(
    ("kind", "subresource", "expected"),
    [
        ("Shop", "", "registry.Strategy"),
        ("Shop", "status", "registry.StatusStrategy"),
        ("Order", "",
         "registry.NewStrategy(fake.NewClientset().CoreV1().Namespaces(), "
         "authorizerfactory.NewAlwaysAllowAuthorizer(), nil)"),
        ("Order", "status",
         "registry.NewStatusStrategy(registry.NewStrategy(fake.NewClientset().CoreV1().Namespaces(), "
         "authorizerfactory.NewAlwaysAllowAuthorizer(), nil), clock.RealClock{})"),
    ],
)  # fmt: skip
def test_strategies(tree: Tree, kind: str, subresource: str, expected: str) -> None:
    """A strategy is a variable, or made by a function with what it wants."""
    assert expected == tree.strategy(info(kind, subresource), Imports())


def test_who_asks(tree: Tree) -> None:
    """A user is set up where strategies look at one."""
    assert (False, True) == (tree.wants_user(info("Shop")), tree.wants_user(info("Order")))


def test_what_no_test_can_be_written_for(tree: Tree, tmp_path: Path) -> None:
    """Kinds without storage, type or strategy, and releases with another helper, are refused with a way out."""
    with pytest.raises(UsageError, match=r"no storage of this release creates a Review(.|\n)*--format pytest"):
        tree.strategy(info("Review"), Imports())
    with pytest.raises(UsageError, match="no internal type of its own group"):
        tree.internal_type(info("Shop", group="other.k8s.io"))
    with pytest.raises(UsageError, match="no strategy of"):
        tree.strategy(info("Shop", "scale"), Imports())
    older = write(tmp_path / "old", {"go.mod": GO_MOD, "pkg/api/testing/validation.go": "package testing\n"})
    with pytest.raises(UsageError, match=r"export for 1\.37 or newer"):
        Tree.of(str(older))
