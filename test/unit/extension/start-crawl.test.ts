import assert from 'node:assert/strict';
import type { StartParts } from '../../../src/extension/crawls/draft/start-crawl.ts';
import { fake, Uri } from '../../harness/fake-vscode.ts';

describe('Start Crawl', () => {
  const send = globalThis.fetch;
  afterEach(() => {
    globalThis.fetch = send;
  });

  for (const [kind, requests] of [
    ['server', []],
    ['embedded', ['HEAD https://shop.test/']],
  ] as const) {
    it(`sends the site ${requests.length} requests from this machine before it is confirmed, with the target ${kind} (EXT-23)`, async () => {
      fake.reset();
      const sent: string[] = [];
      globalThis.fetch = async (url, init) => {
        sent.push(`${init?.method} ${String(url)}`);
        return new Response();
      };
      const { draftCrawl } = await import('../../../src/extension/crawls/draft/start-crawl.ts');
      // Asked for a sentence, the user gives up.
      const parts = { connection: { target: { kind } } } as unknown as StartParts;
      await assert.rejects(draftCrawl(parts, 'https://shop.test/'));
      assert.deepEqual(sent, requests);
    });
  }

  it('opens a draft of given options with the pages that they would leave out', async () => {
    fake.reset();
    const created: { text: string }[] = [];
    const drafts = {
      create(_name: string, draft: { text: string }) {
        created.push(draft);
        return Uri.from({ scheme: 'webdata-crawl', path: '/draft' });
      },
    };
    const { draftCrawl } = await import('../../../src/extension/crawls/draft/start-crawl.ts');
    const options = { url: 'https://shop.test/', limit: 20, includePaths: ['^/c/Teapots(/|$)'] };
    const pages = { reason: 'include', count: 30, examples: ['https://shop.test/product/1'] };
    await draftCrawl({ drafts, estimates: { look: () => undefined } } as unknown as StartParts, { options, pages });
    const { url, limit, includePaths } = JSON.parse(created[0]?.text ?? '');
    assert.deepEqual([url, limit, includePaths], [options.url, 30, ['^/c/Teapots(/|$)', '^/product(/|$)']]);
  });
});
