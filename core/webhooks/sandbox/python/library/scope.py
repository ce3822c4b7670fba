"""The variables of code in workflows. They read the data that the server packed (`SharedPack`, `ItemPack`)."""

import datetime
import json

from _tabd.records import Record, Records


class ScopeError(Exception):
    """The code reads data that does not exist."""

    def __init__(self, message, description=None):
        super().__init__(message)
        self.description = description


def parse(text):
    """The value of a JSON text, with records for objects. None stays None."""
    return None if text is None else json.loads(text, object_hook=Record)


def parse_items(text):
    return Records(parse(text) or [])


class Scope:
    """The data of one run, parsed when it is first read."""

    def __init__(self, shared):
        self.shared = shared
        self.data = parse(shared["scope"])
        self.parsed = {}

    def once(self, key, make):
        if key not in self.parsed:
            self.parsed[key] = make()
        return self.parsed[key]

    def input_items(self):
        """The items of the first input that has any."""
        texts = self.shared.get("inputs") or []
        text = next((text for text in texts if text not in (None, "[]")), None)
        return self.once("input", lambda: parse_items(text))

    def node(self, name):
        pack = self.shared["nodes"].get(name)
        if pack is None:
            raise ScopeError(
                "Referenced node doesn't exist",
                f"The node '{name}' doesn't exist, but it's used in the code here.",
            )
        return pack

    def items_of(self, name, output=None, run=None):
        pack = self.node(name)
        if not any(pack["runs"]):
            raise ScopeError(f"Node '{name}' hasn't been executed")
        source = pack["source"]
        run = source["run"] if run is None else run
        output = source["output"] if output is None else output
        try:
            text = pack["runs"][run][output]
        except IndexError:
            text = None
        return self.once(("node", name, run, output), lambda: parse_items(text))

    def item_at(self, name, origin):
        self.items_of(name)
        if origin is None:
            raise ScopeError(f"Paired item data for item from node '{name}' is unavailable")
        if "error" in origin:
            raise ScopeError(origin["error"], origin.get("description"))
        return self.items_of(name, origin["output"], origin["run"])[origin["index"]]

    def time(self):
        """Now, in the time zone of the workflow."""
        zone = datetime.timezone(datetime.timedelta(seconds=self.shared["utcOffset"]))
        return DateTime.fromtimestamp(self.shared["now"] / 1000, zone)


class DateTime(datetime.datetime):
    """A time with those methods of Luxon that code for n8n's older Python calls most."""

    def toISO(self):
        return self.isoformat(timespec="milliseconds")

    def toISODate(self):
        return self.date().isoformat()

    def toMillis(self):
        return int(self.timestamp() * 1000)

    def toSeconds(self):
        return self.timestamp()


class Node:
    """`_("Name")`"""

    def __init__(self, scope, name, current):
        scope.node(name)
        self._scope, self._name, self._current = scope, name, current

    @property
    def item(self):
        return self._scope.item_at(self._name, self._current["origins"].get(self._name))

    def itemMatching(self, index):
        if index == self._current["index"]:
            return self.item
        origins = (self._scope.shared.get("origins") or {}).get(self._name, [])
        return self._scope.item_at(self._name, origins[index] if index < len(origins) else None)

    def pairedItem(self, index=None):
        return self.itemMatching(self._current["index"] if index is None else index)

    def all(self, output=None, run=None):
        return self._scope.items_of(self._name, output, run)

    def first(self, output=None, run=None):
        return next(iter(self.all(output, run)), None)

    def last(self, output=None, run=None):
        return next(reversed(self.all(output, run)), None)

    @property
    def isExecuted(self):
        return any(self._scope.node(self._name)["runs"])

    @property
    def params(self):
        return parse(self._scope.node(self._name)["parameters"])

    @property
    def context(self):
        return parse(self._scope.node(self._name)["context"])


class Input:
    """`_input`. In the mode for each item it has only the current one."""

    def __init__(self, scope, item, is_each):
        self._scope, self._is_each = scope, is_each
        self.item = item
        self.params = scope.data.parameters

    def _refuse(self, name):
        if self._is_each:
            raise ScopeError(f"Can't use .{name}() here", "This is only available in 'Run Once for All Items' mode")

    def all(self):
        self._refuse("all")
        return self._scope.input_items()

    def first(self):
        self._refuse("first")
        return next(iter(self.all()), None)

    def last(self):
        self._refuse("last")
        return next(reversed(self.all()), None)


def variables(scope, script, current, statics, custom_data):
    """The names that code finds for the current item (an `ItemPack`)."""
    data = scope.data
    is_each = script["mode"] == "eachItem"
    item = Record(json=parse(current["json"]))
    binary = parse(current["binary"])
    if binary:
        item["binary"] = binary
    item["pairedItem"] = Record(item=current["index"])
    now = scope.time()
    names = {
        "_": lambda name: Node(scope, str(name), current),
        "_binary": binary,
        "_execution": Record(data.execution, customData=custom_data),
        "_input": Input(scope, item, is_each),
        "_itemIndex": current["index"],
        "_json": item["json"],
        "_mode": data.mode,
        "_nodeId": data.get("nodeId"),
        "_nodeVersion": data.get("nodeVersion"),
        "_now": now,
        "_parameter": data.parameters,
        "_prevNode": data.get("prevNode"),
        "_runIndex": data.runIndex,
        "_today": now.replace(hour=0, minute=0, second=0, microsecond=0),
        "_vars": data.vars,
        "_webhookId": data.get("webhookId"),
        "_workflow": data.workflow,
        "_getWorkflowStaticData": statics.get,
    }
    if is_each:
        names |= {"_item": item, "item": item}
    else:
        names |= {"_items": scope.input_items(), "items": scope.input_items()}
    return names
