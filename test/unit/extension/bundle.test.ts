import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { repository } from '../../harness/folders.ts';

const entry = 'src/extension/extension.ts';
const features = 'src/extension/features.ts';

/** Files of the bundle that are evaluated together with one of them: those reached without an import(). */
function evaluatedWith(start: string, inputs: Metafile['inputs']): string[] {
  const reached = new Set([start]);
  for (const file of reached) {
    for (const { path, kind, external } of inputs[file]?.imports ?? []) {
      if (kind !== 'dynamic-import' && !external) reached.add(path);
    }
  }
  return [...reached];
}

describe('the bundle of the extension', () => {
  let inputs: Metafile['inputs'];
  before(async () => {
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

  it('loads no library with the features except the one for translations, and nothing of the client and the schemas', () => {
    assert.deepEqual(
      evaluatedWith(features, inputs).filter((file) =>
        /node_modules\/(?!@vscode\/l10n\/)|src\/client\/|src\/contract\/(?!(?:addresses|english|lenient-texts|limits|raw-headers|shorten)\.ts)/.test(
          file,
        ),
      ),
      [],
    );
  });

  it('loads only stand-ins for the features at startup', () => {
    const atOnce = evaluatedWith(entry, inputs);
    assert.ok(!atOnce.includes(features));
    const heavy = atOnce.filter((file) =>
      /-(?:tree|view|commands)\.ts$|\/connection\.ts$|node_modules\/(?!@vscode\/l10n\/)/.test(file),
    );
    assert.deepEqual(heavy, []);
    // The first use of Intl takes tens of milliseconds, so none is made while modules load.
    for (const file of evaluatedWith(features, inputs)) {
      if (!file.startsWith('src/')) continue;
      assert.doesNotMatch(
        readFileSync(join(repository, file), 'utf8'),
        /^(?:export )?(?:const|let) .*new Intl\./m,
        file,
      );
    }
  });
});
