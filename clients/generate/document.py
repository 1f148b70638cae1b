"""The OpenAPI document, in the form from which both libraries are generated.

    document.py OPENAPI_JSON OUTPUT

It leaves out what types can't say or what would only repeat itself: which of several fields a request needs (the server
checks it), links between operations, and the list of refusals of each operation, which all have the form `Problem`. With
those, the types in TypeScript were five times as long.
"""

import json
import pathlib
import sys

METHODS = ("get", "post", "put", "patch", "delete")
REFUSAL = {
    "description": "A refusal: its `code` says which.",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}


def operations(document):
    """Yields the path, the method and the operation of each."""
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                yield path, method, item[method]


def takes_key(operation):
    """Returns whether the operation takes an `Idempotency-Key`."""
    return any(each["name"] == "Idempotency-Key" for each in operation.get("parameters", []))


def simplified_schema(schema):
    """Returns the schema without the dependencies between fields that stand beside its properties. An object of which nothing is
    said has fields of any name: to some generators it has none.

    >>> simplified_schema({"properties": {"a": {"anyOf": [{"type": "null"}]}}, "anyOf": [{"required": ["a"]}]})
    {'properties': {'a': {'anyOf': [{'type': 'null'}]}}}
    >>> simplified_schema({"type": ["object", "null"]})
    {'type': ['object', 'null'], 'additionalProperties': True}
    """
    if isinstance(schema, list):
        return [simplified_schema(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    has_fields = isinstance(schema.get("properties"), dict)
    ties = {"anyOf", "allOf"} if has_fields else set()
    simple = {key: simplified_schema(value) for key, value in schema.items() if key not in ties}
    kind = schema.get("type")
    if "object" in (kind if isinstance(kind, list) else [kind]) and not has_fields:
        simple.setdefault("additionalProperties", True)
    return simple


def simplified(document):
    for _, _, operation in operations(document):
        kept = {status: answer for status, answer in operation["responses"].items() if status < "300"}
        for answer in kept.values():
            answer.pop("links", None)
            answer.pop("headers", None)
        operation["responses"] = {**kept, "default": REFUSAL}
        # A program that has no state to compare with gets no 304.
        operation["parameters"] = [each for each in operation["parameters"] if each["name"] != "If-None-Match"]
    document["components"]["schemas"] = {
        name: simplified_schema(schema) for name, schema in document["components"]["schemas"].items()
    }
    return document


def main():
    source, target = sys.argv[1:]
    document = simplified(json.loads(pathlib.Path(source).read_text()))
    pathlib.Path(target).write_text(json.dumps(document, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
