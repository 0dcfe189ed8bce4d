"""Converts values to text."""

import base64
import json
import math
import re

_MAX_DEPTH = 200
_IMAGES = {"png": rb"\x89PNG\r\n\x1a\n", "jpeg": rb"\xff\xd8\xff", "gif": rb"GIF8", "webp": rb"(?s:RIFF....WEBP)"}


def result_text(value, limit):
    """Returns the text of a value and its bytes before it was truncated (None if it wasn't), or None for None.

    A string is unchanged; lists and dictionaries that JSON can represent without loss are JSON; the bytes of an image
    are a data: URL; anything else is its repr. Never raises.
    """
    if value is None:
        return None
    image = _image_url(value) if isinstance(value, (bytes, bytearray, memoryview)) else ""
    text = image or _show(value)
    # A whole base64 group, so that the upper part of a large image is still shown.
    kept, truncated = cut(text, limit - (limit - image.index(",") - 1) % 4 if image else limit)
    return kept, len(text.encode("utf-8", "surrogatepass")) if truncated else None


def cut(text, limit):
    """Cuts a text to at most `limit` bytes of UTF-8. Returns the text and whether it was truncated."""
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


def _image_url(data):
    """Returns the data: URL of an image's bytes; an empty text for others."""
    # Only images are copied.
    start = bytes(data[:12])
    kind = next((name for name, head in _IMAGES.items() if re.match(head, start)), "")
    return kind and f"data:image/{kind};base64,{base64.b64encode(bytes(data)).decode('ascii')}"
