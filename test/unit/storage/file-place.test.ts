import assert from 'node:assert/strict';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPlaceCheck, placeOf } from '../../../src/storage/file-place.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('the place of a database file', () => {
  let folder: string;
  let path: string;
  let now: number;
  beforeEach(() => {
    folder = temporaryFolder();
    path = join(folder, 'items.sqlite');
    writeFileSync(path, '');
    now = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** A check of each thread that uses the file. */
  const checks = () => {
    const place = placeOf(path);
    assert.ok(place);
    return [
      createPlaceCheck(path, structuredClone(place), () => now),
      createPlaceCheck(path, place, () => now),
    ] as const;
  };

  it('is checked once a second, and at once after another thread missed the file', () => {
    const [writer, reader] = checks();
    writer();
    now = 900;
    reader();
    renameSync(path, `${path}-away`);
    reader();
    now = 1000;
    assert.throws(writer, { code: 'FILE_MISSING' });
    assert.throws(reader, { code: 'FILE_MISSING' });
    renameSync(`${path}-away`, path);
    reader();
    writer();
  });

  it('is not that of a file that replaced it', () => {
    const [writer] = checks();
    writeFileSync(`${path}-other`, '');
    renameSync(`${path}-other`, path);
    assert.throws(writer, { code: 'FILE_MISSING' });
  });

  it('is unknown for a file that does not exist', () => assert.equal(placeOf(join(folder, 'none')), undefined));
});
