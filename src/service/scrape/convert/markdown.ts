import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { __mdreamTakePanicMessage, htmlToMarkdown, initSync } from 'mdream/wasm';

// In the built service `import.meta.dirname` is dist/, where the build copies the module to.
const wasmPath = import.meta.dirname.endsWith(join('scrape', 'convert'))
  ? createRequire(join(import.meta.dirname, 'markdown.ts')).resolve('mdream/wasm/mdream_edge_bg.wasm')
  : join(import.meta.dirname, 'mdream.wasm');

/** Converts HTML to Markdown, with GFM tables and fenced code with its language. */
export interface MarkdownConverter {
  /** Converts content whose URLs are absolute and whose hidden elements have been removed. */
  convert(html: string): string;
}

/** The WebAssembly module crashed: its memory can't be trusted, so the thread must be replaced. */
export class ConverterCrash extends Error {}

/** The WebAssembly build of `mdream`, initialized once a thread. Throws a ConverterCrash. */
export const mdream: MarkdownConverter = {
  convert(html) {
    // Does nothing from the second call on.
    initSync({ module: compiled() });
    return collapseBlankLines(run(html)).trim();
  },
};

let module: WebAssembly.Module | undefined;

function compiled(): WebAssembly.Module {
  module ??= new WebAssembly.Module(readFileSync(wasmPath));
  return module;
}

function run(html: string): string {
  try {
    return htmlToMarkdown(html, {});
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError) && !(error instanceof RangeError)) throw error;
    throw new ConverterCrash(panicMessage() ?? error.message, { cause: error });
  }
}

function panicMessage(): string | undefined {
  try {
    return __mdreamTakePanicMessage();
  } catch {
    return undefined;
  }
}

/** Collapses consecutive blank lines outside code. */
function collapseBlankLines(markdown: string): string {
  if (!/\n[ \t]*\n[ \t]*\n/.test(markdown)) return markdown;
  const kept: string[] = [];
  let fence = '';
  let gap = false;
  for (const line of markdown.split('\n')) {
    const [, mark = ''] = /^[\s>]*(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === '') fence = mark;
    else if (mark.startsWith(fence)) fence = '';
    const blank = fence === '' && line.trim() === '';
    if (!blank) kept.push(line);
    else if (!gap) kept.push('');
    gap = blank;
  }
  return kept.join('\n');
}
