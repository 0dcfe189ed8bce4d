import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { discoveryFile } from '../../src/contract/embedded.ts';
import { type Answer, call } from './service.ts';
import { fleetOf } from './workbench-fleet.ts';

/** Calls the service that a workbench has started, or the fleet that it is connected to. Fails while none is running. */
export function embeddedService(dataDir: string) {
  const fleet = fleetOf(dataDir);
  if (fleet) return at(fleet.url, fleet.apiKey);
  const { port, apiKey } = discovered(dataDir);
  return at(`http://127.0.0.1:${port}`, apiKey ?? '');
}

/** Asks the service that a workbench has started to end. Fails while none is running. */
export function endEmbeddedService(dataDir: string): void {
  process.kill(discovered(dataDir).pid);
}

function discovered(dataDir: string) {
  const [file] = globSync('**/service.json', { cwd: dataDir });
  assert.ok(file, 'no service runs yet');
  return discoveryFile.parse(JSON.parse(readFileSync(join(dataDir, file), 'utf8')));
}

function at(baseUrl: string, apiKey: string) {
  return {
    baseUrl,
    call: (method: string, path: string, body?: unknown): Promise<Answer<ReturnType<typeof JSON.parse>>> =>
      call(baseUrl, apiKey, method, path, body),
  };
}
