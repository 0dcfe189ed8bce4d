import assert from 'node:assert/strict';
import { build, type Metafile } from 'esbuild';
import { repository } from '../../harness/folders.ts';

const entry = 'src/extension/extension.ts';

/** Files of the bundle that are evaluated when the extension is loaded: those reached without an import(). */
function evaluatedAtOnce(inputs: Metafile['inputs']): string[] {
  const reached = new Set([entry]);
  for (const file of reached) {
    for (const { path, kind, external } of inputs[file]?.imports ?? []) {
      if (kind !== 'dynamic-import' && !external) reached.add(path);
    }
  }
  return [...reached];
}

describe('the bundle of the extension', () => {
  let inputs: Metafile['inputs'];
  before(async function () {
    this.timeout(30_000);
    const { metafile } = await build({
      absWorkingDir: repository,
      entryPoints: [entry],
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'cjs',
      external: ['vscode', 'bufferutil', 'utf-8-validate'],
    });
    inputs = metafile.inputs;
  });

  it('contains nothing that only the service needs', () => {
    const heavy =
      /node_modules\/(?:undici|playwright|playwright-core|puppeteer-core|fastify|pino|acorn|chrome-launcher)\/|src\/service\//;
    assert.deepEqual(
      Object.keys(inputs).filter((file) => heavy.test(file)),
      [],
    );
  });

  it('loads only the library that translates at startup, and nothing of the client and the contract', () => {
    const atOnce = evaluatedAtOnce(inputs);
    assert.deepEqual(
      atOnce.filter((file) => /node_modules\/(?!@vscode\/l10n\/)|src\/(?:client|contract)\//.test(file)),
      [],
    );
  });
});
