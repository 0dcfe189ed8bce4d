"""Standard streams that lose no output, however the process exits."""

import io
import os
import sys
import time


def write_all(descriptor, data):
    """Writes all bytes before it returns, so that a fast writer waits for its reader."""
    view = memoryview(data).cast("B")
    while view:
        try:
            view = view[os.write(descriptor, view) :]
        except BlockingIOError:
            # A program that the snippet started made the shared descriptor non-blocking.
            time.sleep(0.001)
        except BrokenPipeError:
            return


class _Descriptor(io.FileIO):
    """An unbuffered descriptor that can't be closed."""

    def write(self, data):
        write_all(self.fileno(), data)
        return len(memoryview(data).cast("B"))

    def close(self):
        pass


def install_streams():
    """Replaces `sys.stdout` and `sys.stderr` with such streams."""
    for descriptor, name in ((1, "stdout"), (2, "stderr")):
        raw = _Descriptor(descriptor, "wb", closefd=False)
        raw.name = f"<{name}>"
        stream = io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", newline="\n", write_through=True)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
