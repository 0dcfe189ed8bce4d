import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { TextPage } from '../../../../src/service/web/crawl/run/changing-words.ts';
import { createPageTexts } from '../../../../src/service/web/crawl/run/page-texts.ts';
import { wordingOf } from '../../../../src/service/web/scrape/convert/wording.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

describe('what a crawl keeps of the texts of its pages', () => {
  it('BUD-13: is the beginning of their titles, however long they are', () => {
    const texts = createPageTexts();
    gc();
    const before = process.memoryUsage().heapUsed;
    for (let number = 0; number < 200; number++) {
      const url = `https://site.test/${number}`;
      const title = JSON.parse(JSON.stringify(`${number} ${'x'.repeat(200_000)}`));
      const wording = wordingOf(`<p>${`Word${number} and others. `.repeat(20)}</p>`, url);
      const scraped = { wording, document: { metadata: { title } }, links: [], isLogin: false };
      assert.equal(texts.twinOf({ identity: url, url, scraped } as unknown as TextPage, undefined), undefined);
    }
    gc();
    const kept = process.memoryUsage().heapUsed - before;
    assert.ok(kept < 20_000_000, `${kept} bytes are kept`);
  });
});
