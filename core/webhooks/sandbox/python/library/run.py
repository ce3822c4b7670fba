"""Runs the Python code of a node, and reports its results as JSON."""

import ast
import json
import os
import sys
import traceback

from _tabd.records import Record
from _tabd.scope import Scope, ScopeError, parse, variables

FILE = "<code>"
"""The file name of the user's code in tracebacks."""

CONSOLE, CHANNEL = 1, 9999
"""Descriptors that the thread serves: lines of the console; the script and its result."""


def run():
    """Reads a script from the channel, runs it, and writes its result to the channel."""
    script = json.loads(read_all())
    try:
        result = json.dumps(run_script(script))
    except MemoryError:
        result = '{"outcomes": [{"failure": {"kind": "memory", "message": ""}}]}'
    write_all(CHANNEL, result.encode("ascii"))


def read_all():
    parts = []
    while part := os.read(CHANNEL, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def write_all(descriptor, data):
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view[: 1 << 20]) :]


def run_script(script):
    try:
        function = compile_function(script["code"])
    except (SyntaxError, ValueError, RecursionError) as error:
        return {"outcomes": [{"failure": failure_of(error, None)}]}
    scope = Scope(script["shared"])
    statics = StaticData(script["staticData"])
    custom_data = Record()
    outcomes = []
    for current in script["items"]:
        try:
            names = variables(scope, script, current, statics, custom_data)
            if "input" in script:
                names |= {f"_{name}": value for name, value in parse(script["input"]).items()}
            outcomes.append({"json": to_json(call(function, names))})
        except MemoryError:
            raise
        except BaseException as error:
            outcomes.append({"failure": failure_of(error, current["index"])})
            break
    result = {"outcomes": outcomes}
    if changed := statics.changed():
        result["staticData"] = changed
    if custom_data:
        result["customData"] = {str(key): str(value) for key, value in custom_data.items()}
    return result


def compile_function(code):
    """Compiles the body of a function. It becomes asynchronous if it awaits."""
    body = ast.parse(code, FILE).body or [ast.Pass()]
    try:
        return compile_as(ast.FunctionDef, body)
    except SyntaxError as error:
        if "async" not in str(error):
            raise
        return compile_as(ast.AsyncFunctionDef, body)


def compile_as(kind, body):
    arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    function = kind("_user_function", arguments, body, [], type_params=[])
    return compile(ast.fix_missing_locations(ast.Module([function], [])), FILE, "exec")


def call(function, names):
    names |= {"__name__": "__main__", "print": console_print}
    exec(function, names)
    result = names["_user_function"]()
    if hasattr(result, "__await__"):
        from _tabd.loop import run_coroutine

        result = run_coroutine(result)
    return result


def console_print(*values, sep=" ", end="\n", file=None, flush=False):
    """Writes texts in quotes, and other values as JSON, as the console of JavaScript does."""
    if file is not None and file is not sys.stdout and file is not sys.stderr:
        return print(*values, sep=sep, end=end, file=file, flush=flush)
    line = " ".join(map(shown, values)) + "\n"
    write_all(CONSOLE, line.encode("utf-8", "backslashreplace"))


def shown(value):
    if isinstance(value, str):
        return f"'{value}'"
    if value is None or isinstance(value, (bool, int, float)):
        return str(value)
    try:
        return json.dumps(value, default=str, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return repr(value)


def to_json(value):
    """JSON of a result. Values that JSON does not have become texts, and numbers that it does not have null."""
    try:
        return json.dumps(value, default=str, allow_nan=False)
    except ValueError as error:
        if "Out of range" not in str(error):
            raise
        return json.dumps(without_nan(value), default=str)


def without_nan(value):
    if isinstance(value, float) and not float("-inf") < value < float("inf"):
        return None
    if isinstance(value, dict):
        return {key: without_nan(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_nan(entry) for entry in value]
    return value


def failure_of(error, item_index):
    name = type(error).__name__
    failure = {"kind": "thrown", "name": name, "message": str(error) or name}
    if item_index is not None:
        failure["itemIndex"] = item_index
    # n8n's message has no line.
    failure["description"] = description_of(error, name, line_of(error))
    return failure


def line_of(error):
    if isinstance(error, SyntaxError):
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE]
    return lines[-1] if lines else None


def description_of(error, name, line):
    if isinstance(error, ScopeError):
        return error.description
    place = "" if line is None else f" in line {line}"
    if isinstance(error, ModuleNotFoundError):
        return f"{name}{place}. Only Python's standard library is available here."
    return f"{name}{place}"


class StaticData:
    """The workflow's static data, which code changes in place."""

    def __init__(self, texts):
        self.texts = texts
        self.values = {}

    def get(self, kind):
        if kind not in self.texts:
            raise ValueError(f'The type "{kind}" is not supported: use "global" or "node"')
        if kind not in self.values:
            self.values[kind] = parse(self.texts[kind])
        return self.values[kind]

    def changed(self):
        """JSON of the parts that were read and are different now."""
        texts = {kind: to_json(value) for kind, value in self.values.items()}
        return {kind: text for kind, text in texts.items() if json.loads(text) != json.loads(self.texts[kind])}
