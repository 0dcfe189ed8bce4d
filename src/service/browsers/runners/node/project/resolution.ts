import { isBuiltin } from 'node:module';
import { pathToFileURL } from 'node:url';

/** Extensions that a relative import may leave out, in the order in which they are tried. */
const omitted = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json'];
/** TypeScript files are imported by the names of the JavaScript files that a compiler makes of them. */
const compiled: Readonly<Record<string, string>> = { '.js': '.ts', '.mjs': '.mts', '.cjs': '.cts' };

/** Returns the URLs to try for an import that Node.js can't resolve itself, as TypeScript and bundlers do. */
export function alternatives(specifier: string, parentUrl: string): string[] {
  if (!isPathSpecifier(specifier)) return [];
  const { href } = new URL(specifier, parentUrl);
  const base = href.replace(/[?#].*$/s, '');
  const suffix = href.slice(base.length);
  const extension = /\.[^./]+$/.exec(base)?.[0] ?? '';
  const source = compiled[extension];
  return [
    ...(source === undefined ? [] : [base.slice(0, -extension.length) + source]),
    ...(base.endsWith('/') ? [] : omitted.map((ending) => base + ending)),
    ...omitted.map((ending) => `${base.replace(/\/$/, '')}/index${ending}`),
  ].map((url) => url + suffix);
}

/** Whether a specifier is a path, as opposed to the name of a package or a URL of another scheme. */
export function isPathSpecifier(specifier: string): boolean {
  return /^(?:\.{0,2}\/|\.{1,2}$|file:)/.test(specifier);
}

export function isPlaywright(specifier: string): boolean {
  return specifier === 'playwright' || specifier === 'playwright-core';
}

/** Returns the name of the package that a specifier refers to, or undefined if it's anything else. */
export function packageOf(specifier: string): string | undefined {
  if (isBuiltin(specifier) || isPathSpecifier(specifier)) return undefined;
  return /^(@[^/\\:%]+\/[^/\\:%]+|[^@#./\\:%][^/\\:%]*)(?:\/|$)/.exec(specifier)?.[1];
}

/** Returns a specifier with backslashes and drive letters of Windows as what Node.js accepts in `import`. */
export function portableSpecifier(specifier: string, windows: boolean): string {
  if (!windows) return specifier;
  if (/^(?:[A-Za-z]:[\\/]|\\\\)/.test(specifier)) return pathToFileURL(specifier, { windows }).href;
  return /^\.{1,2}\\/.test(specifier) ? specifier.replaceAll('\\', '/') : specifier;
}
