import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { __mdreamTakePanicMessage, htmlToMarkdown, initSync } from 'mdream/wasm';

/** Converts HTML to Markdown, with GFM tables and fenced code with its language. */
export interface MarkdownConverter {
  /** Converts content whose URLs are absolute and whose hidden elements have been removed. Throws a BrokenConverter. */
  convert(html: string): string;
}

/** The converter stopped in the middle of a page. Its memory can no longer be trusted, so its thread has to end. */
export class BrokenConverter extends Error {
  constructor(reason: string, cause: unknown) {
    super(`The Markdown converter stopped: ${reason}`, { cause });
    this.name = 'BrokenConverter';
  }
}

/** The WebAssembly build of mdream's core: the fastest converter that runs on every platform. */
export const mdream: MarkdownConverter = {
  convert(html) {
    initialize();
    return collapseBlankLines(guard(() => htmlToMarkdown(html, {}), __mdreamTakePanicMessage)).trim();
  },
};

/** Calls a WebAssembly function. Throws a BrokenConverter if it stops in the middle. */
export function guard<Result>(call: () => Result, panicMessage: () => string | undefined): Result {
  try {
    return call();
  } catch (error) {
    // A RangeError means that its stack overflowed.
    if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
    throw new BrokenConverter(messageOf(panicMessage) ?? error.message, error);
  }
}

function messageOf(panicMessage: () => string | undefined): string | undefined {
  try {
    return panicMessage();
  } catch {
    return undefined;
  }
}

let initialized = false;

/** Loaded once per thread; the file is beside the built converter. */
function initialize(): void {
  if (initialized) return;
  const isBuilt = !import.meta.dirname.endsWith(join('scrape', 'convert'));
  const file = isBuilt
    ? join(import.meta.dirname, 'mdream.wasm')
    : createRequire(join(import.meta.dirname, 'markdown.ts')).resolve('mdream/wasm/mdream_edge_bg.wasm');
  initSync({ module: readFileSync(file) });
  initialized = true;
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
