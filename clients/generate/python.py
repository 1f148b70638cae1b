"""Writes the generated parts of the Python library: the types, and a method for each operation, sync and async.

    python.py DOCUMENT FOLDER

DOCUMENT is what document.py wrote.
"""

import json
import keyword
import pathlib
import re
import sys

from document import operations, takes_key
from python_types import Types, camel, sentence

HEAD = '''"""{about}

Generated from openapi.json by clients/generate.sh: change that, and not this file.
"""
'''
JSON = "application/json"


def identifier(name):
    return f"{name}_" if keyword.iskeyword(name) else name


class Operation:
    """One operation, as a method of the client."""

    def __init__(self, path, method, spec, types):
        self.path, self.method, self.spec, self.types = path, method.upper(), spec, types
        self.name = spec["operationId"]
        self.about = sentence(spec["summary"])
        named = {place: [each for each in spec["parameters"] if each["in"] == place] for place in ("path", "query", "header")}
        self.segments = [each["name"] for each in named["path"]]
        self.query = [(each["name"], self.parameter_type(each)) for each in named["query"]]
        self.headers = {each["name"] for each in named["header"]}
        self.has_key = takes_key(spec)
        self.body, self.is_form = self.read_body()
        self.answer = self.read_answer()
        self.items = self.read_items()

    def parameter_type(self, parameter):
        schema = parameter["schema"]
        name = camel(self.name, parameter["name"])
        if schema.get("type") == "array":
            return f"Sequence[{self.qualified(self.types.of(schema['items'], name))}] | None"
        return f"{self.qualified(self.types.of(schema, name))} | None"

    def qualified(self, kind):
        """The type as it is written outside of the module of types."""
        own = {*self.types.written, *self.types.enumerations.values()}
        return re.sub(r'[A-Za-z_]\w*(?![^"\[\],|]*")', lambda match: f"models.{match[0]}" if match[0] in own else match[0], kind)

    def read_body(self):
        """The type of the body, if there is one, and whether it is sent as a form."""
        content = self.spec.get("requestBody", {}).get("content", {})
        if not content:
            return None, False
        is_form = "application/x-www-form-urlencoded" in content
        described = content.get(JSON) or content.get("application/x-www-form-urlencoded")
        kinds = [self.qualified(self.types.of(described["schema"], camel(self.name, "body")))] if described else []
        if any(kind not in (JSON, "application/merge-patch+json", "application/x-www-form-urlencoded") for kind in content):
            kinds.append("File")
        if not self.spec["requestBody"]["required"]:
            kinds.append("None")
        return " | ".join(kinds), is_form

    def read_answer(self):
        """The type of a successful answer: what JSON has, `None`, or a download."""
        answers = [answer.get("content", {}) for status, answer in self.spec["responses"].items() if status != "default"]
        content = answers[0]
        # 200, 201 and 202 of one operation say the same at different times.
        if any(each != content for each in answers):
            raise ValueError(f"{self.name} has answers of several forms")
        if not content:
            return "None"
        if JSON not in content:
            return "Download"
        schema = content[JSON].get("schema")
        return self.qualified(self.types.of(schema, self.answer_name(schema))) if schema else "Any"

    def answer_name(self, schema):
        """The name of an answer that has none of its own. Operations with the same page share its type."""
        name = camel(self.name, "answer")
        page = self.page_of(schema)
        if page:
            name = f"{page[1]}Page"
            if name in self.types.written:
                del self.types.written[name]
        return name

    def page_of(self, schema):
        """The name of the array of a page, and the name of the type of its entries."""
        properties = schema.get("properties", {})
        if "next_cursor" not in properties:
            return None
        name = next(iter(properties))
        return name, properties[name]["items"]["$ref"].rpartition("/")[2]

    def read_items(self):
        content = self.spec["responses"].get("200", {}).get("content", {})
        return self.page_of(content.get(JSON, {}).get("schema", {}))

    # --- Writing ---------------------------------------------------------------------------------

    def arguments(self, is_iterator=False):
        first = ["self", *(f"{identifier(name)}: str" for name in self.segments)]
        if self.body:
            first.append(f"body: {self.body}{' = None' if self.body.endswith('| None') else ''}")
        named = [f"{identifier(name)}: {kind} = None" for name, kind in self.query if not (is_iterator and name == "cursor")]
        if "If-Match" in self.headers:
            named.append("if_match: str | None = None")
        if self.has_key:
            named.append("idempotency_key: str | None = None")
        named.append("headers: Mapping[str, str] | None = None")
        return ", ".join([*first, "*", *named])

    def call(self):
        path = re.sub(r"\{(\w+)\}", lambda match: "{segment(" + identifier(match[1]) + ")}", self.path)
        given = [f'"{self.method}"', f'{"f" if self.segments else ""}"{path}"', "headers=headers"]
        if self.query:
            given.append("query={" + ", ".join(f'"{name}": {identifier(name)}' for name, _ in self.query) + "}")
        if self.body:
            given.append("form=body" if self.is_form else "body=body")
        if "If-Match" in self.headers:
            given.append("if_match=if_match")
        if self.has_key:
            given.append("takes_key=True, idempotency_key=idempotency_key")
        return ", ".join(given)

    def source(self, is_async):
        start, wait = ("async def", "await ") if is_async else ("def", "")
        if self.answer == "Download":
            kind = "AsyncDownload" if is_async else "Download"
            head = f"    def {self.name}({self.arguments()}) -> {kind}:\n"
            return f'{head}        """{self.about}."""\n        return self._download({self.call()})\n'
        text = f"    {start} {self.name}({self.arguments()}) -> Reply[{self.answer}]:\n"
        text += f'        """{self.about}."""\n        return {wait}self._call({self.call()})\n'
        return text + (self.iterator(is_async) if self.items else "")

    def iterator(self, is_async):
        name, entry = self.items
        kind = "AsyncIterator" if is_async else "Iterator"
        verb, _, rest = self.name.partition("_")
        given = [identifier(each) for each in self.segments]
        given += [f"{identifier(each)}={identifier(each)}" for each, _ in self.query if each != "cursor"]
        given += ["cursor=cursor", "headers=headers"]
        text = f"\n    def iterate_{rest}({self.arguments(is_iterator=True)}) -> {kind}[models.{entry}]:\n"
        text += f'        """Every entry of `{self.name}`: pages are read as they are needed, with `limit` entries each."""\n'
        return text + f'        return self._entries("{name}", lambda cursor: self.{self.name}({", ".join(given)}))\n'


def imports(is_async):
    iterator = "AsyncIterator" if is_async else "Iterator"
    base = "AsyncBase" if is_async else "Base"
    download = "AsyncDownload" if is_async else "Download"
    module = "async_base" if is_async else "sync_base"
    return f"""from __future__ import annotations

from collections.abc import {iterator}, Mapping, Sequence
from typing import Any, Literal

from ..file import File
from ..reply import Reply
from ..request import segment
from ..{module} import {base}, {download}
from . import models

"""


def module(all_operations, is_async):
    kind, base = ("AsyncOperations", "AsyncBase") if is_async else ("Operations", "Base")
    about = f"A method for each operation of the API, {'for asyncio' if is_async else 'which waits for the answer'}."
    methods = "\n".join(operation.source(is_async) for operation in all_operations)
    return f'{HEAD.format(about=about)}\n{imports(is_async)}\nclass {kind}({base}):\n    """{about}"""\n\n{methods}'


def main():
    source, folder = sys.argv[1:]
    document, folder = json.loads(pathlib.Path(source).read_text()), pathlib.Path(folder)
    types = Types(document)
    all_operations = [Operation(path, method, spec, types) for path, method, spec in operations(document)]
    models = types.module()
    folder.mkdir(parents=True, exist_ok=True)
    head = HEAD.format(about="The objects of the API, as JSON has them.")
    start = "\nfrom __future__ import annotations\n\nfrom typing import Any, Literal, NotRequired, TypedDict\n\n"
    (folder / "models.py").write_text(f"{head}{start}{models}")
    for name, is_async in (("sync_operations.py", False), ("async_operations.py", True)):
        text = module(all_operations, is_async)
        for long, short in types.names.items():
            text = re.sub(rf"\bmodels\.{long}\b", f"models.{short}", text)
        (folder / name).write_text(text)
    (folder / "__init__.py").write_text('"""Generated from openapi.json by clients/generate.sh."""\n')


main()
