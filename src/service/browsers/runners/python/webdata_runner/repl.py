"""Evaluates snippets, which share their variables."""

import __future__
import ast
import builtins
import io
import linecache
import sys
import types

from webdata_runner.errors import script_name
from webdata_runner.nesting import call

_FUTURES = 0
for _name in __future__.all_feature_names:
    _FUTURES |= getattr(__future__, _name).compiler_flag


class Repl:
    """A REPL with top-level await and the value of the last expression."""

    def __init__(self):
        module = types.ModuleType("__main__")
        module.__builtins__ = builtins
        sys.modules["__main__"] = module
        self.variables = module.__dict__
        self._runs = 0
        self._flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT

    async def evaluate(self, code, file=None, line=0):
        """Runs code, as if it were in a file from a line on. Returns the value of its last expression, awaited if it is a
        coroutine. Raises the code's errors."""
        self._runs += 1
        code = code.removeprefix("\ufeff")
        # Only what ends a line for Python, and the last one ends too, as in `linecache`.
        lines = io.StringIO(code.removesuffix("\n") + "\n", newline=None).readlines()
        name = script_name(self._runs, file, line, len(lines))
        self._remember(name, line, lines)
        # A script shows its warnings each time.
        self.variables.pop("__warningregistry__", None)
        try:
            tree = self._compile(code, name, "exec", ast.PyCF_ONLY_AST)
        except SyntaxError as error:
            if error.lineno is not None and error.filename == name:
                error.lineno += line
                error.end_lineno = error.end_lineno and error.end_lineno + line
            raise
        except (ValueError, UnicodeEncodeError) as error:
            # A NUL character or a lone surrogate.
            raise SyntaxError(str(error), (name, 1 + line, 1, "")) from None
        ast.increment_lineno(tree, line)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        await self._run(self._compile(tree, name, "exec"))
        if last is None:
            return None
        return await self._run(self._compile(ast.Expression(last.value), name, "eval"))

    def _remember(self, name, line, lines):
        """Keeps the lines of the code, which may not be saved, at their places in the file, for tracebacks."""
        known = linecache.getlines(name) if line else []
        known += ["\n"] * (line - len(known))
        known[line : line + len(lines)] = lines
        linecache.cache[name] = (sum(map(len, known)), None, known, name)

    def _compile(self, source, name, mode, more=0):
        compiled = compile(source, name, mode, self._flags | more, dont_inherit=True)
        if isinstance(compiled, types.CodeType):
            # As in any REPL, a `from __future__ import` applies to all later snippets.
            self._flags |= compiled.co_flags & _FUTURES
        return compiled

    async def _run(self, compiled):
        return await call(types.FunctionType(compiled, self.variables))
