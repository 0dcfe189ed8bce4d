import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fingerprint, isStamped, stamp } from '../../../scripts/lib/fingerprint.mjs';

describe('the fingerprint of a set-up step', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'webdata-fingerprint-'));
    mkdirSync(join(folder, 'src/deep'), { recursive: true });
    writeFileSync(join(folder, 'src/deep/a.ts'), 'a');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('changes with any file in the folder, including its name', () => {
    const of = () => fingerprint([join(folder, 'src')]);
    const before = of();
    assert.equal(of(), before);
    writeFileSync(join(folder, 'src/deep/a.ts'), 'b');
    const changed = of();
    assert.notEqual(changed, before);
    writeFileSync(join(folder, 'src/deep/empty.ts'), '');
    assert.notEqual(of(), changed);
  });

  it('treats a missing input as empty', () => {
    assert.equal(fingerprint([join(folder, 'absent')]), fingerprint([]));
  });

  it('matches only the recorded value', () => {
    const file = join(folder, 'out/.stamp');
    assert.equal(isStamped(file, 'one'), false);
    stamp(file, 'one');
    assert.equal(isStamped(file, 'one'), true);
    assert.equal(isStamped(file, 'two'), false);
  });
});
