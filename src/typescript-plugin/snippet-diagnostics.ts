import type { Diagnostic, SourceFile } from './tsserver.ts';

/** Errors about the project's module format and target, which don't apply to how a snippet runs. */
const formatErrors = new Set([
  1286, 1287, 1295, 1309, 1343, 1375, 1378, 1431, 1432, 1470, 1479, 2852, 2853, 2854, 5097,
]);
/** "Cannot find name …", with and without advice to install types. */
const unknownNames = new Set([2304, 2580, 2584, 2591]);
/** What a snippet has besides the global names of Node.js. */
const provided = new Set(['require', '__dirname', '__filename', 'document', 'window']);
const nodeSpecifier = /^(['"])(?:node:)?[a-z_/]+\1$/;

/** Removes the errors that are wrong for a snippet: its session has Node.js, its modules, and the page's DOM in callbacks. */
export function withoutFormatErrors<Found extends Diagnostic>(
  diagnostics: readonly Found[],
  file: SourceFile,
): Found[] {
  return diagnostics.filter((found) => {
    // What is reported about a name that the session declares is not about this file.
    if (found.file && found.file.fileName !== file.fileName) return false;
    if (formatErrors.has(found.code)) return false;
    return !unknownNames.has(found.code) || !isProvided(textOf(found, file), found.code);
  });
}

function isProvided(name: string, code: number): boolean {
  if (nodeSpecifier.test(name)) return code !== 2304;
  return provided.has(name) || name in globalThis;
}

function textOf({ start = 0, length = 0 }: Diagnostic, { text }: SourceFile): string {
  return text.slice(start, start + length);
}
