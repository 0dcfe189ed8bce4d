"""Kills the process group when the service exits, and sets limits on the process."""

import os
import signal
import threading


def watch_lifeline(descriptor, others):
    """Waits in a separate process for a pipe to close, because a snippet may block every thread of this one.

    `others` are descriptors that the waiting process closes.
    """
    os.set_inheritable(descriptor, False)
    if not hasattr(os, "fork"):
        threading.Thread(target=_exit_when_closed, args=(descriptor,), daemon=True).start()
        return
    group = os.getpgrp()
    child = os.fork()
    if child != 0:
        os.close(descriptor)
        os.waitpid(child, 0)
        return
    # Forked twice, so that it isn't a child of the runner: a snippet that waits for its children doesn't wait for it.
    if os.fork() != 0:
        os._exit(0)
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    for other in others:
        os.close(other)
    try:
        os.read(descriptor, 1)
    finally:
        os.killpg(group, signal.SIGKILL)


def _exit_when_closed(descriptor):
    try:
        os.read(descriptor, 1)
    finally:
        os._exit(137)


def close_in_forks(descriptors):
    """Redirects descriptors to the null device in processes that a snippet forks, so that they can't read commands."""
    if not hasattr(os, "register_at_fork"):
        return

    def replace():
        empty = os.open(os.devnull, os.O_RDWR)
        for descriptor in descriptors:
            os.dup2(empty, descriptor, inheritable=False)
        os.close(empty)

    os.register_at_fork(after_in_child=replace)


def raise_oom_score():
    """On Linux, makes this process the first to be killed when memory runs out, before the browser and the service."""
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("1000")
    except OSError:
        pass


def limit_memory(megabytes):
    """Limits the memory of the process, if the system supports it. Snippets that exceed it get a MemoryError."""
    try:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = megabytes * 1024 * 1024
        if hard == resource.RLIM_INFINITY or wanted < hard:
            resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
    except (ImportError, OSError, ValueError):
        pass
