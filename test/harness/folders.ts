import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const repository = join(import.meta.dirname, '..', '..');

/** Creates a folder for a test, which removes it. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'webdata-test-'));
}
