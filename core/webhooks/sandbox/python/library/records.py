"""Objects and lists of items, as both kinds of Python code in workflows read them."""


class Record(dict):
    """A dictionary whose keys are attributes as well: `item.json.name` and `item["json"]["name"]`."""

    __slots__ = ()

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'") from None

    def __setattr__(self, name, value):
        self[name] = value

    def __delattr__(self, name):
        try:
            del self[name]
        except KeyError:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'") from None

    def to_py(self, **_options):
        """A copy without attributes. Code for n8n's older Python calls it."""
        return plain(self)


class Records(list):
    """The items of an input or of a node."""

    __slots__ = ()

    def to_py(self, **_options):
        """A copy without attributes. Code for n8n's older Python calls it."""
        return plain(self)


def plain(value):
    """A deep copy of dictionaries and lists."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [plain(entry) for entry in value]
    return value
