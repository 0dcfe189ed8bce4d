import type { SnippetFiles } from './snippet-files.ts';
import type { Program, SourceFile, TypeScript, TypeScriptSymbol } from './tsserver.ts';

const added = new WeakSet<TypeScriptSymbol>();

/**
 * Declares `page`, `context` and `browser` in each snippet of a program that doesn't declare them itself. Other files of the
 * project don't see them. The top-level names of a snippet count as used: later runs can use them.
 */
export function bindSessionNames(program: Program, declarations: string, files: SnippetFiles, ts: TypeScript): void {
  const session = program.getSourceFile(declarations)?.symbol?.exports?.get('session')?.exports;
  if (!session) return;
  for (const file of program.getSourceFiles()) if (files.isSnippet(file)) bind(file, session, ts);
}

function bind({ locals }: SourceFile, session: Map<string, TypeScriptSymbol>, ts: TypeScript): void {
  if (!locals) return;
  for (const symbol of locals.values()) if (!(symbol.flags & ts.SymbolFlags.Alias)) symbol.isReferenced = -1;
  for (const [name, symbol] of session) {
    const known = locals.get(name);
    if (known && !added.has(known)) continue;
    symbol.isReferenced = -1;
    added.add(symbol);
    locals.set(name, symbol);
  }
}
