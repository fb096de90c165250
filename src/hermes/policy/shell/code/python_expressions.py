"""Follow the expressions of Python code: names, calls, arithmetic on texts, indexes."""

from __future__ import annotations

import ast
from collections.abc import Callable

from hermes.policy.shell.code.python_calls import (
    ANYWHERE,
    CLOUD_VERBS,
    CLOUDS,
    METHODS,
    PATH_METHODS,
    RULES,
    STAR_MODULES,
)
from hermes.policy.shell.code.python_deeds import perform
from hermes.policy.shell.code.python_folding import folded, method_folded
from hermes.policy.shell.code.python_operators import Operators
from hermes.policy.shell.code.python_values import (
    NOBODY_KNOWS,
    Arguments,
    Function,
    Method,
    Opened,
    PathText,
    Ref,
    Taint,
    path_joined,
    taint_in,
    text_of,
)
from hermes.policy.shell.effects import UNKNOWN

_DATA = frozenset(("text", "content", "raw", "body", "data", "stdout"))
_ESCAPES = frozenset(("__subclasses__", "__globals__", "__code__", "__mro__", "__bases__"))


class Reader(Operators):
    """Give each expression its value, and tell the effects of the calls in it."""

    def body(self, statements: list[ast.stmt]) -> None:
        """Follow statements one after the other."""
        raise NotImplementedError

    def nested(self, code: str) -> None:
        """Follow code that the program runs by itself."""
        raise NotImplementedError

    def value(self, node: ast.expr) -> object:
        """Return the value of an expression."""
        self.steps += 1
        if self.is_exhausted:
            return NOBODY_KNOWS
        known = _EXPRESSIONS.get(type(node))
        if known is not None:
            return known(self, node)
        children = [
            self.value(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)
        ]
        return taint_in(children) or NOBODY_KNOWS

    def load(self, module: str, alias: str | None) -> None:
        """Bind the name that an import brings."""
        if alias:
            self.names[alias] = Ref(module)
        else:
            top = module.partition(".")[0]
            self.names[top] = Ref(top)

    def constant(self, node: ast.Constant) -> object:
        """Return a constant."""
        return node.value

    def name(self, node: ast.Name) -> object:
        """Return what a name stands for."""
        if node.id in self.names:
            return self.names[node.id]
        if node.id == "__file__":
            return f"./{UNKNOWN}"
        for module in self.stars:
            if module in STAR_MODULES and f"{module}.{node.id}" in RULES:
                return Ref(f"{module}.{node.id}")
        return Ref(node.id)

    def attribute(self, node: ast.Attribute) -> object:
        """Return an attribute of a value."""
        if isinstance(node.value, ast.Name) and f"{node.value.id}.{node.attr}" in self.names:
            return self.names[f"{node.value.id}.{node.attr}"]
        return self.attribute_of(self.value(node.value), node.attr)

    def attribute_of(self, owner: object, name: str) -> object:
        """Return an attribute of a value by its name."""
        if name in _ESCAPES:
            self.story.warn("opaque", "reaches for the internals of Python")
        if isinstance(owner, Ref):
            if owner.name in {"sys", "builtins", "__builtins__", "__builtin__"}:
                return {"executable": "python3", "argv": NOBODY_KNOWS}.get(
                    name, _builtin(owner, name)
                )
            return Ref(
                f"?.{name}" if owner.name.startswith("?") else f"{owner.name}.{name}", owner.host
            )
        if isinstance(owner, PathText):
            return _path_attribute(owner, name)
        if isinstance(owner, Opened) and name == "name":
            return owner.path
        if isinstance(owner, Taint) and name in _DATA:
            return Taint(owner.kind, owner.detail)
        return Method(owner, name)

    def call(self, node: ast.Call) -> object:
        """Tell the effects of a call and return its value."""
        function = self.value(node.func)
        given = self.arguments(node)
        if isinstance(function, Function):
            return self.call_function(function, given)
        if isinstance(function, Method):
            return self.call_method(function, given)
        if isinstance(function, Ref):
            return self.call_ref(function, given)
        return taint_in([function, *given.all()]) or NOBODY_KNOWS

    def arguments(self, node: ast.Call) -> Arguments:
        """Return what a call is given, spread lists included."""
        values: list[object] = []
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                inner = self.value(argument.value)
                values += inner[:100] if isinstance(inner, list | tuple) else [NOBODY_KNOWS]
            else:
                values.append(self.value(argument))
        named: dict[str, object] = {}
        for keyword in node.keywords:
            value = self.value(keyword.value)
            if keyword.arg is not None:
                named[keyword.arg] = value
            elif isinstance(value, dict):
                named |= {key: inner for key, inner in value.items() if isinstance(key, str)}
        return Arguments(values, named)

    def call_function(self, function: Function, given: Arguments | None) -> object:
        """Follow the body of a function of the program itself."""
        node = function.node
        self.called.add(node)
        if self.depth >= 6:
            return NOBODY_KNOWS
        outer, outer_returned, endless = self.names, self.returned, self.story.endless
        self.names, self.returned = dict(outer), []
        self.depth += 1
        values = given.values if given else []
        named = given.named if given else {}
        for at, parameter in enumerate((*node.args.posonlyargs, *node.args.args)):
            known = values[at] if at < len(values) else named.get(parameter.arg, NOBODY_KNOWS)
            self.names[parameter.arg] = known
        if isinstance(node, ast.Lambda):
            self.returned.append(self.value(node.body))
        else:
            self.story.endless += _calls_itself(node)
            self.body(node.body)
        result = self.returned
        self.depth -= 1
        self.names, self.returned, self.story.endless = outer, outer_returned, endless
        return result[0] if len(result) == 1 else taint_in(result) or NOBODY_KNOWS

    def call_ref(self, function: Ref, given: Arguments) -> object:
        """Tell what a function of a library does."""
        name = function.name.removesuffix(".__call__")
        special = _SPECIAL.get(name)
        if special is not None:
            return special(self, given)
        pure = folded(name, given)
        if pure is not None:
            return pure
        rule = RULES.get(name)
        if rule is None and not name.startswith("memory"):
            last = name.rpartition(".")[2]
            is_unknown = name.startswith("?.") or "()." in name
            rule = METHODS.get(last) if is_unknown or last in ANYWHERE else None
        if rule is not None:
            return perform(rule, self.story, name, given)
        return self.unlisted(function, given)

    def unlisted(self, function: Ref, given: Arguments) -> object:
        """Judge a function that has no rule by its name."""
        name = function.name
        last = name.rpartition(".")[2]
        target, rest = given.named.get("target"), given.named.get("args")
        if isinstance(target, Ref) and isinstance(rest, list | tuple):
            return self.call_ref(target, Arguments(list(rest)))
        if name == "os.environ.items" or name == "os.environ.values":
            return Taint("environment")
        if name.startswith(CLOUDS) and last.startswith(CLOUD_VERBS):
            self.story.warn("infrastructure", f"calls {last} of a cloud service")
        elif name.endswith(".objects.all().delete"):
            self.story.warn("database", f"deletes every {name.split('.')[-4]} in the database")
        elif name.startswith("psutil.") and last in {"kill", "terminate"}:
            self.story.warn("process", "ends processes that it did not start")
        elif name.endswith("?getattr"):
            self.story.warn("opaque", "calls a function whose name is only known when it runs")
        elif last == "text" and given.values:
            return Ref("text()", text_of(given.get(0)))
        host = next((text_of(value) for value in given.values[:1] if isinstance(value, str)), "")
        fresh = (
            NOBODY_KNOWS if name.startswith("?") else Ref(f"{name}()"[-300:], function.host or host)
        )
        return taint_in(given.all()) or fresh

    def call_method(self, method: Method, given: Arguments) -> object:
        """Tell what a method of a known value does."""
        owner, name = method.owner, method.name
        if isinstance(owner, PathText):
            return self.path_method(owner, name, given)
        if isinstance(owner, Opened):
            taint = taint_in(given.values)
            if name in {"extract", "extractall"}:
                self.story.add("write", text_of(given.get(0, "path") or "."))
            if name in {"write", "writelines"} and taint and taint.kind == "fetched":
                self.story.fetched_paths.add(owner.path)
            return Taint("file", owner.path) if name.startswith("read") else NOBODY_KNOWS
        if isinstance(owner, Taint):
            if name in {"raise_for_status", "close", "keys"}:
                return NOBODY_KNOWS
            return Taint(
                owner.kind, owner.detail, owner.text if name in {"strip", "encode"} else UNKNOWN
            )
        return method_folded(owner, name, given)

    def path_method(self, path: PathText, name: str, given: Arguments) -> object:
        """Tell what a method of a pathlib path does."""
        if name in PATH_METHODS:
            kind = PATH_METHODS[name]
            self.story.add(kind, path.text)  # type: ignore[arg-type]  # the table holds kinds alone
            taint = taint_in(given.all())
            if kind == "write" and taint and taint.kind == "fetched":
                self.story.fetched_paths.add(path.text)
            return Taint("file", path.text) if kind == "read" else NOBODY_KNOWS
        if name == "open":
            return perform(
                "open:0:file",
                self.story,
                "open",
                Arguments([path.text, *given.values], given.named),
            )
        if name in {"rename", "replace"}:
            self.story.add("write", path.text)
            self.story.add("write", text_of(given.get(0, "target")))
            return NOBODY_KNOWS
        return _path_made(path, name, given)

    def function(self, node: ast.Lambda) -> object:
        """Return a lambda as a function."""
        return Function(node)

    def execute(self, given: Arguments) -> object:
        """Follow what exec and eval run."""
        code = given.get(0)
        taint = taint_in([code])
        if taint and taint.kind == "fetched":
            self.story.warn("network-exec", "runs code that it fetched from the network")
        elif taint and taint.kind == "file":
            self.story.add("script", taint.detail)
        elif isinstance(code, str | bytes) and UNKNOWN not in text_of(code):
            self.nested(text_of(code))
        else:
            self.story.warn("opaque", "runs code that is only known when it runs")
        return NOBODY_KNOWS

    def loaded(self, given: Arguments) -> object:
        """Return the module that an import by name gives."""
        name = given.get(0, "name")
        return Ref(name) if isinstance(name, str) and UNKNOWN not in name else Ref("?getattr")

    def looked_up(self, given: Arguments) -> object:
        """Return what getattr gives."""
        owner, name = given.get(0), given.get(1)
        if isinstance(name, str) and UNKNOWN not in name:
            return self.attribute_of(owner, name)
        is_module = isinstance(owner, Ref) and owner.name in {
            "os",
            "subprocess",
            "builtins",
            "__builtins__",
            "shutil",
        }
        return Ref("?getattr") if is_module else NOBODY_KNOWS

    def mapped(self, given: Arguments) -> object:
        """Return what map gives, item by item when the items are known."""
        function, source = given.get(0), given.get(1)
        items = (
            list(source[:2000])
            if isinstance(source, list | tuple | str | bytes)
            else [NOBODY_KNOWS]
        )
        results: list[object] = []
        for item in items:
            self.steps += 1
            if isinstance(function, Ref):
                results.append(self.call_ref(function, Arguments([item])))
            elif isinstance(function, Function):
                results.append(self.call_function(function, Arguments([item])))
            else:
                results.append(NOBODY_KNOWS)
        return (
            results
            if isinstance(source, list | tuple | str | bytes)
            else taint_in([source]) or NOBODY_KNOWS
        )


def _builtin(owner: Ref, name: str) -> object:
    return Ref(f"sys.{name}") if owner.name == "sys" else Ref(name)


def _path_attribute(path: PathText, name: str) -> object:
    head, _, tail = path.text.rpartition("/")
    if name == "parent":
        return PathText(head or ("/" if path.text.startswith("/") else "."))
    if name == "name":
        return tail
    if name in {"stem", "suffix", "parts", "parents"}:
        return NOBODY_KNOWS if name == "parents" else UNKNOWN
    if name == "path":
        return path.text
    return Method(path, name)


def _path_made(path: PathText, name: str, given: Arguments) -> object:
    """Return what a method of a path gives that only computes."""
    head, slash, tail = path.text.rpartition("/")
    first = text_of(given.get(0))
    match name:
        case "glob" | "rglob":
            middle = "**/" if name == "rglob" else ""
            return [PathText(path_joined([path.text, middle + first]))]
        case "iterdir":
            return [PathText(path_joined([path.text, UNKNOWN]))]
        case "joinpath":
            return PathText(path_joined([path.text, *given.values]))
        case "with_name":
            return PathText(f"{head}{slash}{first}")
        case "with_suffix":
            return PathText(f"{head}{slash}{tail.rpartition('.')[0] or tail}{first}")
        case "resolve" | "absolute" | "expanduser":
            return path
        case "as_posix":
            return path.text
        case _:
            return NOBODY_KNOWS


def _calls_itself(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(
        isinstance(inner, ast.Call)
        and isinstance(inner.func, ast.Name)
        and inner.func.id == node.name
        for inner in ast.walk(node)
    )


_EXPRESSIONS: dict[type[ast.AST], Callable[..., object]] = {
    ast.Constant: Reader.constant,
    ast.Name: Reader.name,
    ast.Attribute: Reader.attribute,
    ast.Call: Reader.call,
    ast.BinOp: Reader.binary,
    ast.JoinedStr: Reader.formatted,
    ast.List: Reader.sequence,
    ast.Tuple: Reader.sequence,
    ast.Set: Reader.sequence,
    ast.Dict: Reader.mapping,
    ast.Subscript: Reader.subscript,
    ast.ListComp: Reader.comprehension,
    ast.SetComp: Reader.comprehension,
    ast.GeneratorExp: Reader.comprehension,
    ast.DictComp: Reader.comprehension,
    ast.Compare: Reader.compare,
    ast.UnaryOp: Reader.compare,
    ast.IfExp: Reader.choice,
    ast.BoolOp: Reader.choice,
    ast.NamedExpr: Reader.walrus,
    ast.Await: Reader.awaited,
    ast.Starred: Reader.awaited,
    ast.FormattedValue: Reader.awaited,
    ast.Lambda: Reader.function,
}


_SPECIAL: dict[str, Callable[[Reader, Arguments], object]] = {
    "exec": Reader.execute,
    "eval": Reader.execute,
    "compile": lambda _, given: given.get(0),
    "__import__": Reader.loaded,
    "importlib.import_module": Reader.loaded,
    "getattr": Reader.looked_up,
    "map": Reader.mapped,
}
