"""Builds a plan from types and tags: the root types, the reachable types, and the rules of each element.

Source: semantics.md#1.6, #2, #3.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from harness.compiler.followers import independent_errors
from harness.compiler.lintwalk import SINCE, find_nested_levels
from harness.compiler.plan import FieldPlan, Inner, Plan, Root, TypePlan, cohorts
from harness.compiler.sizes import size_errors
from harness.diagnostics import Diagnostic, InputError, Position
from harness.gotypes.model import Comments, Field, Package, Struct, Typedef, TypeRef
from harness.objectmodel import META
from harness.tags.families.each import no_nil_items
from harness.tags.families.opaque import is_opaque
from harness.tags.families.update import identity, list_data
from harness.tags.grammar import parse_line, tag_lines
from harness.tags.registry import SUBRESOURCE_TAGS, Reader
from harness.tags.release import Release
from harness.tags.rules import Check, CheckFunction, Contribution, Deferred, Rule, Store
from harness.tags.spec import Scope, TagContext
from harness.tags.types import SPECIAL, Declarations, Types


@dataclass(slots=True)
class _Element:
    """A type or field whose rules are being collected."""

    context: TagContext
    given: Contribution
    rules: list[Rule] = field(default_factory=list)


@dataclass(slots=True)
class _ReachableType:
    """A named type that is reachable."""

    declaration: Struct | Typedef
    type: TypeRef
    own: _Element
    struct: Struct | None
    fields: list[tuple[Field, _Element]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class OwnRules:
    """The rules of one type and of its fields, without those of the types inside it.

    `closed` are the names of fields whose types are opaque: their rules do not run.
    """

    rules: tuple[Rule, ...] = ()
    fields: tuple[tuple[Field, tuple[Rule, ...]], ...] = ()
    closed: frozenset[str] = frozenset()


class Builder:
    """Builds the plan of one package in two passes: every tag is read, then the deferred work of tags is run."""

    def __init__(
        self,
        declarations: Declarations,
        package: str,
        release: Release | None = None,
        custom: Mapping[str, CheckFunction] | None = None,
        criteria: Sequence[str] = (),
    ) -> None:
        self._declarations = declarations
        self._package = package
        self._release = release or Release()
        self._custom = {} if custom is None else custom
        self._criteria = criteria
        self._types = Types(declarations)
        self._store = Store()
        self._nodes: dict[str, _ReachableType] = {}
        self._with_rules: set[str] = set()
        self._opaque: dict[str, bool] = {}
        self._lists_only = False
        self.reader = Reader(self._release)

    def build(self) -> Plan:
        """Return the plan. Raises: InputError with all diagnostics."""
        try:
            return self._build()
        except RecursionError:
            why = "every type is followed to its fields, at most some hundreds of levels deep"
            position, message = Position(self._package), "the types are nested too deeply"
            raise InputError([Diagnostic(position, "go-nesting", message, why, "make the chain shorter")]) from None

    def _build(self) -> Plan:
        package = self._declarations.package(self._package)
        self._check_criteria(package)
        roots = [self._root(package, declared) for declared in self.root_types()]
        sizes = size_errors(self._types, (TypeRef("named", root.type) for root in roots))
        if sizes:
            raise InputError([*package.diagnostics, *sizes])  # the next steps would not terminate
        for root in roots:
            self._discover(TypeRef("named", root.type), "")
        for node in list(self._nodes.values()):
            self._resolve(node)
        self._check_constants()
        if self._release.minor >= SINCE:
            for found in find_nested_levels(self._types, package, (TypeRef("named", root.type) for root in roots)):
                self.reader.report(found)
        if self.reader.errors or package.diagnostics:
            raise InputError([*package.diagnostics, *independent_errors(package, self.reader.errors)])
        self._find_rules()
        plans = {name: self._plan(name, node) for name, node in self._nodes.items() if name in self._with_rules}
        return Plan(self._package, plans, {root.name: root for root in roots})

    def own_rules(self, name: str) -> OwnRules:
        """Return the rules of one named type and of its fields; none where the type is not known.

        What is wrong with a tag is left to those who build the plan.
        """
        self._lists_only = True  # a field may use the keys of its named list type
        ref = TypeRef("named", name)
        if name not in self._nodes and name not in SPECIAL and self._types.find(name) is not None:
            self._discover_named(ref, "", None)
        node = self._nodes.get(name)
        if node is None:
            return OwnRules()
        self._resolve(node)
        if node.own.given.opaque_type and node.struct:
            return OwnRules(tuple(node.own.rules), closed=frozenset(member.name for member, _ in node.fields))
        closed = {member.name for member, one in node.fields if one.given.opaque_type or one.given.opaque_val}
        fields = tuple((member, tuple(element.rules)) for member, element in node.fields)
        return OwnRules(tuple(node.own.rules), fields, frozenset(closed))

    # Roots

    def root_types(self) -> list[Struct | Typedef]:
        """Return the declarations that the criteria select as roots, by name."""
        package = self._declarations.package(self._package)
        criteria = [*self._criteria] or _generator_values(package.comments)
        declared: dict[str, Struct | Typedef] = {**package.structs, **package.typedefs}
        if not criteria:
            has_meta = any(_has_field(s, "TypeMeta") for s in package.structs.values())
            criteria = ["TypesWithField=TypeMeta"] if has_meta else ["*"]
        return [declared[name] for name in sorted(declared) if self._is_root(declared[name], criteria)]

    def _check_criteria(self, package: Package) -> None:
        """Reject the root criteria of doc.go that upstream's generator rejects (semantics.md#1.6)."""
        lines = [line for line in tag_lines(package.comments) if line.name == "k8s:validation-gen"]
        values = [line.text.partition("=")[2].strip() for line in lines]
        if self._release.names_fields_bare and all(values):
            return  # before 1.37 any word names a field
        for line, value in zip(lines, values, strict=True):
            known = value in ("*", "false") or value.startswith(("TypesWithField=", "TypesWithSuffix="))
            if not known or ("false" in values and len(values) > 1):
                what = "contradicts another one with false" if known else f"has the unknown value {value!r}"
                why = "upstream's generator fails on it"
                fix = "one of: *, TypesWithField=<field>, TypesWithSuffix=<suffix>, or false alone"
                message = f"+k8s:validation-gen of the package {what}"
                self.reader.report(
                    Diagnostic(line.position, "tag-payload", message, why, fix, line.source, len(line.name) + 1)
                )

    def _is_root(self, declaration: Struct | Typedef, criteria: list[str]) -> bool:
        own = _generator_values((*declaration.second_comments, *declaration.comments))
        if declaration.name[:1].islower() or "false" in own:
            return False
        if "true" in own:
            return True
        if isinstance(declaration, Struct) and any(
            f.embedded and f.type.name == f"{META}.ListMeta" for f in declaration.fields
        ):
            return False
        return any(_matches_criterion(declaration, criterion) for criterion in criteria)

    def _root(self, package: Package, declaration: Struct | Typedef) -> Root:
        values: dict[str, list[str]] = {name: [] for name in SUBRESOURCE_TAGS}
        for line in tag_lines((*declaration.second_comments, *declaration.comments)):
            if line.name in values and self._release.bare_subresource_paths:
                values[line.name].append(line.text.partition("=")[2].strip())
            elif line.name in values:
                try:
                    tag = parse_line(line)
                except InputError as error:
                    for diagnostic in error.diagnostics:
                        self.reader.report(diagnostic)
                    continue
                values[line.name].append(tag.scalar.text if tag.scalar else "")
        own = values["k8s:isSubresource"]
        if len(own) > 1:
            self.reader.report(
                Diagnostic(
                    declaration.position,
                    "tag-misuse",
                    f"{declaration.name} has more than one +k8s:isSubresource",
                    fix="keep one; +k8s:supportsSubresource may be repeated",
                )
            )
        paths = frozenset([*values["k8s:supportsSubresource"], *(own or ["/"])])
        # Lists and maps are registered by value, all other types by pointer.
        native = self._types.native(TypeRef("named", declaration.qualified))
        star = "" if native.kind in ("list", "map") else "*"
        return Root(declaration.name, declaration.qualified, f"{star}{package.name}.{declaration.name}", paths)

    # First pass: reachable types and the rules of their tags

    def _discover(self, ref: TypeRef, where: str, holder: Position | None = None) -> None:
        ref = self._types.declared(ref)
        while ref.kind == "pointer" and ref.elem is not None:
            ref = self._types.declared(ref.elem)
        if ref.kind in ("list", "map") and ref.elem is not None:
            self._discover(ref.elem, where, holder)
            if ref.key is not None:
                self._discover(ref.key, where, holder)
        if self._lists_only and self._types.native(ref).kind != "list":
            return
        if ref.kind == "named" and ref.name not in SPECIAL and ref.name not in self._nodes:
            self._discover_named(ref, where, holder)

    def _discover_named(self, ref: TypeRef, where: str, holder: Position | None) -> None:
        declaration = self._types.find(ref.name)
        if declaration is None:
            self._report_hole(ref, where, holder)
            return
        context = self._context(Scope.TYPE, ref, ref.name)
        native = self._types.native(ref)
        struct = self._types.struct(ref) if native.kind == "named" else None
        node = _ReachableType(declaration, ref, _Element(context, Contribution()), struct)
        self._nodes[ref.name] = node
        self._check_support(native, ref.name, declaration.position, declared=True)
        for member in struct.fields if struct else ():
            if member.exported:
                node.fields.append((member, self._field(ref.name, struct, member)))
        if isinstance(declaration, Typedef) and native.kind in ("list", "map"):
            self._discover(native, ref.name, declaration.position)
        node.own.given = self.reader.contributions_of(context, declaration.comments)
        self._check_lists_in_map(node.own.given, native, ref.name, declaration.position)

    def _field(self, owner: str, struct: Struct | None, member: Field) -> _Element:
        name = member.name if self._release.names_fields_as_go else member.json_name or member.name
        path = f"{owner}.{name}"
        native = self._types.native(member.type)
        self._check_support(native, path, member.position, declared=False)
        context = self._context(Scope.FIELD, member.type, path, member, struct, owner)
        given = self.reader.contributions_of(context, member.comments)
        self._check_lists_in_map(given, native, path, member.position)
        self._discover_within(member, given, path)
        return _Element(context, given)

    def _discover_within(self, member: Field, given: Contribution, path: str) -> None:
        declared = self._types.declared(member.type)
        if declared.kind in ("list", "map"):
            if declared.elem is not None and not given.opaque_val:
                self._discover(declared.elem, path, member.position)
            if declared.key is not None and not given.opaque_key:
                self._discover(declared.key, path, member.position)
        elif not given.opaque_type:
            self._discover(declared, path, member.position)

    def _context(
        self,
        scope: Scope,
        ref: TypeRef,
        path: str,
        member: Field | None = None,
        parent: Struct | None = None,
        parent_path: str = "",
    ) -> TagContext:
        opaque = member is not None and is_opaque(member.comments)
        pointee = self._pointee(ref)
        opaque = opaque or (pointee.kind == "named" and self._is_opaque(pointee.name))
        return TagContext(
            scope, ref, path, self._types, self._store, self.reader.expand, self.reader.contributions_of,
            member, parent, parent_path, release=self._release, opaque=opaque, custom=self._custom,
        )  # fmt: skip

    def _is_opaque(self, name: str) -> bool:
        if name not in self._opaque:
            declaration = self._types.find(name)
            self._opaque[name] = declaration is not None and is_opaque(declaration.comments)
        return self._opaque[name]

    def _pointee(self, ref: TypeRef) -> TypeRef:
        ref = self._types.declared(ref)
        return self._types.declared(ref.elem) if ref.kind == "pointer" and ref.elem is not None else ref

    def _check_constants(self) -> None:
        for name, node in self._nodes.items():
            if self._types.native(node.type).kind == "builtin":
                for const in self._types.consts_of(name):
                    context = self._context(Scope.CONST, node.type, f"{const.package}.{const.name}")
                    self.reader.contributions_of(context, const.comments)

    # Second pass: the deferred work of tags

    def _resolve(self, node: _ReachableType) -> None:
        parents: list[Contribution] = []
        for member, element in node.fields:
            got = self._resolve_deferred(element.given)
            element.rules = got.rules
            if got.parent:
                parents.append(Contribution(deferred=got.parent))
            if got.rules or self._is_typedef(member.type):
                self._guard_against_nil(member, element)
        own = self._resolve_deferred(node.own.given)
        if not self._release.defers:
            groups = sorted((d for given in (*parents, own) for d in (*given.deferred, *given.parent)), key=_by_group)
            node.own.rules = [*own.rules, *self._resolve_deferred(Contribution(deferred=groups)).rules]
            return
        before = [rule for contribution in parents for rule in self._resolve_deferred(contribution).rules]
        after = self._resolve_deferred(Contribution(deferred=own.parent))
        node.own.rules = [*before, *own.rules, *after.rules]

    def _resolve_deferred(self, given: Contribution) -> Contribution:
        if not given.deferred:
            return Contribution([*given.rules], [], [*given.parent])
        later = self.reader.resolve(given.deferred)
        return replace(later, rules=[*given.rules, *later.rules], parent=[*given.parent, *later.parent])

    def _is_typedef(self, ref: TypeRef) -> bool:
        return self._types.declared(ref).kind == "named"

    def _guard_against_nil(self, member: Field, element: _Element) -> None:
        """Add the check that rejects nil items of a list of pointers as the first rule (semantics.md#3.1, #S23)."""
        native = self._types.native(member.type)
        if (
            self._release.has_pointer_items
            and native.kind == "list"
            and native.elem
            and self._types.is_pointer(native.elem)
        ):
            element.rules.insert(0, Rule(Check(no_nil_items), short_circuits=True))

    # Which types have rules

    def _find_rules(self) -> None:
        """Mark types with rules until nothing changes, so that cycles without any rule have none (semantics.md#2.5)."""
        changed = True
        while changed:
            before = len(self._with_rules)
            self._with_rules.update(
                name for name, node in self._nodes.items() if name not in self._with_rules and self._has_rules(node)
            )
            changed = len(self._with_rules) != before

    def _has_rules(self, node: _ReachableType) -> bool:
        if node.own.rules:
            return True
        if node.own.given.opaque_type:
            return False
        return bool(self._inner_of_typedef(node)) or any(any(self._of_field(m, e)) for m, e in node.fields)

    def _rules_of(self, ref: TypeRef | None) -> str:
        if ref is None:
            return ""
        name = self._pointee(ref).name
        return name if name in self._with_rules else ""

    def _inner_of_typedef(self, node: _ReachableType) -> Inner:
        native = self._types.native(node.type)
        bare = not node.own.rules and not self._release.iterates_bare_typedefs
        if native.kind not in ("list", "map") or bare:
            return Inner()
        return self._inner_of_items(native, node.own)

    def _inner_of_items(self, native: TypeRef, element: _Element) -> Inner:
        context, given = element.context, element.given
        which = identity(context, list_data(context)) if native.kind == "list" else None
        elem = "" if given.opaque_val else self._rules_of(native.elem)
        key = "" if given.opaque_key else self._rules_of(native.key)
        return Inner(elem=elem, key=key, identity=which)

    def _of_field(self, member: Field, element: _Element) -> tuple[list[Rule], Inner]:
        declared = self._types.declared(member.type)
        if declared.kind in ("list", "map"):
            inner = self._inner_of_items(declared, element)
        else:
            inner = Inner("" if element.given.opaque_type else self._rules_of(declared))
        rules = element.rules
        if len(rules) == 1 and rules[0].body == Check(no_nil_items) and not inner:
            rules = []  # the guard alone, on a typedef without rules
        return rules, inner

    def _field_plan(self, member: Field, element: _Element) -> FieldPlan | None:
        rules, inner = self._of_field(member, element)
        return FieldPlan(member, cohorts(rules, self._release.has_cohorts), inner) if rules or inner else None

    def _plan(self, name: str, node: _ReachableType) -> TypePlan:
        opaque = node.own.given.opaque_type
        fields = [] if opaque else [self._field_plan(m, e) for m, e in node.fields]
        return TypePlan(
            name,
            node.type,
            cohorts(node.own.rules, self._release.has_cohorts),
            Inner() if opaque and node.struct else self._inner_of_typedef(node),
            tuple(f for f in fields if f is not None),
            node.struct,
        )

    # Types that Go permits and rules do not

    def _check_support(self, native: TypeRef, where: str, position: Position, declared: bool) -> None:
        message = self._unsupported(native, declared)
        if message:
            self.reader.report(
                Diagnostic(position, "type-not-supported", f"{where}: {message}", why="upstream's generator refuses it")
            )

    def _check_lists_in_map(self, given: Contribution, native: TypeRef, where: str, position: Position) -> None:
        """Refuse rules on a map of unnamed lists (semantics.md#S20)."""
        opaque = given.opaque_type or given.opaque_key or given.opaque_val
        says_something = opaque or given.rules or given.deferred or given.parent
        if says_something and native.kind == "map" and native.elem and self._types.declared(native.elem).kind == "list":
            message = f"field {where}: validation for map of slices is not supported"
            why = "upstream's generator refuses it; give the list a named type of its own, without rules for its items"
            self.reader.report(Diagnostic(position, "type-not-supported", message, why))

    def _unsupported(self, native: TypeRef, declared: bool) -> str:
        elem = self._types.native(native.elem) if native.elem else None
        kind = elem.kind if elem else ""
        if native.kind == "pointer":
            if declared:
                return "typedefs to pointers are not supported"
            names = {"pointer": "pointers", "list": "lists", "array": "lists", "map": "maps"}
            return f"pointers to {names[kind]} are not supported" if kind in names else ""
        if native.kind == "array":
            return "fixed-size arrays are not supported"
        if native.kind == "list" and elem is not None:
            is_bytes = kind == "list" and elem.elem is not None and self._types.native(elem.elem).name == "uint8"
            if kind == "list" and not is_bytes:
                return "lists of lists are not supported"
            if kind == "pointer" and not self._release.has_pointer_items:
                return "lists of pointers are not supported"
            return "lists of maps are not supported" if kind == "map" else ""
        if native.kind == "map" and native.key is not None:
            if self._types.kind(native.key) != "string" or self._types.is_pointer(native.key):
                return "maps with non-string keys are not supported"
            names = {"pointer": "pointers", "map": "maps"}
            return f"maps of {names[kind]} are not supported" if kind in names else ""
        return f"kind {native.name or native.kind} is not supported" if native.kind in ("other", "struct") else ""

    def _report_hole(self, ref: TypeRef, where: str, holder: Position | None) -> None:
        package, _, name = ref.name.rpartition(".")
        if name == "Object" and package.endswith("apimachinery/pkg/runtime"):
            return  # an interface
        self.reader.report(
            Diagnostic(
                holder or Position(self._package),
                "type-not-found",
                f"{where}: type {ref.name} is in a package that was not given",
                why="its rules, if it has any, would be missed",
                fix=f"give the package {package}, or put +k8s:opaqueType on the field (under +k8s:eachVal for items)",
            )
        )


def _by_group(deferred: Deferred) -> str:
    return deferred.group


def _generator_values(comments: Comments) -> list[str]:
    return [line.text.partition("=")[2].strip() for line in tag_lines(comments) if line.name == "k8s:validation-gen"]


def _has_field(declaration: Struct | Typedef, name: str) -> bool:
    return isinstance(declaration, Struct) and any(f.name == name for f in declaration.fields)


def _matches_criterion(declaration: Struct | Typedef, criterion: str) -> bool:
    word, _, value = criterion.partition("=")
    if word == "TypesWithField":
        return _has_field(declaration, value)
    if word == "TypesWithSuffix":
        return declaration.name.endswith(value)
    # Before 1.37 a field is named without a word in front: +k8s:validation-gen=TypeMeta.
    return criterion == "*" or (not value and _has_field(declaration, word))
