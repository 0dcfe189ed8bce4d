import assert from 'node:assert/strict';
import { join } from 'node:path';
import { findService } from '../../src/extension/connection/embedded/discovery.ts';
import { ServiceLink } from '../../src/extension/connection/embedded/link.ts';

/**
 * Keeps the embedded service of a workbench running, as another window would: a slow machine may take longer to load a window
 * than the service waits for one. Close it in the end.
 */
export async function holdService(dataDir: string): Promise<ServiceLink> {
  const { service } = await findService(join(dataDir, 'data/User/globalStorage/web-data.web-data/service'));
  assert.ok(service);
  return await ServiceLink.open({ port: service.port, apiKey: service.apiKey, window: 'test' });
}
