import { existsSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { embeddedInstead } from '../../connection/remedies/remedies.ts';
import { type Position, SnippetError } from '../editor/snippet.ts';

/** An import of a file or package that only this machine has. */
export interface ProjectImport {
  name: string;
  /** In the code, 0-based. */
  position: Position;
}

/** Returns the error of code that is sent to a server which can't read the project. */
export function projectImportError({ name, position }: ProjectImport): SnippetError {
  const text = l10n.t(
    "Can't import \"{0}\": this server can't read your project's files. Use the embedded service, or paste the code.",
    name,
  );
  return new SnippetError(text, position, embeddedInstead);
}

/** Returns the first import of JavaScript code that needs the project: a file, or a package that is installed for `file`. */
export function findNodeImport(
  imports: readonly { specifier: string; line: number; character: number }[],
  file: string | undefined,
  exists: (path: string) => boolean = existsSync,
): ProjectImport | undefined {
  const found = imports.find(({ specifier }) => isFile(specifier) || isInstalledPackage(specifier, file, exists));
  return found && { name: found.specifier, position: { line: found.line, character: found.character } };
}

function isFile(specifier: string): boolean {
  return /^(?:\.{0,2}[\\/]|\.{1,2}$|file:|#|[A-Za-z]:[\\/])/.test(specifier);
}

function isInstalledPackage(specifier: string, file: string | undefined, exists: (path: string) => boolean): boolean {
  const name = /^(?:@[^/]+\/)?[^/@:]+/.exec(specifier)?.[0];
  if (!name || isBuiltin(specifier) || name === 'playwright' || name === 'playwright-core' || !file) return false;
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (exists(join(folder, 'node_modules', name))) return true;
    if (folder === dirname(folder)) return false;
  }
}

const pythonImport = /^([ \t]*)(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([^#;\n]+))/;

/** Returns the first import of Python code that resolves to a file or folder beside `file`. */
export function findPythonImport(
  code: string,
  file: string | undefined,
  exists: (path: string) => boolean = existsSync,
): ProjectImport | undefined {
  if (!file) return undefined;
  const folder = dirname(file);
  const isBeside = (name: string) => {
    const [top = ''] = name.split('.');
    return name.startsWith('.') || exists(join(folder, `${top}.py`)) || exists(join(folder, top, '__init__.py'));
  };
  for (const [line, text] of withoutPythonStrings(code)
    .split(/\r\n|\r|\n/)
    .entries()) {
    const [, indent = '', from, list] = pythonImport.exec(text) ?? [];
    const names = from ? [from] : (list ?? '').split(',').map((item) => item.trim().split(/\s/)[0] ?? '');
    const name = names.find((each) => each !== '' && isBeside(each));
    if (name !== undefined) return { name, position: { line, character: text.indexOf(name, indent.length) } };
  }
  return undefined;
}

/** Blanks the strings of Python code, which may look like imports. Keeps all positions. */
function withoutPythonStrings(code: string): string {
  return code.replace(
    /#[^\r\n]*|"""(?:\\[\s\S]|(?!""")[\s\S])*(?:"""|$)|'''(?:\\[\s\S]|(?!''')[\s\S])*(?:'''|$)|"(?:\\.|[^"\\\r\n])*"|'(?:\\.|[^'\\\r\n])*'/g,
    (text) => text.replace(/[^\r\n]/g, ' '),
  );
}
