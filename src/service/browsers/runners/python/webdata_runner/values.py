"""Converts values to text."""

import base64
import json
import math

_MAX_DEPTH = 200
_IMAGES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
)


def result_text(value, limit):
    """Returns the text of a value and its bytes before it was truncated (None if it wasn't), or None for None.

    A string is unchanged; lists and dictionaries that JSON can represent without loss are JSON; the bytes of an image
    are a data: URL; anything else is its repr. Never raises.
    """
    if value is None:
        return None
    if isinstance(value, (bytes, bytearray, memoryview)):
        image = _image_type(bytes(value[:12]))
        if image:
            return _data_url(image, bytes(value), limit)
    text = _show(value)
    kept, truncated = cut(text, limit)
    return kept, len(text.encode("utf-8", "surrogatepass")) if truncated else None


def cut(text, limit):
    """Cuts a text to at most `limit` bytes of UTF-8. Returns the text and whether it was truncated."""
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
        if type(value) in (list, dict) and _is_plain(value, _MAX_DEPTH):
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return repr(value)
    except BaseException as error:  # noqa: BLE001: a repr may raise anything
        return f"<{type(value).__name__} (repr() raised {type(error).__name__})>"


def _is_plain(value, depth):
    """Whether JSON can represent the value without loss."""
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


def _data_url(image, data, limit):
    """Truncates at a whole base64 group, so that the upper part of a large image is still shown."""
    prefix = f"data:{image};base64,"
    max_bytes = (limit - len(prefix)) // 4 * 3
    size = len(prefix) + -(-len(data) // 3) * 4 if len(data) > max_bytes else None
    return prefix + base64.b64encode(data[:max_bytes]).decode("ascii"), size
