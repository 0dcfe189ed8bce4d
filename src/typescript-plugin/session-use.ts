import type { SourceFile, SyntaxNode, TypeScript } from './tsserver.ts';

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
export function usesSession(file: SourceFile, ts: TypeScript, isUntitled: boolean): boolean {
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
