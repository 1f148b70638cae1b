"""Python types of JSON schemas: a TypedDict for each object, with the words of an enumeration as a Literal."""

import json
import keyword
import re

# Enumerations that have more words get a name of their own, because several fields have them.
WORDS_MAX = 8
SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def camel(*parts):
    """Returns the name of a type.

    >>> camel("create_order", "answer"), camel("PackageInput", "geometry")
    ('CreateOrderAnswer', 'PackageInputGeometry')
    """
    return "".join(word[:1].upper() + word[1:] for part in parts for word in part.split("_"))


def union(parts):
    """Returns the union of types, `None` last.

    >>> union(["None", "str", "str"])
    'str | None'
    """
    seen = list(dict.fromkeys(part for part in parts if part != "None"))
    return " | ".join([*seen, "None"] if "None" in parts else seen)


def literal(words):
    return "Literal[" + ", ".join(json.dumps(word) if isinstance(word, str) else str(word) for word in words) + "]"


def sentence(text):
    """Returns the first paragraph of a description, as a line that can stand in a docstring."""
    first = " ".join((text or "").split("\n\n")[0].split())
    return first.replace("\\", "\\\\").replace('"""', "'''") + (" " if first.endswith('"') else "")


class Types:
    """The named types, each written once."""

    def __init__(self, document):
        self.schemas = document["components"]["schemas"]
        self.enumerations = {}
        self.written = {}
        for name, schema in self.schemas.items():
            self.declare(name, schema)

    def of(self, schema, name):
        """Returns the type of a schema. `name` is what its object is called, if it is one that has no name."""
        if "$ref" in schema:
            return schema["$ref"].rpartition("/")[2]
        if "anyOf" in schema:
            return union([self.of(each, name) for each in schema["anyOf"]])
        if "allOf" in schema:
            (only,) = schema["allOf"]
            return self.of(only, name)
        if "enum" in schema:
            return self.enumeration(schema["enum"], name)
        kind = schema.get("type")
        if isinstance(kind, list):
            return union([self.of({**schema, "type": each}, name) for each in kind])
        if kind == "array":
            return f"list[{self.of(schema['items'], name)}]"
        if kind == "object":
            return self.object(schema, name)
        return SIMPLE[kind] if kind else "object"

    def enumeration(self, words, name):
        if len(words) <= WORDS_MAX or not all(isinstance(word, str) for word in words):
            return literal(words)
        # The same words are one type, whatever object they were seen in first.
        return self.enumerations.setdefault(tuple(words), name)

    def object(self, schema, name):
        if "properties" in schema:
            self.declare(name, schema)
            return name
        values = schema["additionalProperties"]
        return f"dict[str, {'Any' if values is True else self.of(values, name)}]"

    def declare(self, name, schema):
        if schema.get("type") != "object" or "properties" not in schema:
            raise ValueError(f"{name} is no object")
        if name in self.written:
            raise ValueError(f"two objects have the name {name}")
        self.written[name] = ""
        required = set(schema.get("required", []))
        fields = []
        for field, about in schema["properties"].items():
            kind = self.of(about, camel(name, field))
            fields.append((field, kind if field in required else f"NotRequired[{kind}]", sentence(about.get("description"))))
        self.written[name] = typed_dict(name, fields, sentence(schema.get("description")))

    def module(self):
        """Returns the source of the module."""
        # What the words of an enumeration are called depends on the object in which they were seen first; where a shorter name says
        # the same, it is taken.
        source = "\n\n".join(self.written.values())
        aliases = {}
        for words, name in self.enumerations.items():
            short = re.sub(r"^.*(Country|Currency)Code$", r"\1Code", name)
            short = name if short in aliases or short in self.written else short
            source = re.sub(rf"\b{name}\b", short, source)
            aliases[short] = literal(words)
        self.names = {name: short for name, short in zip(self.enumerations.values(), aliases)}
        listed = "\n".join(f"{name} = {words}" for name, words in aliases.items())
        return f"{listed}\n\n\n{source}"


def typed_dict(name, fields, about):
    doc = f'    """{about}"""\n' if about else ""
    if all(field.isidentifier() and not keyword.iskeyword(field) for field, _, _ in fields):
        lines = [f"class {name}(TypedDict):\n", doc]
        for field, kind, said in fields:
            lines.append(f"    {field}: {kind}\n")
            if said:
                lines.append(f'    """{said}"""\n')
        return "".join(lines if fields else [*lines, "    pass\n"])
    # A class can't have a field whose name is a word of Python.
    entries = "".join(f"        {field!r}: {kind!r},\n" for field, kind, _ in fields)
    comment = f"# {about}\n" if about else ""
    return f'{comment}{name} = TypedDict(\n    "{name}",\n    {{\n{entries}    }},\n)\n'
