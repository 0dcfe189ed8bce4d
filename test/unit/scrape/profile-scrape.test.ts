import assert from 'node:assert/strict';
import type { CdpClient } from '../../../src/service/browsers/chrome/cdp-client.ts';
import { createChromeRenderer, type ProfileBrowser } from '../../../src/service/web/scrape/render/chrome-renderer.ts';
import type { RenderRequest } from '../../../src/service/web/scrape/render/render.ts';

/** A scrape with a profile that may take 20 milliseconds. */
const request = {
  url: 'https://shop.test/',
  team: 'default',
  signal: new AbortController().signal,
  timeoutMs: 20,
  profile: { name: 'shop', saveChanges: true },
} as unknown as RenderRequest;

describe('a scrape with a profile', () => {
  const rendererWith = (openProfile: () => Promise<ProfileBrowser>) =>
    createChromeRenderer({ local: false, policy: { checkUrl: () => undefined }, openProfile } as never);

  it('ends at its timeout while its browser still starts, and closes that once it has started', async () => {
    const opening = Promise.withResolvers<ProfileBrowser>();
    const closed = Promise.withResolvers<void>();
    await assert.rejects(rendererWith(() => opening.promise).render(request), { code: 'SCRAPE_TIMEOUT' });
    opening.resolve({ client: {} as CdpClient, close: async () => closed.resolve() });
    await closed.promise;
  });

  it('ends at its timeout while its browser opens the tab, and closes the browser', async () => {
    let closed = 0;
    const client = { send: () => new Promise(() => undefined), on: () => () => undefined } as unknown as CdpClient;
    const renderer = rendererWith(async () => ({ client, close: async () => void closed++ }));
    await assert.rejects(renderer.render(request), { code: 'SCRAPE_TIMEOUT' });
    assert.equal(closed, 1);
  });
});
