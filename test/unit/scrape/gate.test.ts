import assert from 'node:assert/strict';
import { isGate } from '../../../src/service/web/scrape/gate.ts';
import type { LoadedPage } from '../../../src/service/web/scrape/load-page.ts';

const site = 'https://site.test';

/** Whether a site that leads from URLs to others shows a gate in place of a page. */
async function gated(path: string, leads: (url: string) => string): Promise<boolean> {
  const asked = site + path;
  const found = new URL(leads(asked), asked).href;
  return await isGate(found, asked, async (url) => ({ url: new URL(leads(url), url).href }) as LoadedPage);
}
const pathOf = (url: string) => encodeURIComponent(url.slice(site.length));

describe('a page in place of the one that was asked for', () => {
  it('is a gate if it may lead back, and the site also leads there from its start page', async () => {
    for (const leads of [
      (url: string) => `/consent?back=${pathOf(url)}`,
      (url: string) => `https://consent.test/collect?lang=en&continue=${encodeURIComponent(url)}`,
    ])
      for (const path of ['/', '/news/3', '/news?id=3']) assert.equal(await gated(path, leads), true, path);
  });

  it('is none where a page was moved, has another host or language, needs a login alone, or leads on', async () => {
    const ordinary: ((url: string) => string)[] = [
      (url) => (url.endsWith('/old') ? '/new?from=/old' : url),
      (url) => (url.endsWith('/old') ? '/new' : url),
      (url) => `${url}/`,
      (url) => url.replace('site.test', 'www.site.test'),
      (url) => `/en${url.slice(site.length)}?from=${pathOf(url)}`,
      (url) => (url === `${site}/` ? url : `/error?of=${pathOf(url)}`),
      (url) => (url.endsWith('/old') ? `/login?next=${pathOf(url)}` : url),
      () => '/start',
      () => '/start?next=/',
    ];
    for (const [index, leads] of ordinary.entries()) assert.equal(await gated('/old', leads), false, String(index));
    assert.equal(await gated('/', (url) => `/en/?from=${pathOf(url)}`), false);
    assert.equal(await gated('/share?url=https://other.test/a', () => 'https://other.test/a'), false);
  });

  it('is none if the site cannot be asked', async () => {
    const failing = isGate(`${site}/consent?back=/a`, `${site}/a`, () => Promise.reject(new Error('gone')));
    assert.equal(await failing, false);
  });
});
