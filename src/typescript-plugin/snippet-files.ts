import type { SourceFile, SyntaxNode, TypeScript } from './tsserver.ts';

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

/**
 * Members that tell the session's objects from others of the same name, such as the `browser` of WebExtensions. Nothing else
 * that is called `page` is awaited at the top level of a file that doesn't declare it.
 */
const members: Readonly<Record<string, RegExp>> = {
  page: /^/,
  browser: /^(?:new(?:Page|Context|BrowserCDPSession)|contexts|version|isConnected|close)$/,
  context:
    /^(?:newPage|pages|(?:add|clear)?[cC]ookies|storageState|addInitScript|grantPermissions|route|waitForEvent|newCDPSession|close)$/,
};
/** Members of a Playwright page that other programs' `page` wouldn't have; empty while the name is being typed. */
const ofPages =
  /^(?:|goto|locator|frameLocator|getBy(?:Role|Text|Label|Placeholder|AltText|Title|TestId)|\$\$?(?:eval)?|waitFor[A-Z]\w*|setContent|setViewportSize|screenshot|mainFrame|keyboard|mouse)$/;
const used = /\b(?:page|context|browser)\s*[.?]/;

/**
 * Whether a file uses `page`, `context` or `browser` at its top level without declaring it, as only a snippet can. In a file
 * of a project, only what is awaited and the members of a page count: other globals may have these names.
 */
function usesSession(file: SourceFile, ts: TypeScript, isUntitled: boolean): boolean {
  if (!used.test(file.text)) return false;
  const declared = new Set<string>();
  const found = new Set<string>();
  const visit = (node: SyntaxNode): void => {
    const { name } = node;
    if (name && isDeclaration(node, ts) && ts.isIdentifier(name)) declared.add(String(name.escapedText));
    if (ts.isFunctionLike(node) || ts.isClassLike(node)) return;
    const isAwait = ts.isAwaitExpression(node);
    if (isAwait || ts.isPropertyAccessExpression(node)) {
      const use = start(node, ts);
      const isTelling = isAwait || isUntitled || (use?.object === 'page' && ofPages.test(use.member));
      if (use && isTelling && members[use.object]?.test(use.member)) found.add(use.object);
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(file as unknown as SyntaxNode, visit);
  return [...found].some((name) => !declared.has(name));
}

function isDeclaration(node: SyntaxNode, ts: TypeScript): boolean {
  return (
    ts.isVariableDeclaration(node) ||
    ts.isBindingElement(node) ||
    ts.isImportClause(node) ||
    ts.isImportSpecifier(node) ||
    ts.isNamespaceImport(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node)
  );
}

/** Returns the name at the start of an expression such as `page.locator('a').first()`, and the member that follows. */
function start(node: SyntaxNode, ts: TypeScript): { object: string; member: string } | undefined {
  let member = '';
  let current: SyntaxNode | undefined = node;
  while (current && !ts.isIdentifier(current)) {
    if (ts.isFunctionLike(current)) return undefined;
    if (ts.isPropertyAccessExpression(current)) member = String(current.name?.escapedText ?? '');
    current = current.expression;
  }
  return current && { object: String(current.escapedText), member };
}
