import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { discoveryFile } from '../../src/contract/embedded.ts';
import { type Answer, call } from './service.ts';

/** Calls the service that a workbench has started. Fails while none is running. */
export function embeddedService(dataDir: string) {
  const [file] = globSync('**/service.json', { cwd: dataDir });
  assert.ok(file, 'no service runs yet');
  const { port, apiKey } = discoveryFile.parse(JSON.parse(readFileSync(join(dataDir, file), 'utf8')));
  const baseUrl = `http://127.0.0.1:${port}`;
  return {
    baseUrl,
    call: (method: string, path: string, body?: unknown): Promise<Answer<ReturnType<typeof JSON.parse>>> =>
      call(baseUrl, apiKey ?? '', method, path, body),
  };
}
