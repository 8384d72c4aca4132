"""Whether calls may change what the modules of an extension keep in memory, so that ending its process would be
noticed: `global`, changes of module-level objects and collections in functions, also by functions that change a
parameter or return a variable, and the same in closures and instances that are created while the modules are imported.
Functions and classes of other files are found by their names.

State that static analysis does not find (in packages, behind aliases) is lost with the process, and harmless changes,
such as a cache, keep it. Authors decide with `KEEP_ALIVE`.
"""

import ast
from typing import Any, Dict, FrozenSet, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

#: Reading larger sources would delay the load.
READ_MOST = 524_288
ALIASES_MOST = 6
#: Expressions that are read to find the variables behind one.
STEPS_MOST = 24
MUTATORS = set(
    "append appendleft extend extendleft insert remove pop popleft popitem clear update add discard setdefault sort reverse rotate "
    "put put_nowait difference_update intersection_update symmetric_difference_update __setitem__ __delitem__ "
    "__setattr__ __delattr__ __iadd__ __iand__ __ior__ __isub__ __ixor__ subtract move_to_end fromlist frombytes byteswap".split()
)
#: Methods that return a part of a collection, not a copy.
PARTS = {"get", "setdefault", "pop", "popleft", "values", "items"}
MAKING = {"__init__", "__new__", "__post_init__", "__set_name__", "__init_subclass__"}
#: Functions that change an argument, with its index.
ARGUMENT_MUTATORS = {
    **dict.fromkeys("next setattr delattr heappush heappop heappushpop heapreplace heapify".split(), 0),
    **dict.fromkeys("insort insort_left insort_right shuffle setitem delitem".split(), 0),
    **dict.fromkeys("iadd iand iconcat imul ior isub ixor".split(), 0),
    "pack_into": 1,
}
#: Their methods may be called with an object: `list.append(items, 1)`.
TYPES = set("object list dict set bytearray deque defaultdict Counter OrderedDict".split())
#: Functions that return an argument or its elements.
PASSING = {"enumerate", "reversed", "iter", "zip", "next", "getattr"}
#: Functions that return a new collection of the same elements.
COPYING = {"list", "tuple", "set", "sorted", "filter"}
DISPLAYS = (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
MUTABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.Call)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def has_module_state(sources: Iterable[Union[str, bytes]]) -> bool:
    texts = list(sources)
    if sum(len(text) for text in texts) > READ_MOST:
        return True
    reading = Reading()
    try:
        for text in texts:
            if (b":memory:" if isinstance(text, bytes) else ":memory:") in text:
                return True
            try:
                tree = ast.parse(text)
            except (SyntaxError, ValueError):  # The import reports it, or nothing imports the file.
                continue
            reading.add(tree)
        return reading.found()
    except RecursionError:
        return True


class Body:
    """The module, a function or a class."""

    def __init__(self, parent: Optional["Body"]) -> None:
        self.parent = parent
        self.module: Body = self if parent is None else parent.module
        self.names: Set[str] = set()
        #: Imported names, by the name that is used here.
        self.imported: Dict[str, str] = {}
        #: Those of `from .x import y`.
        self.relative: Set[str] = set()
        self.has_star = False
        self.outer: Set[str] = set()  # `global` and `nonlocal`
        self.aliases: Dict[str, List[ast.expr]] = {}
        #: Variables that have another object after a position.
        self.replaced: Dict[str, List[ast.expr]] = {}
        self.made: Dict[str, "Body"] = {}
        self.calls: List[Union["Body", "Call"]] = []
        self.callers: List["Call"] = []
        self.returned: List[ast.expr] = []
        self.parameters: List[str] = []
        self.rest: Set[str] = set()
        self.defaults: Dict[str, ast.expr] = {}
        self.changed: Set[str] = set()
        #: Of a class.
        self.methods: Dict[str, "Body"] = {}
        self.bases: List[ast.expr] = []
        #: Of a method: its class, its first parameter, and what changes with the object that it refers to.
        self.of: Optional["Body"] = None
        self.first: Optional[str] = None
        self.instance: Optional["Body"] = None
        #: Its variables, or instances of it, are changed by functions that outlive its call.
        self.is_maker = False


class Call(NamedTuple):
    function: ast.expr
    args: List[ast.expr]
    keywords: List[ast.keyword]
    body: Body

    def given(self, made: Body, name: str) -> List[ast.expr]:
        """The arguments for a parameter."""
        named = [one.value for one in self.keywords if one.arg in (name, None)]
        if name in made.rest:
            return [*self.args, *(one.value for one in self.keywords)]
        starred = [one for one in self.args if isinstance(one, ast.Starred)]
        index = made.parameters.index(name)
        return [*named, *(starred or self.args[index : index + 1])]


Budget = List[int]
Root = Tuple[Optional[Body], str]


class Reading:
    """Of all modules of an extension. Changes are judged after all are read."""

    def __init__(self) -> None:
        self._modules: List[Body] = []
        self._made: Dict[str, List[Body]] = {}
        self._names: Set[str] = set()
        self._calls: List[Call] = []
        self._changes: List[Tuple[ast.expr, Body, bool]] = []

    def add(self, tree: ast.Module) -> None:
        module = Body(None)
        self._modules.append(module)
        declare(module, tree.body)
        for node in tree.body:
            self._visit(node, module)
        for name, made in module.made.items():
            self._made.setdefault(name, []).append(made)
        self._names.update(module.names.difference(module.imported))

    def found(self) -> bool:
        for call in self._calls:
            made = self._behind(call.function, call.body)
            for one in made:
                one.methods.get("__init__", one).callers.append(call)
            self._judge(call, not made)
        for change in self._changes:  # Changes of arguments are added to the list.
            self._apply(*change)
        reached = list(self._modules)
        known = {id(body) for body in reached}
        for body in reached:
            for called in body.calls:
                for made in self._behind(called.function, body) if isinstance(called, Call) else [called]:
                    if id(made) not in known:
                        known.add(id(made))
                        reached.append(made)
        return any(body.is_maker for body in reached)

    def _behind(self, node: ast.expr, body: Body, left: int = ALIASES_MOST) -> List[Body]:
        """Functions and classes of the extension."""
        if left == 0:
            return []
        if isinstance(node, ast.Name):
            return self._named(node.id, body, left)
        if not isinstance(node, ast.Attribute):
            return []
        root = inner_of(node)
        owner = self._owner(body, root.id) if isinstance(root, ast.Name) else None
        if owner is not None and isinstance(root, ast.Name) and root.id in owner.imported and not self._named(root.id, body, left):
            return self._made.get(node.attr, [])
        return [found for of in self._classes(node.value, body, left - 1) for found in self._methods(of, node.attr, left - 1)]

    def _named(self, name: str, body: Body, left: int) -> List[Body]:
        at: Optional[Body] = body
        while at is not None:
            if name in at.made:
                return [at.made[name]]
            if name in at.imported:
                return self._made.get(at.imported[name], [])
            if at.first == name and at.of is not None and at.instance is not at.of:
                return [at.of]  # `cls` of a class method.
            if name in at.names and name not in at.outer:
                return [made for alias in at.aliases.get(name, [])[:1] for made in self._behind(alias, at, left - 1)]
            at = at.parent
        return self._made.get(name, []) if body.module.has_star else []

    def _classes(self, node: ast.expr, body: Body, left: int) -> List[Body]:
        """The classes of a class or instance."""
        if left <= 0:
            return []
        if isinstance(node, ast.Call):
            return self._behind(node.func, body, left)
        if not isinstance(node, ast.Name):
            return []
        owner = self._owner(body, node.id)
        if owner is not None and owner.of is not None and owner.first == node.id:
            return [owner.of]
        alias = owner.aliases.get(node.id, [])[:1] if owner is not None else []
        return self._behind(node, body, left) or [made for one in alias if owner is not None for made in self._classes(one, owner, left - 1)]

    def _methods(self, of: Body, name: str, left: int) -> List[Body]:
        if name in of.methods:
            return [of.methods[name]]
        bases = [made for base in of.bases for made in self._behind(base, of, left)] if left > 0 else []
        return [found for base in bases for found in self._methods(base, name, left - 1)]

    def _owner(self, body: Body, name: str) -> Optional[Body]:
        at: Optional[Body] = body
        while at is not None:
            if name in at.names and name not in at.outer:
                return at
            at = at.parent
        return body.module if name in body.outer or (body.module.has_star and name in self._names) else None

    def _roots(self, node: ast.expr, body: Body, budget: Budget, known: FrozenSet[Root] = frozenset()) -> List[Root]:
        """The variables behind an expression, through fields, aliases and functions that return them."""
        budget[0] -= 1
        if budget[0] < 0:
            return []
        inner: List[ast.expr] = []
        if isinstance(node, ast.Name):
            return self._roots_of_name(node, body, budget, known)
        if isinstance(node, ast.Attribute) and node.attr == "__class__":
            return self._roots_of_class(node.value, body)
        if isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred, ast.Await, ast.NamedExpr)):
            inner = [node.value]
        elif isinstance(node, ast.BoolOp):
            inner = node.values
        elif isinstance(node, ast.IfExp):
            inner = [node.body, node.orelse]
        elif isinstance(node, ast.Call):
            return self._roots_of_call(node, body, budget, known)
        return [root for one in inner for root in self._roots(one, body, budget, known)]

    def _roots_of_name(self, node: ast.Name, body: Body, budget: Budget, known: FrozenSet[Root]) -> List[Root]:
        owner = self._owner(body, node.id)
        own: List[Root] = [(owner, node.id)]
        if owner is None or owner.parent is None or own[0] in known:
            return own
        known = known.union(own)
        aliases = owner.aliases.get(node.id, [])
        replaced = [one for one in owner.replaced.get(node.id, []) if position(one) < position(node)]
        replaced = [one for one in replaced if not self._roots(one, owner, budget, known)]
        if replaced:
            aliases = [one for one in aliases if position(one) > position(replaced[-1])]
        behind = [root for alias in aliases for root in self._roots(alias, owner, budget, known) if root not in own]
        return [*own, *behind] if node.id in owner.parameters and not replaced else behind or [(owner, "" if replaced else node.id)]

    def _roots_of_call(self, node: ast.Call, body: Body, budget: Budget, known: FrozenSet[Root]) -> List[Root]:
        function = node.func
        if isinstance(function, ast.Name):
            if function.id == "globals":
                return [(body.module, "")]
            if function.id == "type" and len(node.args) == 1:
                return self._roots_of_class(node.args[0], body)
            if function.id in PASSING:
                return [root for one in node.args for root in self._roots(one, body, budget, known)]
        made = self._behind(function, body)
        if not made:
            is_part = isinstance(function, ast.Attribute) and function.attr in PARTS and not self._is_of_package(function.value, body)
            return self._roots(function, body, budget, known) if is_part else []
        found: List[Root] = []
        call = Call(function, node.args, node.keywords, body)
        for one in made:
            for owner, name in [root for value in one.returned for root in self._roots(value, one, budget, known)]:
                if owner is not one:
                    found.append((owner, name))
                elif name == one.first and isinstance(function, ast.Attribute):
                    found.extend(self._roots(function.value, body, budget, known))
                elif name in one.parameters:
                    found.extend(root for given in call.given(one, name) for root in self._roots(given, body, budget, known))
        return found

    def _roots_of_class(self, node: ast.expr, body: Body) -> List[Root]:
        return [(of.parent, "") for of in self._classes(node, body, ALIASES_MOST)]

    def _apply(self, node: ast.expr, body: Body, by_method: bool) -> None:
        """A change of a field, an item, or the content."""
        for owner, name in self._roots(node, body, [STEPS_MOST]):
            if owner is None:
                continue
            if owner.first == name:
                if owner.instance is not None:
                    owner.instance.is_maker = True
                continue
            if name in owner.parameters or name in owner.rest:
                self._change_arguments(owner, name, node)
            # A function of an imported module, such as `os.remove`.
            is_of_module = by_method and isinstance(node, ast.Name) and self._is_package(owner, name)
            if owner is not body and not is_of_module:
                owner.is_maker = True

    def _is_package(self, owner: Body, name: str) -> bool:
        return name in owner.imported and name not in owner.relative and owner.imported[name] not in self._names

    def _is_of_package(self, node: ast.expr, body: Body) -> bool:
        owner = self._owner(body, node.id) if isinstance(node, ast.Name) else None
        return owner is not None and isinstance(node, ast.Name) and self._is_package(owner, node.id)

    def _change_arguments(self, made: Body, name: str, node: ast.expr) -> None:
        if name in made.changed or (name in made.rest and isinstance(node, ast.Name) and node.id == name):
            return
        made.changed.add(name)
        default = made.defaults.get(name)
        if default is not None and made.parent is not None:
            # It is created once.
            roots: List[Root] = [(made.parent, "")] if isinstance(default, MUTABLE) else []
            for owner, _ in self._roots(default, made.parent, [STEPS_MOST]) or roots:
                if owner is not None:
                    owner.is_maker = True
        for call in made.callers:
            self._changes.extend((one, call.body, True) for one in call.given(made, name))

    def _change(self, node: ast.expr, body: Body, by_method: bool = False) -> None:
        self._changes.append((node, body, by_method))

    def _assign(self, target: Any, body: Body) -> None:
        if isinstance(target, ast.Name):
            if target.id in body.outer:
                owner = self._owner(body, target.id)
                if owner is not None:
                    owner.is_maker = True
        elif isinstance(target, (ast.Attribute, ast.Subscript)):
            self._change(target.value, body)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for one in target.elts:
                self._assign(one, body)
        elif isinstance(target, ast.Starred):
            self._assign(target.value, body)

    def _call(self, node: ast.Call, body: Body) -> None:
        call = Call(node.func, node.args, node.keywords, body)
        self._calls.append(call)
        body.calls.append(call)

    def _judge(self, call: Call, is_foreign: bool) -> None:
        """Functions and methods of Python that change something."""
        function, args, _, body = call
        name = function.attr if isinstance(function, ast.Attribute) else ""
        if isinstance(function, ast.Name):
            owner = self._owner(body, function.id)
            name = function.id if owner is None else owner.imported.get(function.id, "")
        changed = ARGUMENT_MUTATORS.get(name)
        if changed is not None and is_foreign and len(args) > changed:
            self._change(args[changed], body)
        elif isinstance(function, ast.Attribute) and name in MUTATORS:
            is_unbound = isinstance(function.value, ast.Name) and function.value.id in TYPES and len(args) > 0
            self._change(args[0] if is_unbound else function.value, body, by_method=not is_unbound)

    def _visit(self, node: ast.AST, body: Body) -> None:
        if isinstance(node, ast.ClassDef):
            self._class(node, body)
            return
        if isinstance(node, FUNCTIONS):
            self._function(node, body)
            return
        if isinstance(node, (ast.Assign, ast.Delete)):
            for target in node.targets:
                self._assign(target, body)
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr, ast.For, ast.AsyncFor)):
            self._assign(node.target, body)
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and isinstance(node.value, DISPLAYS):
                # `items += [1]` changes the list, but `count += 1` creates a number.
                self._change(node.target, body)
        elif isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom)) and node.value is not None:
            body.returned.append(node.value)
        elif isinstance(node, ast.Call):
            self._call(node, body)
        for child in ast.iter_child_nodes(node):
            self._visit(child, body)

    def _function(self, node: Any, body: Body, of: Optional[Body] = None, instance: Optional[Body] = None) -> None:
        own = Body(body)
        if of is not None:
            of.methods[node.name] = own
        elif not isinstance(node, ast.Lambda):
            body.made[node.name] = own
        parameters = node.args
        positional = [*parameters.posonlyargs, *parameters.args]
        is_static = any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in getattr(node, "decorator_list", []))
        if of is not None and not is_static and positional:
            own.of, own.instance, own.first = of, instance, positional[0].arg
        own.parameters.extend(one.arg for one in [*positional, *parameters.kwonlyargs] if one.arg != own.first)
        own.rest.update(one.arg for one in (parameters.vararg, parameters.kwarg) if one is not None)
        own.names.update(own.parameters, own.rest, [own.first] if own.first is not None else [])
        with_default = positional[len(positional) - len(parameters.defaults) :]
        for one, default in [*zip(with_default, parameters.defaults), *zip(parameters.kwonlyargs, parameters.kw_defaults)]:
            if default is not None:
                own.defaults[one.arg] = default
                self._visit(default, body)
        statements = [node.body] if isinstance(node, ast.Lambda) else node.body
        if isinstance(node, ast.Lambda):
            own.returned.append(node.body)
        declare(own, statements)
        for decorator in getattr(node, "decorator_list", []):
            if isinstance(decorator, ast.Name):
                body.calls.append(Call(decorator, [], [], body))
            self._visit(decorator, body)
        for statement in statements:
            self._visit(statement, own)

    def _class(self, node: ast.ClassDef, body: Body) -> None:
        own = Body(body)
        body.made[node.name] = own
        own.bases = node.bases
        own.calls.extend(Call(base, [], [], body) for base in node.bases)
        for decorator in node.decorator_list:
            self._visit(decorator, body)
        for member in node.body:
            is_class_method = any(isinstance(one, ast.Name) and one.id == "classmethod" for one in getattr(member, "decorator_list", []))
            if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)):
                # The class itself outlives the call; an instance only if it was created at import.
                changed = None if member.name in MAKING else body if is_class_method else own
                self._function(member, body, own, changed)
                if member.name in MAKING:
                    own.calls.append(own.methods[member.name])
            else:
                self._visit(member, body)


def declare(body: Body, statements: Sequence[ast.AST]) -> None:
    for node in within(statements):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            body.names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            body.names.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for one in node.names:
                name = one.asname or one.name.split(".")[0]
                body.has_star = body.has_star or name == "*"
                body.names.add(name)
                body.imported[name] = one.name
                if isinstance(node, ast.ImportFrom) and node.level > 0:
                    body.relative.add(name)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            body.outer.update(node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            body.names.add(node.name)
        if isinstance(node, ast.Assign):
            for target in node.targets:
                declare_aliases(body, target, node.value)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            declare_aliases(body, node.target, node.value)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            elements = node.iter
            if isinstance(elements, ast.Call) and isinstance(elements.func, ast.Name) and elements.func.id in COPYING and elements.args:
                elements = elements.args[0]
            declare_aliases(body, node.target, elements)
    for statement in statements:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
            body.replaced.setdefault(statement.targets[0].id, []).append(statement.value)


def declare_aliases(body: Body, target: ast.expr, value: ast.expr) -> None:
    if isinstance(target, ast.Name):
        body.aliases.setdefault(target.id, []).append(value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for one in target.elts:
            declare_aliases(body, one, value)


def within(statements: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of a body, without those of functions and classes in it."""
    for node in statements:
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield from within(ast.iter_child_nodes(node))


def inner_of(node: ast.expr) -> ast.expr:
    """The first name of a path."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def position(node: ast.expr) -> Tuple[int, int]:
    return (node.lineno, node.col_offset)
