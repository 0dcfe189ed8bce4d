"""The user's project: its folder, its environment variables and its modules, which are read anew when they change."""

import ast
import importlib
import importlib.util
import os
import sys
import sysconfig
import time

_RUNNER = os.path.dirname(os.path.abspath(__file__))
_LIBRARIES = tuple({os.path.realpath(sysconfig.get_path(name)) + os.sep for name in ("stdlib", "platstdlib")})


def is_project_file(path):
    """Whether a file belongs to the user, not to an installed package, to Python or to the runner."""
    if not isinstance(path, str) or not os.path.isabs(path):
        return False
    parts = path.replace("\\", "/").split("/")
    if "site-packages" in parts or "dist-packages" in parts or path.startswith(_RUNNER):
        return False
    return not os.path.realpath(path).startswith(_LIBRARIES)


class Project:
    """The place of the runs of one session."""

    def __init__(self):
        self._own = os.getcwd()
        self._directory = self._own
        self._folder = ""
        self._signatures = {}
        self._started = 0
        # The modules of each folder: two folders may have modules of the same name.
        self._modules = {}

    def enter(self, file, directory, variables):
        """Prepares a run of code from a file, or of code without one. Drops the modules that changed."""
        self._started = time.time_ns()
        self._change_directory(directory or self._own)
        self._set_folder(os.path.dirname(file) if file else "")
        sys.argv = [file or "snippet.py"]
        if file:
            variables["__file__"] = file
        else:
            variables.pop("__file__", None)
        importlib.invalidate_caches()
        self._drop_changed()

    def leave(self):
        """Records the modules that the run imported."""
        for name, module in _project_modules():
            if name not in self._signatures:
                signature = _signature(module.__file__)
                # Changed since the run started, perhaps after it was read.
                recent = signature is not None and signature[0] >= self._started
                self._signatures[name] = None if recent else signature

    def _change_directory(self, directory):
        # A snippet's own chdir lasts until a run is in another directory.
        try:
            os.getcwd()
        except OSError:
            self._directory = None
        if directory != self._directory:
            os.chdir(directory)
            self._directory = directory

    def _set_folder(self, folder):
        if folder == self._folder:
            return
        old, self._folder = self._folder, folder
        sys.path[0] = folder
        kept = {}
        for name, module in _project_modules():
            if module.__file__.startswith(os.path.join(old or self._own, "")):
                kept[name] = sys.modules.pop(name)
        self._modules[old] = kept
        sys.modules.update(self._modules.pop(folder, {}))

    def _drop_changed(self):
        modules = dict(_project_modules())
        signatures = self._signatures
        changed = {
            name
            for name, module in modules.items()
            if name in signatures and signatures[name] != _signature(module.__file__)
        }
        if not changed:
            return
        imports = {name: _imports(module) for name, module in modules.items()}
        stale = set()
        while changed - stale:
            stale |= changed
            changed = {name for name, imported in imports.items() if imported & stale}
        for name in stale:
            del sys.modules[name]
            signatures.pop(name, None)
            parent, _, child = name.rpartition(".")
            if parent in sys.modules and hasattr(sys.modules[parent], child):
                delattr(sys.modules[parent], child)


def set_environment(changes):
    """Sets variables, and removes those without a value."""
    for name, value in changes.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    if hasattr(time, "tzset"):
        time.tzset()


def _project_modules():
    return [
        (name, module)
        for name, module in list(sys.modules.items())
        if name != "__main__" and is_project_file(getattr(module, "__file__", None))
    ]


def _signature(path):
    try:
        status = os.stat(path)
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def _imports(module):
    """Returns the names of modules that a module may import."""
    try:
        with open(module.__file__, "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return set()
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                try:
                    base = importlib.util.resolve_name("." * node.level + base, module.__package__)
                except ImportError:
                    continue
            names.add(base)
            names.update(f"{base}.{alias.name}" for alias in node.names)
    return names
