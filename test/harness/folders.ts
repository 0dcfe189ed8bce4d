import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const repository = join(import.meta.dirname, '..', '..');

/** A new folder of the test's own; the test removes it. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'webdata-test-'));
}
