import { existsSync, readFileSync } from 'node:fs';
import {
  createRequire,
  type LoadHookSync,
  type ResolveHookSync,
  registerHooks,
  stripTypeScriptTypes,
} from 'node:module';
import * as path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { shorten } from '../../../../../contract/shorten.ts';
import { parseModule } from '../rewrite/parse.ts';
import { ownFolderUrl, versionMark, withFirstFrame } from '../stack.ts';
import { alternatives, isPlaywright, packageOf, portableSpecifier } from './resolution.ts';
import { createModuleVersions } from './versions.ts';

/** The modules of the user's project, for snippets that run as if they were in a file of it. */
export type ProjectModules = Awaited<ReturnType<typeof createProjectModules>>;

/** Marks the specifiers of a snippet, because their `import()` is in the runner's own file. */
const snippetPrefix = 'webdata-snippet:';
const windows = process.platform === 'win32';
const notFoundCodes = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT'];

/**
 * Installs the hooks that resolve and load the imports of snippets and project modules.
 * @param playwright folder of the Playwright that they get, whatever their project has: it drives the session
 */
export async function createProjectModules(playwright: string) {
  const { cache } = createRequire(ownFolderUrl);
  const versions = createModuleVersions(requiredFiles);
  let file = '';
  let fileUrl = '';
  let lastLoaded = '';

  /** Returns the imports by `require`, whose repetition Node.js answers without a hook. */
  function* requiredFiles(): Iterable<[importer: string, path: string]> {
    for (const [importer, module] of Object.entries(cache)) {
      // Those that were loaded by `import` may lack the list.
      const { children = [] }: Partial<NodeJS.Module> = module ?? {};
      for (const { filename } of children) if (filename) yield [plainPath(importer), plainPath(filename)];
    }
  }

  const resolve: ResolveHookSync = (asked, context, nextResolve) => {
    const isSnippet = asked.startsWith(snippetPrefix);
    const parentURL = isSnippet ? fileUrl : context.parentURL;
    const importer = isSnippet ? file : projectPath(parentURL);
    if (importer === undefined || parentURL === undefined) return nextResolve(asked, context);
    const specifier = portableSpecifier(
      isSnippet ? decodeURIComponent(asked.slice(snippetPrefix.length)) : asked,
      windows,
    );
    const required = context.conditions.includes('require');
    if (isPlaywright(specifier)) {
      const url = pathToFileURL(path.join(playwright, required ? 'index.js' : 'index.mjs')).href;
      return { url, format: required ? 'commonjs' : 'module', shortCircuit: true };
    }
    const notFound = required ? 'MODULE_NOT_FOUND' : 'ERR_MODULE_NOT_FOUND';
    const resolved = resolveFrom(specifier, parentURL, importer, notFound, (name) =>
      // `require` accepts no URLs.
      nextResolve(required && name.startsWith('file:') ? fileURLToPath(name) : name, { ...context, parentURL }),
    );
    const found = projectPath(resolved.url);
    if (found === undefined) return resolved;
    versions.imported(importer, found);
    return { ...resolved, url: versioned(resolved.url, found, required) };
  };

  function versioned(url: string, found: string, required: boolean): string {
    const version = versions.of(found);
    if (version === 0) return url;
    // `require` drops the query of a URL, but identifies an ES module by its file name.
    const inName = required && (versions.formatOf(found)?.startsWith('module') ?? false);
    return `${url}${inName ? '%3F' : url.includes('?') ? '&' : '?'}webdata=${version}`;
  }

  const load: LoadHookSync = (url, context, nextLoad) => {
    const found = projectPath(url);
    if (found === undefined) return nextLoad(url, context);
    versions.loading(found);
    lastLoaded = found;
    const inName = url.includes('%3Fwebdata=');
    const format = inName ? versions.formatOf(found) : context.format;
    const loaded = nextLoad(url.replace(/%3Fwebdata=\d+/, ''), { ...context, format });
    if (!inName) versions.loaded(found, loaded.format);
    return loaded;
  };

  /** Calls a function of Node.js's loader. If it throws, the modules that it loaded are loaded again next time. */
  function retryable<Result>(work: () => Result): Result {
    const { loads } = versions;
    const failed = (error: unknown): never => {
      versions.failedSince(loads);
      // Node.js prints the position only for errors that end the process.
      if (error instanceof SyntaxError && error.stack?.startsWith('SyntaxError') && lastLoaded !== '')
        error.stack = withFirstFrame(error.stack, syntaxErrorPosition(lastLoaded));
      throw error;
    };
    try {
      const result = work();
      return result instanceof Promise ? (result.catch(failed) as Result) : result;
    } catch (error) {
      return failed(error);
    }
  }

  registerHooks({ resolve, load });
  const source = 'export default (specifier) => import.meta.resolve(specifier)';
  const { default: resolveUrl } = (await import(`data:text/javascript,${source}`)) as { default(name: string): string };

  return {
    /** Sets the file that the next snippets run in, and drops the modules that changed, so that they are read anew. */
    enter(entered: string): void {
      lastLoaded = '';
      file = entered;
      fileUrl = pathToFileURL(file).href;
      const stale = new Set(versions.refresh());
      if (stale.size > 0) for (const name of Object.keys(cache)) if (stale.has(plainPath(name))) delete cache[name];
    },
    /** Imports a module as `import()` in the file does. */
    load: (specifier: string, attributes?: Record<string, string>): Promise<Record<string, unknown>> =>
      retryable(async () => {
        const name = snippetPrefix + encodeURIComponent(specifier);
        return (await import(name, { with: attributes ?? {} })) as Record<string, unknown>;
      }),
    resolve: (specifier: string): string =>
      resolveUrl(snippetPrefix + encodeURIComponent(specifier)).replace(versionMark, ''),
    retryable,
  };
}

/** Returns the path of a project module, or undefined for packages and the runner's own modules. */
function projectPath(url: string | undefined): string | undefined {
  if (!url?.startsWith('file:') || url.startsWith(ownFolderUrl) || url.includes('/node_modules/')) return undefined;
  return fileURLToPath(plainPath(url));
}

function plainPath(path: string): string {
  return path.replace(versionMark, '');
}

/** Resolves a specifier as Node.js does, else as TypeScript and bundlers do. */
function resolveFrom<Resolved>(
  specifier: string,
  parentUrl: string,
  importer: string,
  notFound: string,
  next: (specifier: string) => Resolved,
): Resolved {
  const name = packageOf(specifier);
  try {
    // Not asked for a package that isn't there: Node.js would remember that, even after it is installed.
    if (name !== undefined && !isInstalled(name, importer)) throw missing(specifier, importer, notFound);
    return next(specifier);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || !notFoundCodes.includes(code)) throw error;
    const url = alternatives(specifier, parentUrl).find((other) => existsSync(new URL(other)));
    if (url !== undefined) return next(url);
    throw name === undefined && code !== 'ERR_UNSUPPORTED_DIR_IMPORT' ? missing(specifier, importer, code) : error;
  }
}

/** Whether a package is in a folder that `require` looks in, or is the importer's own. */
function isInstalled(name: string, importer: string): boolean {
  return packagesFor(importer).some((folder) => existsSync(path.join(folder, name))) || ownName(importer) === name;
}

/** Returns the folders in which Node.js looks for a file's packages, the nearest one first. */
function packagesFor(file: string): string[] {
  return createRequire(file).resolve.paths('package') ?? [];
}

/** Returns the folder in which to install packages for a file: the nearest one with a package.json. */
function packageFolder(file: string): string {
  const folders = packagesFor(file).map((folder) => path.dirname(folder));
  const hasPackage = (folder: string) => file.startsWith(folder) && existsSync(path.join(folder, 'package.json'));
  return folders.find(hasPackage) ?? process.cwd();
}

function ownName(file: string): string | undefined {
  try {
    const text = readFileSync(path.join(packageFolder(file), 'package.json'), 'utf8');
    return (JSON.parse(text) as { name?: string }).name;
  } catch {
    return undefined;
  }
}

/** Returns an error that names the file that imports what is missing, and what to do. */
function missing(specifier: string, importer: string, code: string): Error {
  const name = packageOf(shorten(specifier));
  const text =
    name === undefined
      ? `Cannot find module '${shorten(specifier)}', imported from ${importer}`
      : `Cannot find package '${name}', imported from ${importer}. Run "npm install ${name}" in ${packageFolder(importer)}`;
  return Object.defineProperty(new Error(text), 'code', { value: code });
}

/** Returns the position `FILE:LINE:COLUMN` at which a module doesn't parse. */
function syntaxErrorPosition(file: string): string | undefined {
  try {
    const source = readFileSync(file, 'utf8');
    parseModule(/\.[cm]?ts$/.test(file) ? withoutTypes(source) : source);
    return undefined;
  } catch (error) {
    const { loc } = error as { loc?: { line: number; column: number } };
    return loc && `${file}:${loc.line}:${loc.column + 1}`;
  }
}

/** Strips types without the warning that Node.js prints about a call of ours. */
function withoutTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
