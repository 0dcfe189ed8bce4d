// Builds every program of the product into dist/. `--watch` rebuilds on change, `--production` minifies,
// `--into FOLDER` builds into FOLDER/dist instead, and `--version V` builds them as version V.
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import * as esbuild from 'esbuild';
import { createCrawlSchema } from './scripts/lib/crawl-schema.ts';
import { buildInParts } from './scripts/lib/extension-parts.mjs';
import { iconsNamed } from './scripts/lib/icon-font.mjs';
import { bundlesOfPlaywright, withoutUnreached } from './scripts/lib/smaller-playwright.mjs';

const { production, watch, into, version } = parseArgs({
  options: {
    production: { type: 'boolean', default: false },
    watch: { type: 'boolean', default: false },
    into: { type: 'string', default: import.meta.dirname },
    version: { type: 'string' },
  },
}).values;
const require = createRequire(import.meta.url);
const dist = join(resolve(into), 'dist');
/** VS Code looks for TypeScript plugins in an extension's node_modules only. */
const pluginFolder = join(resolve(into), 'node_modules', 'web-data-typescript-plugin');

/** The programs need only the version of package.json. */
const versionOnly = {
  name: 'version-only',
  setup(build) {
    build.onLoad({ filter: /[\\/]package\.json$/ }, async ({ path }) => {
      if (dirname(path) !== import.meta.dirname) return undefined;
      const own = JSON.parse(await readFile(path, 'utf8')).version;
      return { loader: 'json', contents: JSON.stringify({ version: version ?? own }) };
    });
  },
};

/** Of the table of commands, the extension needs only the names, and which of them work in Restricted Mode. */
const commandNames = {
  name: 'command-names',
  setup(build) {
    build.onLoad({ filter: /[\\/]command-table\.ts$/ }, async ({ path }) => {
      const { commandRows } = await import(pathToFileURL(path));
      const rows = [...commandRows].map(([id, { free }]) => [id, { free }]);
      const ids = Object.fromEntries(rows.map(([id]) => [id.slice(id.indexOf('.') + 1), id]));
      return {
        contents: `export const commands = ${JSON.stringify(ids)};
          export const commandRows = new Map(${JSON.stringify(rows)});`,
      };
    });
  },
};

/** Packages that several programs use are files of their own. PostgreSQL's driver loads only where it is used. */
const shared = ['kysely', 'pg', 'zod'];
const sharedApart = {
  name: 'shared-apart',
  setup(build) {
    build.onResolve({ filter: new RegExp(`^(${shared.join('|')})(/v4)?$`) }, ({ kind, path }) =>
      kind === 'entry-point'
        ? undefined
        : { path: `./${path.replace('/v4', '')}.cjs`, external: true, sideEffects: false },
    );
    // Messages of zod are in English everywhere.
    build.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/**
 * Parts of packages that nothing here reaches: Fastify compiles JSON schemas of routes, but the contract checks requests,
 * and it injects requests in tests of its users. The parser of reStructuredText also writes HTML, with formulas and
 * colors.
 */
const unreached = {
  name: 'unreached',
  setup(build) {
    const names = /^(@fastify\/ajv-compiler|@fastify\/fast-json-stringify-compiler|light-my-request|katex|shiki)$/;
    build.onResolve({ filter: names }, ({ path }) => ({ path, namespace: 'unreached' }));
    build.onLoad({ filter: /.*/, namespace: 'unreached' }, ({ path }) => ({
      contents: `module.exports = () => () => { throw new Error("${path} isn't part of this build.") }`,
    }));
  },
};

/** The page of the live view carries only the icons that the views use. */
const usedIcons = {
  name: 'used-icons',
  setup(build) {
    build.onResolve({ filter: /^@vscode\/codicons\// }, () => ({ path: join(dist, 'codicons', 'codicon.css') }));
  },
};

/** Smaller files of packages, for what is used of them. */
const smaller = {
  // The names of encodings without the tables of their characters: Node.js decodes.
  '@exodus/bytes/encoding.js': '@exodus/bytes/encoding-lite.js',
  // Checks what MCP clients answer, without a compiler for JSON schemas.
  '@modelcontextprotocol/server/_shims': require
    .resolve('@modelcontextprotocol/server')
    .replace(/index\.[cm]js$/, 'shimsBrowser.mjs'),
  'readable-stream': 'node:stream',
};

const common = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  logLevel: 'warning',
  legalComments: 'none',
  metafile: true,
  // While rows are being edited, the table itself is watched.
  plugins: [versionOnly, sharedApart, unreached, usedIcons, ...(production ? [commandNames] : [])],
  absWorkingDir: import.meta.dirname,
};
const node = {
  ...common,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  outdir: dist,
  alias: smaller,
  // The second leaves undici's experimental HTTP parser out, as the build of Node.js does.
  define: { 'import.meta.dirname': '__dirname', esbuildDetection: '1' },
  external: ['vscode', 'playwright-core', 'bufferutil', 'utf-8-validate'],
};
const browser = { ...common, platform: 'browser', target: 'es2022', format: 'iife', loader: { '.ttf': 'file' } };

/** Programs that run in Node: name in dist -> entry. */
const nodeEntries = {
  service: 'src/service/start.ts',
  'service-program': 'src/service/main.ts',
  'import-scanner': 'src/extension/runs/project/import-scanner.ts',
  'webhook-receiver': 'src/extension/webhooks/receiver/thread.ts',
  'page-converter': 'src/service/web/scrape/convert/worker.ts',
  'converter-process': 'src/service/web/scrape/convert/converter-program.ts',
  'page-search': 'src/service/web/crawl/pages/search/thread.ts',
  'docs-index': 'src/service/assistants/docs-search/thread/thread.ts',
  'body-reader': 'src/service/platform/http/body-thread.ts',
  'storage-thread': 'src/storage/thread.ts',
  'sandbox-bridge': 'src/service/browsers/isolation/bridge.ts',
  'mcp-protocol': 'src/service/assistants/mcp/protocol/protocol.ts',
  'mcp-stdio': 'src/service/assistants/mcp/stdio/stdio.ts',
  'pg-boss': 'src/service/platform/fleet/jobs/pg-boss.ts',
  ...Object.fromEntries(shared.map((name) => [name, name])),
};
/** What VS Code loads. Every module finds the translation there, in whichever order the parts are evaluated. */
const extension = {
  ...node,
  entryPoints: { extension: 'src/extension/extension.ts' },
  inject: ['src/extension/ui/localization.ts'],
};
/** Runs the user's snippets in a separate process. It injects globals so that snippets cannot change those that it uses. */
const runnerEntries = { 'node-runner': 'src/service/browsers/runners/node/main.ts' };
/** Browser-side code, one bundle per view. */
const webviewEntries = {
  'run-results': 'src/webviews/run-results/main.ts',
  usage: 'src/webviews/usage/main.ts',
  'live-view': 'src/webviews/live-view/main.ts',
  docs: 'src/webviews/docs/main.ts',
};
/** The page that the service serves: one self-contained script and style sheet. */
const pageEntries = { page: 'src/webviews/live-view/page.ts' };

if (production) for (const folder of [dist, pluginFolder]) await rm(folder, { recursive: true, force: true });
await copyPlaywright();
await copyCodicons();
await replace(join(dist, 'schemas', 'crawl.schema.json'), createCrawlSchema());
await copyPythonRunner();
await copyDeclarations();

const builds = [
  { ...node, entryPoints: nodeEntries },
  ...(production ? [] : [extension]),
  {
    ...node,
    entryPoints: runnerEntries,
    inject: ['src/service/browsers/runners/node/globals.ts'],
    logOverride: { 'unsupported-dynamic-import': 'silent' },
  },
  {
    ...node,
    entryPoints: { index: 'src/typescript-plugin/typescript-plugin.ts' },
    outExtension: {},
    outdir: pluginFolder,
    // The server calls what the module exports.
    footer: { js: 'module.exports = module.exports.createPlugin;' },
  },
  { ...browser, entryPoints: webviewEntries, outdir: join(dist, 'webviews') },
  {
    ...browser,
    entryPoints: pageEntries,
    outdir: join(dist, 'live-view'),
    loader: { '.ttf': 'dataurl' },
    minify: true,
    sourcemap: false,
  },
];
if (watch) {
  for (const options of builds) await (await esbuild.context(options)).watch();
} else {
  const results = await Promise.all(builds.map((options) => esbuild.build({ ...options, write: false })));
  if (production) results.push(await buildInParts(extension));
  for (const { path, contents } of results.flatMap((result) => result.outputFiles)) await replace(path, contents);
  await replace(join(dist, 'meta.json'), JSON.stringify(results.map((result) => result.metafile)));
}
await writeDocsIndex();

/** Writes the search index of the reference texts, for questions about the product. */
async function writeDocsIndex() {
  const { createReferenceIndex } = await import('./scripts/lib/docs-index.ts');
  const path = join(dist, 'docs-index.sqlite');
  const draft = `${path}.${process.pid}.draft`;
  await rm(draft, { force: true });
  (await createReferenceIndex('docs', draft)).close();
  await replace(path, await readFile(draft));
  await rm(draft);
}

/** Replaces a file atomically, and only when it differs, so that a starting program never reads half of it. */
async function replace(path, contents) {
  const known = await readFile(path).catch(() => undefined);
  if (known?.equals(Buffer.from(contents))) return;
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.new`;
  await writeFile(draft, contents);
  await rename(draft, path);
}

/** Copies playwright-core, which only runner processes load: unbundled, without the parts that runners never need. */
async function copyPlaywright() {
  const from = dirname(require.resolve('playwright-core/package.json'));
  const to = join(dist, 'vendor', 'playwright-core');
  const shorter = { minifyWhitespace: true, minifySyntax: true, legalComments: 'none', target: node.target };
  for (const file of bundlesOfPlaywright) {
    // Names of its own code stay: it sends some of its functions to pages as text.
    const minifyIdentifiers = file === 'utilsBundle.js';
    const text = withoutUnreached(file, await readFile(join(from, 'lib', file), 'utf8'));
    await replace(
      join(to, 'lib', file),
      production ? (await esbuild.transform(text, { ...shorter, minifyIdentifiers })).code : text,
    );
  }
  const [expected, installed] = await Promise.all(
    [from, to].map((folder) => readFile(join(folder, 'package.json'), 'utf8').catch(() => '')),
  );
  if (expected === installed) return;
  // The codec for WebP is for browsers that can't take such screenshots themselves, and for comparing them; `xdg-open` opens reports.
  const unused = [
    /^[\\/](bin|types|cli\.js)([\\/]|$)/,
    /^[\\/]lib[\\/](vite|tools|entry|xdg-open)/,
    /\.(d\.ts|md|map|png|wasm)$/,
    ...bundlesOfPlaywright.map((file) => new RegExp(`[\\\\/]${file}$`)),
  ];
  await cp(from, to, {
    recursive: true,
    filter: (path) => !unused.some((pattern) => pattern.test(path.slice(from.length))),
  });
}

/** The TypeScript plugin with the types that it adds to snippets: those of the session, of Playwright and of Node.js. */
async function copyDeclarations() {
  const manifest = { name: 'web-data-typescript-plugin', version: '0.0.0', private: true, main: 'index.js' };
  await replace(join(pluginFolder, 'package.json'), JSON.stringify(manifest));
  const packages = { 'playwright-core': 'playwright-core', node: '@types/node', 'undici-types': 'undici-types' };
  for (const [name, from] of Object.entries(packages)) {
    const folder = dirname(require.resolve(`${from}/package.json`));
    const files = (await readdir(folder, { recursive: true })).filter(
      // Types for older versions of TypeScript, and programs, stay behind.
      (file) => /^LICENSE$|\.d\.ts$/.test(file) && !/^(lib|bin|node_modules|ts\d\.\d)[\\/]/.test(file),
    );
    for (const file of files) {
      const text = await readFile(join(folder, file), 'utf8');
      // The comments on the types of the DevTools protocol are a tenth of all declarations.
      const short = file.endsWith('protocol.d.ts') ? text.replaceAll(/\/\*\*[\s\S]*?\*\/\n?/g, '') : text;
      // It would be looked for in the folders above the extension, where another version may be.
      const own = short.replaceAll(/^\/\/\/ <reference types="node" \/>\n/gm, '');
      await replace(join(pluginFolder, 'declarations', name, file), own);
    }
  }
  const session = 'src/typescript-plugin/declarations/session.d.ts';
  await replace(join(pluginFolder, 'declarations/session.d.ts'), await readFile(session));
}

/** Copies the icons that views name. While files are watched all are there, since names come and go. */
async function copyCodicons() {
  const from = join(dirname(require.resolve('@vscode/codicons/package.json')), 'dist');
  const all = {
    css: await readFile(join(from, 'codicon.css'), 'utf8'),
    font: await readFile(join(from, 'codicon.ttf')),
  };
  const files = (await readdir('src/webviews', { recursive: true })).filter((file) => /\.(tsx?|css)$/.test(file));
  const texts = await Promise.all(files.map((file) => readFile(join('src/webviews', file), 'utf8')));
  const words = new Set(
    texts.flatMap((text) => text.replaceAll('codicon-', '').match(/[a-z0-9]+(-[a-z0-9]+)*/g) ?? []),
  );
  const { css, font } = watch ? all : iconsNamed(all, words);
  await replace(join(dist, 'codicons', 'codicon.css'), css);
  await replace(join(dist, 'codicons', 'codicon.ttf'), font);
}

/** Copies the Python runner. */
async function copyPythonRunner() {
  const from = 'src/service/browsers/runners/python';
  const files = (await readdir(from, { recursive: true })).filter((file) => file.endsWith('.py'));
  for (const file of files) await replace(join(dist, 'python-runner', file), await readFile(join(from, file)));
}
