import assert from 'node:assert/strict';
import { join } from 'node:path';
import { findService } from '../../src/discovery/discovery.ts';
import { ServiceLink } from '../../src/extension/connection/embedded/link.ts';
import type { TestService } from './service.ts';
import { fleetOf } from './workbench-fleet.ts';

/**
 * Keeps the embedded service of a workbench running, as another window would: a slow machine may take longer to load a window
 * than the service waits for one. Close it in the end. A fleet runs without windows.
 */
export async function holdService(dataDir: string): Promise<Pick<ServiceLink, 'close'>> {
  if (fleetOf(dataDir)) return { close: () => undefined };
  const { service } = await findService(join(dataDir, 'data/User/globalStorage/web-data.web-data/service'));
  assert.ok(service);
  return await ServiceLink.open({ port: service.port, apiKey: service.apiKey, window: 'test' });
}

/** Lets a linked service read folders, as a window does whose user chose them. Close the link in the end. */
export async function letRead({ port, apiKey }: TestService, ...folders: string[]): Promise<ServiceLink> {
  const link = await ServiceLink.open({ port, apiKey, window: 'test' });
  for (const folder of folders) link.send({ type: 'docs-folder', folder });
  return link;
}
