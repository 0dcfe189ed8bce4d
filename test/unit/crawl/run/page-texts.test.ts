import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { TextPage } from '../../../../src/service/web/crawl/run/changing-words.ts';
import { createEqualUrls } from '../../../../src/service/web/crawl/run/equal-urls.ts';
import { createPageTexts } from '../../../../src/service/web/crawl/run/page-texts.ts';
import { createKeptKnowledge } from '../../../../src/service/web/crawl/run/site-knowledge.ts';
import { createVersions } from '../../../../src/service/web/crawl/run/versions.ts';
import type { Job } from '../../../../src/service/web/crawl/store/job-table.ts';
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

describe('pages with the same short text', () => {
  const site = 'https://site.test';
  const twinOf = (texts: ReturnType<typeof createPageTexts>, path: string) => {
    const url = site + path;
    const wording = wordingOf('<h1>Help</h1><p>Ask us.</p>', url);
    const scraped = { wording, document: { metadata: { title: 'Help' } }, links: [], isLogin: false };
    return texts.twinOf({ identity: url, url, scraped } as unknown as TextPage, undefined)?.url;
  };

  it('may be one if they have the same route, whatever the path before it', () => {
    const texts = createPageTexts();
    assert.equal(twinOf(texts, '/#/help'), undefined);
    for (const path of ['/about#/help', '/lenses/1#/help']) assert.equal(twinOf(texts, path), `${site}/#/help`);
    assert.equal(twinOf(texts, '/news#/terms'), undefined);
    const equal = createEqualUrls();
    const times = ['/about', '/lenses/1', '/news'].map((path) => equal.same(`${site}${path}#/help`, `${site}/#/help`));
    assert.deepEqual(times, [1, 2, 3]);
  });
});

describe('pages that say the same and name themselves as originals', () => {
  const are = (path: string, other: string, ...links: string[]) => {
    const [url = '', otherUrl = '', ...rest] = [path, other, ...links].map((each) => `https://site.test${each}`);
    return createVersions()(url, rest, otherUrl);
  };

  it('are versions in folders with other pages', () => {
    for (const [path, other, link] of [
      ['/docs/1.0/guides/x', '/docs/guides/x', '/docs/1.0/y'],
      ['/docs/guides/x', '/docs/1.0/guides/x', '/docs/y'],
      ['/v2/x.html', '/v1/x.html', '/v2/y.html'],
      ['/x', '/1.0/x', '/y'],
      ['/docs/1.0/', '/docs/', '/docs/1.0/x'],
      ['/de/x', '/fr/x', '/de/'],
    ] as const)
      assert.ok(are(path, other, link), `${path} ${other}`);
  });

  it('are copies in the same place, alone in a folder, or in any folder', () => {
    for (const [path, other, ...links] of [
      ['/x/', '/x', '/y'],
      ['/X', '/x', '/y'],
      ['/x.html', '/x', '/y'],
      ['/x?a=1', '/x', '/y'],
      ['/x/index.html', '/x', '/x/y'],
      ['/first', '/second', '/', '/third'],
      ['/print/x', '/x', '/x', '/print/x#top'],
      ['/s/1f2e3d/x', '/s/4c5b6a/x', '/s/7d8e9f/y'],
      ['/x/x/', '/x/', '/x/x/y/'],
    ] as const)
      assert.ok(!are(path, other, ...links), `${path} ${other}`);
    const areVersions = createVersions();
    const inFolder = (folder: string) =>
      areVersions(`https://site.test/${folder}/x`, [`https://site.test/${folder}/y`], 'https://site.test/x');
    const kept = Array.from({ length: 20 }, (_, number) => inFolder(`v${number}`));
    assert.deepEqual([kept.filter(Boolean).length, kept.at(-1)], [9, false]);
  });
});

describe('what the runs of a crawl have learned of its site', () => {
  const job = (number: number, completed: number, zeroDataRetention = false) =>
    ({
      id: String(number),
      kind: 'crawl',
      status: 'completed',
      options: { limit: completed, zeroDataRetention },
      completed,
      failed: 0,
      repeated: 0,
    }) as unknown as Job;

  it('is kept for the last ones that ended at their limits, as far as the budget allows', () => {
    const known = createKeptKnowledge();
    const keep = (each: Job) => {
      const knowledge = known.take(each);
      known.keep(each, knowledge);
      return knowledge;
    };
    const isKept = (each: Job, knowledge: unknown) => known.take(each) === knowledge;
    const many = Array.from({ length: 12 }, (_, number) => job(number, 10));
    const learned = many.map(keep);
    assert.deepEqual(
      many.map((each, at) => isKept(each, learned[at])),
      many.map((_, at) => at >= 2),
    );
    const large = [job(1, 3000), job(2, 3000), job(3, 6000), job(4, 5, true)];
    const ofLarge = large.map(keep);
    assert.deepEqual(
      large.map((each, at) => isKept(each, ofLarge[at])),
      [false, true, false, false],
    );
  });
});
