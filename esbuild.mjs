// Builds every program of the product into dist/. `--watch` rebuilds on change, `--production` minifies,
// `--into FOLDER` builds into FOLDER/dist instead, and `--version V` builds them as version V.
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as esbuild from 'esbuild';
import { createCrawlSchema } from './scripts/lib/crawl-schema.ts';
import { buildInParts } from './scripts/lib/extension-parts.mjs';

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

/** Packages that several programs use are files of their own. PostgreSQL's driver loads only where it is used. */
const shared = ['kysely', 'pg'];
const sharedApart = {
  name: 'shared-apart',
  setup(build) {
    build.onResolve({ filter: new RegExp(`^(${shared.join('|')})$`) }, ({ kind, path }) =>
      kind === 'entry-point' ? undefined : { path: `./${path}.cjs`, external: true },
    );
  },
};

const common = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  logLevel: 'warning',
  legalComments: 'none',
  metafile: true,
  plugins: [versionOnly, sharedApart],
  absWorkingDir: import.meta.dirname,
};
const node = {
  ...common,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  outdir: dist,
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
  'page-converter': 'src/service/scrape/convert/worker.ts',
  'page-search': 'src/service/crawl/pages/search/thread.ts',
  'storage-thread': 'src/storage/thread.ts',
  'sandbox-bridge': 'src/service/isolation/bridge.ts',
  'mcp-protocol': 'src/service/mcp/protocol/protocol.ts',
  'mcp-stdio': 'src/service/mcp/stdio/stdio.ts',
  'pg-boss': 'src/service/fleet/jobs/pg-boss.ts',
  ...Object.fromEntries(shared.map((name) => [name, name])),
};
/** What VS Code loads. Every module finds the translation there, in whichever order the parts are evaluated. */
const extension = {
  ...node,
  entryPoints: { extension: 'src/extension/extension.ts' },
  inject: ['src/extension/ui/localization.ts'],
};
/** Runs the user's snippets in a separate process. It injects globals so that snippets cannot change those that it uses. */
const runnerEntries = { 'node-runner': 'src/service/runners/node/main.ts' };
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
await replace(join(dist, 'mdream.wasm'), await readFile(require.resolve('mdream/wasm/mdream_edge_bg.wasm')));
await copyDeclarations();

const builds = [
  { ...node, entryPoints: nodeEntries },
  ...(production ? [] : [extension]),
  {
    ...node,
    entryPoints: runnerEntries,
    inject: ['src/service/runners/node/globals.ts'],
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
  const { createReferenceIndex } = await import('./src/service/docs-search/index/reference-index.ts');
  await replace(join(dist, 'docs-index.json'), await createReferenceIndex('docs'));
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
  const [expected, installed] = await Promise.all(
    [from, to].map((folder) => readFile(join(folder, 'package.json'), 'utf8').catch(() => '')),
  );
  if (expected === installed) return;
  const unused = [/^[\\/](bin|types|cli\.js)([\\/]|$)/, /^[\\/]lib[\\/](vite|tools|entry)/, /\.(d\.ts|md|map|png)$/];
  await cp(from, to, {
    recursive: true,
    filter: (path) => !unused.some((pattern) => pattern.test(path.slice(from.length))),
  });
  if (!production) return;
  // Names stay: Playwright sends some of its functions to pages as text.
  const shorter = { minifyWhitespace: true, minifySyntax: true, legalComments: 'none', target: node.target };
  for (const file of ['coreBundle.js', 'utilsBundle.js']) {
    const path = join(to, 'lib', file);
    await writeFile(path, (await esbuild.transform(await readFile(path, 'utf8'), shorter)).code);
  }
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
      await replace(join(pluginFolder, 'declarations', name, file), short);
    }
  }
  const session = 'src/typescript-plugin/declarations/session.d.ts';
  await replace(join(pluginFolder, 'declarations/session.d.ts'), await readFile(session));
}

async function copyCodicons() {
  const from = dirname(require.resolve('@vscode/codicons/package.json'));
  for (const file of ['codicon.css', 'codicon.ttf'])
    await replace(join(dist, 'codicons', file), await readFile(join(from, 'dist', file)));
}

/** Copies the Python runner. */
async function copyPythonRunner() {
  const from = 'src/service/runners/python';
  const files = (await readdir(from, { recursive: true })).filter((file) => file.endsWith('.py'));
  for (const file of files) await replace(join(dist, 'python-runner', file), await readFile(join(from, file)));
}
