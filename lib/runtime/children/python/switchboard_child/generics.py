"""Generic classes with their types: the `int` of `Box[int]` replaces the type variable of `Box`."""

import typing
from typing import Any, Dict


def bound_types(hint: Any) -> Dict[Any, Any]:
    """The value of each type variable of a class, including those of its bases."""
    kind = typing.get_origin(hint) or hint
    bound = dict(zip(getattr(kind, "__parameters__", ()), typing.get_args(hint)))
    for base in vars(kind).get("__orig_bases__", ()):
        if typing.get_args(base) and typing.get_origin(base) is not typing.Generic:
            bound = {**bound_types(with_types(base, bound)), **bound}
    return bound


def with_types(hint: Any, bound: Dict[Any, Any]) -> Any:
    if isinstance(hint, typing.TypeVar):
        return bound.get(hint, hint)
    variables = () if isinstance(hint, type) and not typing.get_args(hint) else getattr(hint, "__parameters__", ())
    if not any(variable in bound for variable in variables):
        return hint
    return hint[tuple(bound.get(variable, variable) for variable in variables)]
