"""Values as text."""

import base64
import json
import math

LIMIT = 1024 * 1024
"""Bytes kept of a result."""

_DEEPEST = 200
_IMAGES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
)


def result_text(value):
    """The text of a value and whether it was cut, or None for None.

    A string is itself; lists and dictionaries that JSON holds without loss are JSON; an image in bytes is a data: URL;
    anything else is its repr. Never raises.
    """
    if value is None:
        return None
    if isinstance(value, (bytes, bytearray, memoryview)):
        image = _image_type(bytes(value[:12]))
        if image:
            return _data_url(image, bytes(value))
    return cut(_show(value), LIMIT)


def cut(text, limit):
    """The beginning of a text that fits into so many bytes of UTF-8, and whether that is less than all."""
    if len(text) * 4 <= limit:
        return text, False
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= limit:
        return text, False
    return data[:limit].decode("utf-8", "ignore"), True


def _show(value):
    try:
        if isinstance(value, str):
            return str(value)
        if type(value) in (list, dict) and _is_plain(value, _DEEPEST):
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return repr(value)
    except BaseException as error:  # noqa: BLE001: a repr may raise anything
        return f"<{type(value).__name__} that cannot be shown: {type(error).__name__}>"


def _is_plain(value, depth):
    """Whether JSON holds the value without loss."""
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return True
    if kind is float:
        return math.isfinite(value)
    if depth == 0:
        return False
    if kind is list:
        return all(_is_plain(item, depth - 1) for item in value)
    return kind is dict and all(type(key) is str and _is_plain(item, depth - 1) for key, item in value.items())


def _image_type(head):
    for start, name in _IMAGES:
        if head.startswith(start):
            return name
    return "image/webp" if head.startswith(b"RIFF") and head[8:] == b"WEBP" else None


def _data_url(image, data):
    """Cut at a whole base64 group, an image that is too large still shows its upper part."""
    prefix = f"data:{image};base64,"
    room = (LIMIT - len(prefix)) // 4 * 3
    return prefix + base64.b64encode(data[:room]).decode("ascii"), len(data) > room
