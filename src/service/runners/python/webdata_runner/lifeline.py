"""Ends the process group when the service is no more."""

import os
import signal
import threading


def hold_lifeline(descriptor, others):
    """Waits for the end of a pipe in a process of its own: a snippet may keep every thread of this one waiting.

    `others` are the descriptors that the waiting process is not to hold.
    """
    os.set_inheritable(descriptor, False)
    if not hasattr(os, "fork"):
        threading.Thread(target=_end_when_closed, args=(descriptor,), daemon=True).start()
        return
    group = os.getpgrp()
    child = os.fork()
    if child != 0:
        os.close(descriptor)
        os.waitpid(child, 0)
        return
    # Forked twice, it is no child of the runner: a snippet that waits for its children does not wait for it.
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


def _end_when_closed(descriptor):
    try:
        os.read(descriptor, 1)
    finally:
        os._exit(137)


def keep_from_forks(descriptors):
    """Puts something empty in place of descriptors in processes that a snippet forks: commands are not for them."""
    if not hasattr(os, "register_at_fork"):
        return

    def replace():
        empty = os.open(os.devnull, os.O_RDWR)
        for descriptor in descriptors:
            os.dup2(empty, descriptor, inheritable=False)
        os.close(empty)

    os.register_at_fork(after_in_child=replace)


def volunteer_for_the_killer():
    """On Linux, makes this process the first to end when memory runs out: neither the browser nor the service."""
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("1000")
    except OSError:
        pass


def limit_memory(megabytes):
    """Bounds what the process can allocate, where the system knows how: a snippet gets a MemoryError."""
    try:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = megabytes * 1024 * 1024
        if hard == resource.RLIM_INFINITY or wanted < hard:
            resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
    except (ImportError, OSError, ValueError):
        pass
