"""Reads a Python file of a suite: the conditions above its lines, and what its calls add to a path.

The code is not interpreted. What a condition reads are the names of members in it, as texts and as attributes, and
those in what its local variables are assigned. A file that is no Python has nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias

from harness.sourcecode import CodeBranch, ErrorCall, GivenStep, Guard, shortened

_ERRORS = re.compile(
    r"^(?:invalid|required|forbidden|duplicate|not_supported|not_found|too_long\w*|too_many|too_few|too_short"
    r"|type_invalid|internal\w*|FieldError)$"
)
"""What makes errors: the functions of `harness.field.make`, and the error itself."""
_STEPS = ("child", "index", "key")
_NEW_PATH = "Path"
_MOST_LOCALS = 12
_LEAVES = (ast.Return, ast.Continue, ast.Raise, ast.Break)

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


class PythonUse(NamedTuple):
    """A use of a function: the function around it, its line and offset, and the members of a path that it is given."""

    function: str
    line: int
    offset: int
    members: tuple[str, ...]


class PythonSource:
    """One Python file. Lines count from 1, offsets are bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._starts = [0, *(found.end() for found in re.finditer(rb"\n", data))]
        self._parents: dict[ast.AST, ast.AST] = {}
        self._nodes: list[ast.AST] = []
        try:
            tree = ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            tree = ast.Module([], [])
        waiting: list[ast.AST] = [tree]
        while waiting:
            node = waiting.pop()
            self._nodes.append(node)
            for child in ast.iter_child_nodes(node):
                self._parents[child] = node
                waiting.append(child)

    # Places

    def offset_of(self, line: int) -> int | None:
        """Return where the code of a line begins; None where there is none."""
        if not 0 < line <= len(self._starts):
            return None
        begin = self._starts[line - 1]
        text = self.data[begin : self._starts[line] if line < len(self._starts) else None].removesuffix(b"\n")
        return begin + len(text) - len(text.lstrip())

    def _span(self, node: ast.AST) -> tuple[int, int]:
        if not isinstance(node, ast.expr | ast.stmt | ast.pattern | ast.match_case | ast.ExceptHandler):
            return 0, 0
        if isinstance(node, ast.match_case):
            return self._span(node.pattern)[0], self._span(node.body[-1])[1]
        end_line, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[end_line - 1] + end

    def _text(self, node: ast.AST) -> str:
        """Return a node as it is written."""
        start, end = self._span(node)
        return self.data[start:end].decode("utf-8", "replace")

    def _innermost(self, offset: int) -> ast.AST | None:
        """Return the smallest node around an offset."""
        around = [node for node in self._nodes if (span := self._span(node))[0] <= offset < span[1]]
        return min(around, key=lambda node: self._span(node)[1] - self._span(node)[0], default=None)

    def _function_around(self, node: ast.AST | None) -> _Function | None:
        while node is not None and not isinstance(node, _FUNCTIONS):
            node = self._parents.get(node)
        return node

    def function_at(self, offset: int) -> str:
        """Return the name of the function around an offset, empty outside one."""
        found = self._function_around(self._innermost(offset))
        return "" if found is None else found.name

    @cached_property
    def _functions(self) -> list[_Function]:
        return [node for node in self._nodes if isinstance(node, _FUNCTIONS)]

    def function_line(self, name: str) -> int | None:
        """Return the line that declares a function; None if the file does not."""
        return next((node.lineno for node in self._functions if node.name == name), None)

    # Calls

    def uses(self, name: str) -> Iterator[PythonUse]:
        """Yield the uses of a function with a name in other functions, called or handed on."""
        for node in self._nodes:
            if _name_of(node) != name or not isinstance(node, ast.Name | ast.Attribute):
                continue
            function = self._function_around(node)
            if function is None or not isinstance(node.ctx, ast.Load):
                continue
            call = self._parents.get(node)
            is_call = isinstance(call, ast.Call) and call.func is node
            steps = self._steps_given(call) if is_call and isinstance(call, ast.Call) else ()
            yield PythonUse(function.name, node.lineno, self._span(node)[0], tuple(one.name for one in steps))

    def _calls_on(self, line: int) -> list[ast.Call]:
        """Return the calls that begin on a line, or whose function is named on it, the outermost first."""
        calls = [node for node in self._nodes if isinstance(node, ast.Call)]
        found = [one for one in calls if line in (one.lineno, one.func.end_lineno)]
        return sorted(found, key=lambda one: (self._span(one)[0], -self._span(one)[1]))

    @cached_property
    def error_calls(self) -> Sequence[ErrorCall]:
        """The calls of constructors of field errors, in order."""
        calls = [node for node in self._nodes if isinstance(node, ast.Call) and _ERRORS.match(_name_of(node.func))]
        found = []
        for one in sorted(calls, key=lambda call: self._span(call)[0]):
            field = ".".join(step.name for step in self._steps_given(one))
            path = self._text(one.args[0]) if one.args else ""
            found.append(ErrorCall(self._span(one)[0], _name_of(one.func), field, path, one.lineno))
        return tuple(found)

    def steps_at(self, line: int, callee: str = "") -> tuple[GivenStep, ...]:
        """Return what a path is given by the call of a function on a line; without a name by one that makes an error.

        Where the function has another name on the line, it is the first call that gives something.
        """
        known = self._calls_on(line)
        own = [one for one in known if (_name_of(one.func) == callee if callee else _ERRORS.match(_name_of(one.func)))]
        return next(filter(None, map(self._steps_given, own or known)), ())

    def _steps_given(self, call: ast.Call) -> tuple[GivenStep, ...]:
        """Return the members in the path that a call is given; of several paths none is sure."""
        given = [*call.args, *(one.value for one in call.keywords)]
        steps = [self._steps_of(one) for one in given]
        known = [one for one in steps if one is not None]
        return known[0] if len(known) == 1 else ()

    def _steps_of(self, value: ast.expr, most: int = 4) -> tuple[GivenStep, ...] | None:
        """Return the members that a path is made of, those of the local variable that it begins with first; None for
        what is no path.
        """
        steps: list[GivenStep] = []
        while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _STEPS:
            names = [one for one in value.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            if value.func.attr == "child":
                steps[:0] = [GivenStep(str(one.value), one.lineno) for one in names]
            value, most = value.func.value, most - 1 if steps else most
        if isinstance(value, ast.Call) and _name_of(value.func) == _NEW_PATH:
            return tuple(steps)
        if isinstance(value, ast.Name) and most:
            before = self._assigned_path(value)
            known = self._steps_of(before, most - 1) if before is not None else () if value.id == "path" else None
            return tuple(steps) or None if known is None else (*known, *steps)
        return tuple(steps) or None

    def _assigned_path(self, name: ast.Name) -> ast.expr | None:
        """Return the path that a local variable is assigned before it is used, the last one; None for a parameter."""
        found = [
            value
            for one in self._below(self._function_around(name), ast.Assign)
            for target, value in _assignments(one)
            if target == name.id and self._span(one)[1] <= self._span(name)[0]
        ]
        last = max(found, key=lambda value: self._span(value)[0], default=None)
        return last if isinstance(last, ast.Call) else None

    def lines_giving(self, step: GivenStep) -> list[int]:
        """Return the lines of a function that add a member to the same path as a step does, that of the step first."""
        texts = [one for one in self._nodes if isinstance(one, ast.Constant) and one.value == step.name]
        text = next((one for one in texts if one.lineno == step.line), None)
        call = None if text is None else self._parents.get(text)
        if not isinstance(call, ast.Call):
            return [step.line]
        others = self._below(self._function_around(call), ast.Call)
        same = [one.lineno for one in others if isinstance(one, ast.Call) and ast.dump(one) == ast.dump(call)]
        return list(dict.fromkeys([step.line, *sorted(same)]))

    def key_at(self, line: int) -> int:
        """Return the line that adds a key to a path that is handed on at a line; 0 if none is."""
        keys = (one for call in self._calls_on(line) for one in ast.walk(call) if isinstance(one, ast.Call))
        return next((one.lineno for one in keys if isinstance(one.func, ast.Attribute) and one.func.attr == "key"), 0)

    def argument(self, line: int, callee: str, function_line: int, parameter: str) -> str:
        """Return what a call on a line hands over as a parameter of a function, which is declared in this file; empty
        if the sources do not show it.
        """
        call = next((one for one in self._calls_on(line) if _name_of(one.func) == callee), None)
        declared = next((one for one in self._functions if one.lineno == function_line), None)
        if call is None or declared is None:
            return ""
        names = [one.arg for one in (*declared.args.posonlyargs, *declared.args.args)]
        is_method = isinstance(call.func, ast.Attribute) and names[:1] in (["self"], ["cls"])
        given = dict(zip(names[1 if is_method else 0 :], call.args, strict=False))
        given |= {one.arg: one.value for one in call.keywords if one.arg is not None}
        return self._text(given[parameter]) if parameter in given else ""

    def made_by(self, offset: int, variable: str) -> tuple[str, int]:
        """Return the function whose result a variable has, of the function around an offset, and the line of that."""
        for one in self._below(self._function_around(self._innermost(offset)), ast.Assign):
            for target, value in _assignments(one):
                if target == variable and isinstance(value, ast.Call):
                    return self._text(value.func), value.lineno
        return "", 0

    def _below(self, node: ast.AST | None, kind: type[ast.AST]) -> list[ast.AST]:
        found = [one for one in ast.walk(node) if isinstance(one, kind)] if node is not None else []
        return sorted(found, key=lambda one: self._span(one)[0])

    # Conditions

    def branches(self, offset: int) -> list[CodeBranch]:
        """Return the branches above an offset, the innermost first."""
        node = self._innermost(offset)
        function = self._function_around(node)
        found: list[CodeBranch] = []
        while node is not None and node is not function and function is not None:
            parent = self._parents[node]
            if isinstance(node, ast.stmt):
                found += self._leaves_before(node, parent, function)
            if isinstance(parent, ast.If | ast.IfExp):
                self._add_if(found, node, parent, function)
            elif isinstance(parent, ast.Match) and isinstance(node, ast.match_case):
                text = f"case {self._text(node.pattern)} of match {self._text(parent.subject)}"
                found.append(self._branch(node.pattern.lineno, text, [parent.subject], parent, [node], function))
            elif isinstance(parent, _COMPREHENSIONS) and not isinstance(node, ast.comprehension):
                tests = [test for one in parent.generators for test in one.ifs]
                text = f"if {' and '.join(self._text(test) for test in tests)}"
                if tests:
                    found.append(self._branch(tests[0].lineno, text, tests, parent, [node], function))
            node = parent
        return found

    def guard_of(self, offset: int) -> Guard | None:
        """Return the condition or the loop right above an offset; None if there is none in its function."""
        node = self._innermost(offset)
        function = self._function_around(node)
        above = next((one for one in self.branches(offset) if not one.returns), None)
        while node is not None and node is not function and function is not None:
            parent = self._parents[node]
            if isinstance(parent, _LOOPS) and node in parent.body:
                if above is not None and above.start > self._span(parent)[0]:
                    break
                head = f"while {self._text(parent.test)}" if isinstance(parent, ast.While) else (
                    f"for {self._text(parent.target)} in {self._text(parent.iter)}"
                )  # fmt: skip
                return Guard(parent.lineno, shortened(head))
            node = parent
        return None if above is None else Guard(above.line, above.text)

    def rounds_of(self, line: int) -> str:
        """Return the loop over written values around the call that makes an error on a line; empty without one."""
        calls = [one for one in self._calls_on(line) if _ERRORS.match(_name_of(one.func))]
        node: ast.AST | None = next(iter(calls), None)  # a loop may begin and end on the line
        while node is not None and not isinstance(node, _FUNCTIONS):
            loops: list[ast.For | ast.AsyncFor | ast.comprehension] = []
            if isinstance(node, ast.For | ast.AsyncFor):
                loops = [node]
            elif isinstance(node, _COMPREHENSIONS):
                loops = [*node.generators]
            for one in loops:
                if isinstance(one.iter, ast.Tuple | ast.List) and len(one.iter.elts) > 1:
                    return shortened(f"for {self._text(one.target)} in {self._text(one.iter)}")
            node = self._parents.get(node)
        return ""

    def _add_if(
        self, found: list[CodeBranch], child: ast.AST, statement: ast.If | ast.IfExp, function: _Function
    ) -> None:
        body = statement.body if isinstance(statement.body, list) else [statement.body]
        other = statement.orelse if isinstance(statement.orelse, list) else [statement.orelse]
        test = statement.test
        if child in body:
            text = f"if {self._text(test)}"
            found.append(self._branch(statement.lineno, text, [test], statement, body, function))
        elif child in other and isinstance(child, ast.If) and found and found[-1].start == self._span(child)[0]:
            names, variables = self._reads([test], function)
            start, end = self._span(statement)
            inner = found[-1]
            text = f"else {inner.text.removeprefix('else ')}"
            found[-1] = inner._replace(
                start=start, end=end, text=text, names=inner.names | names, variables=inner.variables | variables
            )
        elif child in other:
            text = f"else of if {self._text(test)}"
            found.append(self._branch(other[0].lineno, text, [test], statement, other, function))

    def _branch(
        self,
        line: int,
        text: str,
        conditions: Sequence[ast.AST],
        statement: ast.AST,
        own: Sequence[ast.AST],
        function: _Function,
    ) -> CodeBranch:
        names, variables = self._reads(conditions, function)
        start, end = self._span(statement)
        inside = self._span(own[0])[0], self._span(own[-1])[1]
        return CodeBranch(line, shortened(text), names, variables, start, end, inside)

    def _leaves_before(self, node: ast.stmt, parent: ast.AST, function: _Function) -> Iterator[CodeBranch]:
        """Yield the `if` statements before a statement that leave the function or the loop, the nearest first."""
        rows = [getattr(parent, name, None) for name in ("body", "orelse", "finalbody")]
        row = next((one for one in rows if isinstance(one, list) and node in one), [])
        for one in reversed(row[: row.index(node)] if node in row else []):
            if isinstance(one, ast.If) and isinstance(one.body[-1], _LEAVES):
                found = self._branch(one.lineno, f"if {self._text(one.test)}", [one.test], one, one.body, function)
                yield found._replace(returns=True, leaves_at=one.body[-1].lineno)

    def _reads(self, conditions: Sequence[ast.AST], function: _Function) -> tuple[frozenset[str], frozenset[str]]:
        """Return the members that conditions read and their other names, those of local variables followed."""
        members, variables, waiting = set[str](), set[str](), list(conditions)
        while waiting:
            for one in ast.walk(waiting.pop()):
                if isinstance(one, ast.Constant) and isinstance(one.value, str):
                    members.add(one.value)
                elif isinstance(one, ast.Attribute):
                    members.add(one.attr)
                elif isinstance(one, ast.Name) and one.id not in variables:
                    variables.add(one.id)
                    if len(variables) < _MOST_LOCALS:
                        waiting += self._assigned(one.id, function)
        return frozenset(members), frozenset(variables)

    def _assigned(self, name: str, function: _Function) -> list[ast.AST]:
        """Return what a local variable is assigned; nothing of one that collects, which all of the function decides."""
        found: list[ast.AST] = []
        for one in ast.walk(function):
            if isinstance(one, ast.AugAssign) and _name_of(one.target) == name:
                return []
            found += [value for target, value in _assignments(one) if target == name]
            if isinstance(one, ast.NamedExpr) and one.target.id == name:
                found.append(one.value)
        return found


def _assignments(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the variables that a statement assigns, with their values, those of `a, b = 1, 2` one by one."""
    if not isinstance(node, ast.Assign):
        return
    for target in node.targets:
        value = node.value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            yield from ((_name_of(one), other) for one, other in zip(target.elts, value.elts, strict=False))
        else:
            yield _name_of(target), value


def _name_of(node: ast.AST) -> str:
    """Return the name of a variable, or the last one of what is selected; empty for anything else."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
