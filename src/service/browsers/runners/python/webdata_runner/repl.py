"""Evaluates snippets, which share their variables."""

import __future__
import ast
import inspect
import linecache
import sys
import types

from webdata_runner.errors import script_name

_FUTURES = 0
for _name in __future__.all_feature_names:
    _FUTURES |= getattr(__future__, _name).compiler_flag


class Repl:
    """A REPL with top-level await and the value of the last expression."""

    def __init__(self):
        module = types.ModuleType("__main__")
        module.__builtins__ = __builtins__
        sys.modules["__main__"] = module
        self.variables = module.__dict__
        self._runs = 0
        self._flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT

    async def evaluate(self, code):
        """Runs code. Returns the value of its last expression, awaited if it is a coroutine. Raises the code's errors."""
        self._runs += 1
        name = script_name(self._runs)
        code = code.removeprefix("\ufeff")
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        try:
            tree = self._compile(code, name, "exec", ast.PyCF_ONLY_AST)
        except (ValueError, UnicodeEncodeError) as error:
            # A NUL character or a lone surrogate.
            raise SyntaxError(str(error), (name, 1, 1, "")) from None
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        await self._run(self._compile(tree, name, "exec"))
        if last is None:
            return None
        value = await self._run(self._compile(ast.Expression(last.value), name, "eval"))
        return await value if inspect.iscoroutine(value) else value

    def _compile(self, source, name, mode, more=0):
        compiled = compile(source, name, mode, self._flags | more, dont_inherit=True)
        if isinstance(compiled, types.CodeType):
            # As in any REPL, a `from __future__ import` applies to all later snippets.
            self._flags |= compiled.co_flags & _FUTURES
        return compiled

    async def _run(self, compiled):
        value = eval(compiled, self.variables)  # noqa: S307: running the user's code is the purpose
        return await value if compiled.co_flags & inspect.CO_COROUTINE else value
