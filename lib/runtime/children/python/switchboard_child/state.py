"""Whether calls may change what the modules of an extension keep in memory, so that ending its process would be
noticed: `global`, changes of module-level objects and collections in functions, and the same in closures and
instances that are created while the modules are imported.

State that static analysis does not find (in packages, behind aliases) is lost with the process, and harmless changes,
such as a cache, keep it. Authors decide with `KEEP_ALIVE`.
"""

import ast
from typing import Any, Dict, Iterable, Iterator, List, Optional, Set, Union

#: Reading larger sources would delay the load.
READ_MOST = 524_288
ALIASES_MOST = 5
MUTATORS = set(
    "append appendleft extend extendleft insert remove pop popleft popitem clear update add discard setdefault sort reverse rotate "
    "put put_nowait difference_update intersection_update symmetric_difference_update __setitem__ __delitem__".split()
)
#: Methods that return a part of a collection, not a copy.
PARTS = {"get", "setdefault", "pop", "popleft", "values", "items"}
MAKING = {"__init__", "__new__", "__post_init__", "__set_name__", "__init_subclass__"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def has_module_state(sources: Iterable[Union[str, bytes]]) -> bool:
    texts = list(sources)
    if sum(len(text) for text in texts) > READ_MOST:
        return True
    for text in texts:
        if (b":memory:" if isinstance(text, bytes) else ":memory:") in text:
            return True
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):  # The import reports it, or nothing imports the file.
            continue
        try:
            if Reading(tree).found():
                return True
        except RecursionError:
            return True
    return False


class Body:
    """The module, a function or a class."""

    def __init__(self, parent: Optional["Body"]) -> None:
        self.parent = parent
        self.names: Set[str] = set()
        self.imported: Set[str] = set()
        self.outer: Set[str] = set()  # `global` and `nonlocal`
        self.aliases: Dict[str, ast.expr] = {}
        self.made: Dict[str, "Body"] = {}
        self.calls: List[Union["Body", str]] = []
        #: Its variables, or instances of it, are changed by functions that outlive its call.
        self.is_maker = False


class Reading:
    def __init__(self, tree: ast.Module) -> None:
        self._module = Body(None)
        declare(self._module, tree.body)
        for node in tree.body:
            self._visit(node, self._module, None)

    def found(self) -> bool:
        reached = [self._module]
        for body in reached:
            for called in body.calls:
                made = self._made(body, called) if isinstance(called, str) else called
                if made is not None and made not in reached:
                    reached.append(made)
        return any(body.is_maker for body in reached)

    def _made(self, body: Optional[Body], name: str) -> Optional[Body]:
        while body is not None:
            if name in body.made:
                return body.made[name]
            body = body.parent
        return None

    def _owner(self, body: Body, name: str) -> Optional[Body]:
        at: Optional[Body] = body
        while at is not None:
            if name in at.names and name not in at.outer:
                return at
            at = at.parent
        return self._module if name in body.outer else None

    def _change(self, node: ast.expr, body: Body, instance: Optional[Body], by_method: bool = False) -> None:
        """Of a field, an item, or the content."""
        root = inner_of(node)
        for _ in range(ALIASES_MOST):
            if not isinstance(root, ast.Name) or root.id in body.outer:
                break
            alias = inner_of(body.aliases.get(root.id, root))
            if not isinstance(alias, ast.Name) or alias.id == root.id:
                break
            root = alias
        if not isinstance(root, ast.Name):
            return
        if instance is not None and root.id in ("self", "cls"):
            instance.is_maker = True
            return
        owner = self._owner(body, root.id)
        # A function of an imported module, such as `os.remove`.
        is_of_module = by_method and owner is not None and node is root and root.id in owner.imported
        if owner is not None and owner is not body and not is_of_module:
            owner.is_maker = True

    def _assign(self, target: Any, body: Body, instance: Optional[Body]) -> None:
        if isinstance(target, ast.Name):
            if target.id in body.outer:
                owner = self._owner(body, target.id)
                if owner is not None:
                    owner.is_maker = True
        elif isinstance(target, (ast.Attribute, ast.Subscript)):
            self._change(target, body, instance)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for one in target.elts:
                self._assign(one, body, instance)
        elif isinstance(target, ast.Starred):
            self._assign(target.value, body, instance)

    def _call(self, node: ast.Call, body: Body, instance: Optional[Body]) -> None:
        function = node.func
        if isinstance(function, ast.Name):
            body.calls.append(function.id)
            if function.id in ("next", "setattr", "delattr") and node.args:
                self._change(node.args[0], body, instance)
        elif isinstance(function, ast.Attribute) and function.attr in MUTATORS:
            self._change(function.value, body, instance, by_method=True)

    def _visit(self, node: ast.AST, body: Body, instance: Optional[Body]) -> None:
        if isinstance(node, ast.ClassDef):
            self._class(node, body, instance)
            return
        if isinstance(node, FUNCTIONS):
            self._function(node, body, instance)
            return
        if isinstance(node, (ast.Assign, ast.Delete)):
            for target in node.targets:
                self._assign(target, body, instance)
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr, ast.For, ast.AsyncFor)):
            self._assign(node.target, body, instance)
        elif isinstance(node, ast.Call):
            self._call(node, body, instance)
        for child in ast.iter_child_nodes(node):
            self._visit(child, body, instance)

    def _function(self, node: Any, body: Body, instance: Optional[Body], is_method: bool = False) -> None:
        own = Body(body)
        if not is_method and not isinstance(node, ast.Lambda):
            body.made[node.name] = own
        parameters = node.args
        for one in [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs, parameters.vararg, parameters.kwarg]:
            if one is not None:
                own.names.add(one.arg)
        statements = [node.body] if isinstance(node, ast.Lambda) else node.body
        declare(own, statements)
        for decorator in getattr(node, "decorator_list", []):
            if isinstance(decorator, ast.Name):
                body.calls.append(decorator.id)
            self._visit(decorator, body, instance)
        for default in [*parameters.defaults, *parameters.kw_defaults]:
            if default is not None:
                self._visit(default, body, instance)
        for statement in statements:
            self._visit(statement, own, instance)

    def _class(self, node: ast.ClassDef, body: Body, instance: Optional[Body]) -> None:
        own = Body(body)
        body.made[node.name] = own
        own.calls.extend(base.id for base in node.bases if isinstance(base, ast.Name))
        for decorator in node.decorator_list:
            self._visit(decorator, body, instance)
        for member in node.body:
            is_class_method = any(isinstance(one, ast.Name) and one.id == "classmethod" for one in getattr(member, "decorator_list", []))
            if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)):
                # The class itself outlives the call; an instance only if it was created at import.
                changed = None if member.name in MAKING else body if is_class_method else own
                self._function(member, body, changed, is_method=True)
            else:
                self._visit(member, body, instance)


def declare(body: Body, statements: Iterable[ast.AST]) -> None:
    for node in within(statements):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            body.names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            body.names.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            is_own = isinstance(node, ast.ImportFrom) and node.level > 0
            for one in node.names:
                name = one.asname or one.name.split(".")[0]
                body.names.add(name)
                if not is_own:
                    body.imported.add(name)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            body.outer.update(node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            body.names.add(node.name)
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            body.aliases[node.targets[0].id] = node.value
        elif isinstance(node, (ast.For, ast.AsyncFor)) and isinstance(node.target, ast.Name):
            body.aliases[node.target.id] = node.iter


def within(statements: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of a body, without those of functions and classes in it."""
    for node in statements:
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield from within(ast.iter_child_nodes(node))


def inner_of(node: ast.expr) -> ast.expr:
    """The owner of a field, an item or a part."""
    while True:
        if isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in PARTS:
            node = node.func.value
        else:
            return node
