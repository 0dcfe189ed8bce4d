import assert from 'node:assert/strict';
import type { StartParts } from '../../../src/extension/crawls/draft/start-crawl.ts';
import { fake } from '../../harness/fake-vscode.ts';

describe('Start Crawl', () => {
  const send = globalThis.fetch;
  afterEach(() => {
    globalThis.fetch = send;
  });

  for (const [kind, requests] of [
    ['server', []],
    ['embedded', ['HEAD https://shop.test/']],
  ] as const) {
    it(`sends the site ${requests.length} requests from this machine before it is confirmed, with the target ${kind}`, async () => {
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
});
