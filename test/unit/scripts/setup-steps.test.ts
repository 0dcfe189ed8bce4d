import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../scripts/lib/repository.mjs';
import { isInstalled, type LockFile } from '../../../scripts/lib/setup-steps.mjs';

const foreignOs = process.platform === 'linux' ? 'darwin' : 'linux';

describe('checking installed packages', () => {
  const wanted: LockFile = {
    packages: {
      '': {},
      'node_modules/a': { version: '1.0.0', integrity: 'x' },
      'node_modules/foreign': { version: '2.0.0', optional: true, os: [foreignOs] },
      'node_modules/own': { version: '2.0.0', optional: true, os: [process.platform], cpu: [process.arch] },
    },
  };
  const installed: LockFile = {
    packages: {
      'node_modules/a': { version: '1.0.0', integrity: 'x' },
      'node_modules/own': { version: '2.0.0', optional: true, os: [process.platform], cpu: [process.arch] },
    },
  };

  it('ignores packages of other platforms', () => {
    assert.equal(isInstalled(wanted, installed), true);
  });

  it('detects an interrupted install', () => {
    assert.equal(isInstalled(wanted, undefined), false);
  });

  it('compares only the version of a package if the lock file has no hash of its content', () => {
    const open = { packages: { ...wanted.packages, 'node_modules/a': { version: '1.0.0' } } };
    assert.ok(isInstalled(open, installed));
    const newer = { packages: { ...open.packages, 'node_modules/a': { version: '1.0.1' } } };
    assert.equal(isInstalled(newer, installed), false);
  });

  it('detects another version, other content and a missing package', () => {
    for (const a of [
      { version: '1.0.1', integrity: 'x' },
      { version: '1.0.0', integrity: 'y' },
    ]) {
      assert.equal(isInstalled(wanted, { packages: { ...installed.packages, 'node_modules/a': a } }), false);
    }
    const { 'node_modules/own': own, ...others } = installed.packages;
    assert.ok(own);
    assert.equal(isInstalled(wanted, { packages: others }), false);
  });
});

describe('a lock file', () => {
  for (const folder of ['.', 'test/clients']) {
    it(`lists the packages of every platform, so that a fresh clone can be installed on each: ${folder}`, () => {
      const { packages } = JSON.parse(readFileSync(join(ROOT, folder, 'package-lock.json'), 'utf8'));
      const missing = Object.entries<{ optionalDependencies?: object }>(packages).flatMap(([path, entry]) =>
        Object.keys(entry.optionalDependencies ?? {}).filter(
          (name) => !packages[`${path}/node_modules/${name}`] && !packages[`node_modules/${name}`],
        ),
      );
      assert.deepEqual(missing, []);
    });
  }
});

describe('the npm configuration', () => {
  it('lets npm run prestart and pretest, which ignore-scripts would skip', () => {
    assert.doesNotMatch(readFileSync(join(ROOT, '.npmrc'), 'utf8'), /ignore-scripts/);
  });
});
