"""The textual format of an operation: the column `format` of tables/operations.tsv.

%x  %x...          an operand, operands separated by commas
$a                 an attribute in the form of its kind; a flag is its own name
@$a                a symbol
<$a>               the elements of a constant
word<$a=default>   an attribute that is left out where it has this value
#x  #x=y=z         the type of x; of x, y and z, which share it
#x...  #x*         the type of each; one type that all share (operands may also have one each)
( ... )?           present if what it names is present
<name>             a custom form: text/forms.py
anything else      stands for itself; blanks separate
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_ITEM = re.compile(
    r"(?P<space>\s*)(?:(?P<form><[a-z]+>)|<\$(?P<dense>\w+)>|%(?P<operand>\w+)(?P<many>\.\.\.)?|@\$(?P<symbol>\w+)"
    r"|(?P<word>[\w.#]+)<\$(?P<framed>\w+)=(?P<default>\w+)>|\$(?P<attribute>\w+)"
    r"|\#(?P<type>\w+(?:=\w+)*)(?P<dots>\.\.\.|\*)?|(?P<open>\((?=.*\)\?))|(?P<close>\)\?)"
    r"|(?P<literal>->|,\?|\w+|[^\s\w]))"
)


class Item(NamedTuple):
    """A part of a format.

    kind:   operand, operands, attribute, dense, symbol, framed, type, types, shared, group, literal or form
    name:   the name of the operand or attribute, or the literal; for types, names separated by "="
    """

    kind: str
    name: str = ""
    space: bool = False
    word: str = ""
    default: str = ""
    items: tuple[Item, ...] = ()


def parse_format(text: str) -> tuple[Item, ...]:
    return _items(_ITEM.finditer(text), False)


def framed(items: tuple[Item, ...]) -> set[str]:
    """Attributes that are left out when they have their default."""
    inner = (framed(item.items) for item in items)
    return {item.name for item in items if item.kind == "framed"}.union(*inner)


def _items(matches: Iterator[re.Match[str]], nested: bool) -> tuple[Item, ...]:
    found: list[Item] = []
    for m in matches:
        space = bool(m["space"])
        if m["close"]:
            if not nested:
                raise ValueError(f"a format closes what it did not open: {m.string}")
            return tuple(found)
        if m["open"]:
            found.append(Item("group", space=space, items=_items(matches, True)))
        elif m["operand"]:
            found.append(Item("operands" if m["many"] else "operand", m["operand"], space))
        elif m["word"] and m["framed"]:
            found.append(Item("framed", m["framed"], space, m["word"], m["default"]))
        elif m["type"]:
            kind = {None: "type", "...": "types", "*": "shared"}[m["dots"]]
            found.append(Item(kind, m["type"], space))
        else:
            kind = next(k for k in ("form", "dense", "symbol", "attribute", "literal") if m[k])
            found.append(Item(kind, m[kind].strip("<>") if kind == "form" else m[kind], space))
    return tuple(found)
