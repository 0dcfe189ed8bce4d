// @ts-check
// Builds the extension for fast activation: one file with all that activation evaluates, and parts that load when they are needed.
import { glob, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as esbuild from 'esbuild';

/** @typedef {{ path: string, contents: Uint8Array }} BuiltFile */

/**
 * esbuild splits only ES modules, so the parts become CommonJS afterwards.
 * @param {esbuild.BuildOptions} options of a build for Node.js with the extension as its only entry point
 * @returns {Promise<{ outputFiles: BuiltFile[], metafile: esbuild.Metafile | undefined }>}
 */
export async function buildInParts(options) {
  const built = await esbuild.build({
    ...options,
    format: 'esm',
    splitting: true,
    chunkNames: 'extension-part-[hash]',
    plugins: [...(options.plugins ?? []), vscodeOnce],
    metafile: true,
    write: false,
  });
  const files = await Promise.all(
    (built.outputFiles ?? []).map(async ({ path, text }) => ({ path, code: await toCommonJs(text, options) })),
  );
  return { outputFiles: joinStatic(files, built.metafile), metafile: built.metafile };
}

/**
 * @param {string} text
 * @param {esbuild.BuildOptions} options
 */
async function toCommonJs(text, { target, minify }) {
  const { code } = await esbuild.transform(text, {
    format: 'cjs',
    platform: 'node',
    target,
    minify,
    legalComments: 'none',
    supported: { 'dynamic-import': false },
  });
  return code;
}

/**
 * Puts the entry point and what it imports statically into one file, and what the features add to it into another: finding a
 * file takes longer than reading it.
 * @param {{ path: string, code: string }[]} files
 * @param {esbuild.Metafile} metafile
 * @returns {BuiltFile[]}
 */
function joinStatic(files, { outputs }) {
  /** @type {Map<string, string>} The joined file of each part that is in one. */
  const joined = new Map();
  const heads = ['src/extension/extension.ts', 'src/extension/features.ts'].map((entryPoint) => {
    const [path] = Object.entries(outputs).find(([, output]) => output.entryPoint === entryPoint) ?? [];
    if (!path) throw new Error(`The build has no file for ${entryPoint}.`);
    const head = basename(path);
    for (const part of staticImports(path, outputs)) if (!joined.has(part)) joined.set(part, head);
    return head;
  });
  const linked = (/** @type {string} */ code, /** @type {string} */ from) =>
    code.replaceAll(/\brequire\("\.\/([^"]+)"\)/g, (text, /** @type {string} */ name) => {
      const head = joined.get(name);
      if (head === undefined) return text;
      return head === from ? `$part("${name}")` : `require("./${head}").$part("${name}")`;
    });
  return files.flatMap(({ path, code }) => {
    const name = basename(path);
    if (!joined.has(name)) return [{ path, contents: Buffer.from(linked(code, name)) }];
    if (!heads.includes(name)) return [];
    const parts = files
      .filter((part) => joined.get(basename(part.path)) === name)
      // Parentheses make V8 compile a function at once instead of twice.
      .map((part) => `"${basename(part.path)}":(function(module,exports,$part){${linked(part.code, name)}})`);
    return [{ path, contents: Buffer.from(joinedFile(name, parts)) }];
  });
}

/**
 * @param {string} head name of the part whose exports are those of the file
 * @param {string[]} parts
 */
function joinedFile(head, parts) {
  return `"use strict";var $loaded={},$parts={${parts.join(',')}};
function $part(name){var module=$loaded[name];if(!module){module=$loaded[name]={exports:{}};$parts[name](module,module.exports,$part)}return module.exports}
module.exports={...$part("${head}"),$part};
`;
}

/**
 * @param {string} path
 * @param {esbuild.Metafile['outputs']} outputs
 * @returns {Set<string>} names of files
 */
function staticImports(path, outputs) {
  const found = new Set([path]);
  for (const from of found) {
    for (const { path: to, kind, external } of outputs[from]?.imports ?? []) {
      if (kind === 'import-statement' && !external && outputs[to]) found.add(to);
    }
  }
  return new Set([...found].map((name) => basename(name)));
}

/** Requires VS Code's API once. Otherwise every file that imports it makes a copy of all its names at startup. */
const vscodeOnce = {
  name: 'vscode-once',
  /** @param {esbuild.PluginBuild} build */
  setup(build) {
    build.onResolve({ filter: /^vscode$/ }, ({ kind, path }) =>
      kind === 'require-call' ? { path, external: true } : { path, namespace: 'vscode-once' },
    );
    build.onLoad({ filter: /.*/, namespace: 'vscode-once' }, async () => {
      const folder = join(build.initialOptions.absWorkingDir ?? '.', 'src', 'extension');
      const names = new Set();
      for await (const file of glob('**/*.ts', { cwd: folder })) {
        for (const [, name] of (await readFile(join(folder, file), 'utf8')).matchAll(/\bvscode\.(\w+)/g))
          names.add(name);
      }
      const constants = [...names].sort().map((name) => `export const ${name} = api.${name};`);
      return { contents: `const api = require('vscode');\n${constants.join('\n')}` };
    });
  },
};
