import assert from 'node:assert/strict';
import {
  alternatives,
  isPathSpecifier,
  packageOf,
  portableSpecifier,
} from '../../../../src/service/browsers/runners/node/project/resolution.ts';

describe('resolution of project modules', () => {
  it('distinguishes packages from paths', () => {
    for (const [specifier, name] of [
      ['prices', 'prices'],
      ['prices/sub.js', 'prices'],
      ['@tea/cups/sub', '@tea/cups'],
      ['node:fs', undefined],
      ['fs/promises', undefined],
      ['./a', undefined],
      ['/a', undefined],
      ['#internal', undefined],
      ['@/alias', undefined],
      ['https://example.org/a.js', undefined],
      ['C:\\shop\\a.js', undefined],
      ['file:///C:/shop/a.js', undefined],
    ]) {
      assert.equal(packageOf(specifier ?? ''), name, specifier);
    }
    assert.deepEqual(['.', '..', './a', '../a', '/a', 'file:///a', '.a', 'a'].map(isPathSpecifier), [
      true,
      true,
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('reads Windows paths as URLs', () => {
    assert.equal(portableSpecifier('C:\\shop\\tea cup.mjs', true), 'file:///C:/shop/tea%20cup.mjs');
    assert.equal(portableSpecifier('\\\\server\\share\\a.mjs', true), 'file://server/share/a.mjs');
    assert.equal(portableSpecifier('.\\lib\\a.mjs', true), './lib/a.mjs');
    assert.equal(portableSpecifier('.\\lib\\a.mjs', false), '.\\lib\\a.mjs');
    assert.equal(portableSpecifier('./a.mjs', true), './a.mjs');
    assert.equal(portableSpecifier('prices', true), 'prices');
  });

  it('tries TypeScript files for the names of compiled ones, other extensions and index files', () => {
    const parent = 'file:///C:/shop/src/main.ts';
    assert.equal(alternatives('./a.js', parent)[0], 'file:///C:/shop/src/a.ts');
    assert.equal(alternatives('./a.mjs', parent)[0], 'file:///C:/shop/src/a.mts');
    assert.deepEqual(alternatives('../a', parent).slice(0, 4), [
      'file:///C:/shop/a.ts',
      'file:///C:/shop/a.mts',
      'file:///C:/shop/a.cts',
      'file:///C:/shop/a.js',
    ]);
    assert.ok(alternatives('./lib/', parent).includes('file:///C:/shop/src/lib/index.ts'));
    assert.deepEqual(alternatives('prices', parent), []);
  });
});
