import { usesSession } from './session-use.ts';
import type { SourceFile, TypeScript } from './tsserver.ts';

const cellMarker = /^[ \t]*\/\/[ \t]*%%/m;
const scriptName = /(?<!\.d)\.[cm]?[jt]sx?$/;

/** Knows which files are snippets: files that were run, files with cells, and files that use the session without declaring it. */
export class SnippetFiles {
  #known = new WeakMap<SourceFile, { change: number; isSnippet: boolean }>();
  #run = new Set<string>();
  #isCaseSensitive: boolean;
  #ts: TypeScript;
  /** Changes when the list of files that were run changes. */
  change = 0;

  constructor(ts: TypeScript) {
    this.#isCaseSensitive = ts.sys.useCaseSensitiveFileNames;
    this.#ts = ts;
  }

  /** Sets the files that were run from a configuration of the plugin. Returns false if the configuration has no list. */
  configure(configuration: unknown): boolean {
    const { snippets } = (configuration ?? {}) as { snippets?: unknown };
    if (!Array.isArray(snippets)) return false;
    this.#run = new Set(snippets.filter((name) => typeof name === 'string').map((name) => this.#canonical(name)));
    this.change++;
    return true;
  }

  /** Whether a file is in the list of files that were run. */
  wasRun(fileName: string): boolean {
    return this.#run.size > 0 && this.#run.has(this.#canonical(fileName));
  }

  isSnippet(file: SourceFile): boolean {
    const known = this.#known.get(file);
    if (known?.change === this.change) return known.isSnippet;
    const isSnippet = this.#decide(file);
    this.#known.set(file, { change: this.change, isSnippet });
    return isSnippet;
  }

  #decide(file: SourceFile): boolean {
    const { fileName, text, isDeclarationFile } = file;
    if (isDeclarationFile || fileName.includes('/node_modules/')) return false;
    if (this.wasRun(fileName)) return true;
    if (!scriptName.test(fileName) && !isUntitled(fileName)) return false;
    return cellMarker.test(text) || usesSession(file, this.#ts, isUntitled(fileName));
  }

  #canonical(fileName: string): string {
    const name = fileName.replaceAll('\\', '/');
    return this.#isCaseSensitive ? name : name.toLowerCase();
  }
}

/** VS Code gives a buffer without a file a name such as `^/untitled/ts-nul-authority/Untitled-1`. */
function isUntitled(fileName: string): boolean {
  return fileName.includes('^/untitled/');
}
