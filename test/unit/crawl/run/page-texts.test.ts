import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { TextPage } from '../../../../src/service/web/crawl/run/site-knowledge/changing-words.ts';
import { createEqualUrls } from '../../../../src/service/web/crawl/run/site-knowledge/equal-urls.ts';
import { createPageTexts } from '../../../../src/service/web/crawl/run/site-knowledge/page-texts.ts';
import { createKeptKnowledge } from '../../../../src/service/web/crawl/run/site-knowledge/site-knowledge.ts';
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
  const twinOf = (texts: ReturnType<typeof createPageTexts>, path: string, ...links: string[]) => {
    const url = site + path;
    const wording = wordingOf('<h1>Help</h1><p>Ask us.</p>', url);
    const scraped = { wording, document: { metadata: { title: 'Help' } }, links, isLogin: false };
    return texts.twinOf({ identity: url, url, scraped } as unknown as TextPage, undefined)?.url;
  };

  it('are two if their ids differ only in upper and lower case', () => {
    const texts = createPageTexts();
    for (const path of ['/i/aB3x', '/i/Ab3x', '/i/abCdE', '/i/abcde', '/A', '/a', '/i/AB', '/i/ab'])
      assert.equal(twinOf(texts, path), undefined, path);
  });

  it('are one if only the words of their paths are written in another way, and their links are the same', () => {
    const texts = createPageTexts();
    const link = `${site}/help/a`;
    assert.equal(twinOf(texts, '/Tea-Help/', link), undefined);
    for (const path of ['/tea-help/', '/TEA-Help/']) assert.equal(twinOf(texts, path, link), `${site}/Tea-Help/`, path);
    assert.equal(twinOf(texts, '/tea-HELP/', `${site}/help/b`), undefined);
    assert.equal(twinOf(texts, '/Tea-Helps/', link), undefined);
  });

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

describe('what a page says', () => {
  it('is the same whether its characters are written as references or as such', () => {
    const said = (content: string) => {
      const { digest, length, said } = wordingOf(`<p>${content}</p>`, 'https://site.test/a');
      return { digest, length, said };
    };
    for (const [written, shown] of [
      ['Caf&eacute; &ndash; l&#8217;eau&hellip;', 'Café – l’eau…'],
      ['5&nbsp;&euro; &#xE002; &copy; 2026', '5&nbsp;€ \ue002 © 2026'],
      ['&Uuml;ber &#26085;&#x672c;', 'Über 日本'],
      ['a &#60; b &amp;eacute; &unknown; &#38;', 'a &lt; b &amp;eacute; &amp;unknown; &amp;'],
    ] as const)
      assert.deepEqual(said(written), said(shown), written);
    assert.notDeepEqual(said('Caf&eacute;'), said('Cafe'));
  });
});

describe('pages that name another one as their original', () => {
  const wordsFrom = (first: number, count: number) =>
    Array.from(
      { length: count },
      (_, at) => `w${(first + at).toString(36).replace(/\d/g, (digit) => 'qvxzjkhgfd'[+digit] ?? '')}`,
    ).join(' ');
  const answers = (first: number, count: number) =>
    Array.from({ length: count }, (_, at) => `<p>${wordsFrom((first + at) * 1_000, 20)}</p>`).join('');

  const textsOf = () => {
    const texts = createPageTexts();
    return (at: string, content: string, original: string | undefined) => {
      const metadata = { title: 'A' };
      const scraped = { wording: wordingOf(content, at), document: { metadata }, links: [], isLogin: false };
      const named = original === undefined ? undefined : { identity: original, alike: true };
      return texts.twinOf({ identity: at, url: at, scraped } as unknown as TextPage, named)?.url;
    };
  };

  it('are others if they say more than it does, however little of it is remembered', () => {
    for (let question = 0; question < 20; question++) {
      const twinOf = textsOf();
      const url = `https://site.test/questions/${question}`;
      const asked = `<h1>A question</h1><p>${wordsFrom(question * 100_000, 200)}</p>`;
      const first = question * 100 + 1;
      assert.equal(twinOf(url, asked + answers(first, 30), undefined), undefined);
      const second = `${url}?page=2`;
      assert.equal(twinOf(second, asked + answers(first + 30, 2), url), undefined, second);
      assert.equal(twinOf(`${url}?order=new`, asked + answers(first + 15, 15) + answers(first, 15), url), url);
      assert.equal(twinOf(`${url}?seen=5`, `${asked}${answers(first, 10)}<p>5 have seen it</p>`, url), url);
    }
  });

  it('are others although many pages are in one place', () => {
    const twinOf = textsOf();
    const url = (thread: number) => `https://site.test/viewtopic.php?t=${thread}`;
    const asked = (thread: number) => `<h1>A thread</h1><p>${wordsFrom(thread * 100_000, 200)}</p>`;
    const threads = Array.from({ length: 40 }, (_, thread) => thread);
    for (const thread of threads)
      assert.equal(twinOf(url(thread), asked(thread) + answers(thread * 100 + 1, 30), undefined), undefined);
    for (const thread of threads) {
      const second = `${url(thread)}&start=30`;
      assert.equal(twinOf(second, asked(thread) + answers(thread * 100 + 31, 2), url(thread)), undefined, second);
      const sorted = asked(thread) + answers(thread * 100 + 16, 15) + answers(thread * 100 + 1, 15);
      assert.equal(twinOf(`${url(thread)}&order=new`, sorted, url(thread)), url(thread));
    }
  });

  it('are others if they say much that it does not, however long both are', () => {
    const url = 'https://site.test/guide';
    for (let guide = 0; guide < 12; guide++) {
      const twinOf = textsOf();
      const long = answers(guide * 1_000, 300);
      assert.equal(twinOf(url, long, undefined), undefined);
      const more = `<p>${wordsFrom(guide * 1_000_000 + 400_000, 150)}</p>`;
      assert.equal(twinOf(`${url}?all=1`, long + more, url), undefined);
      assert.equal(twinOf(`${url}?from=a`, `${long}<p>${wordsFrom(900_000, 20)}</p>`, url), url);
    }
  });

  it('are copies if they only list the same in another order, as rows of a table or terms', () => {
    const rows = Array.from({ length: 40 }, (_, at) => [wordsFrom(at * 100 + 1, 2), wordsFrom(at * 100 + 50, 3)]);
    const table = (list: string[][]) =>
      `<table>${list.map(([name, value]) => `<tr><td>${name}</td><td>${value}</td></tr>`).join('')}</table>`;
    const terms = (list: string[][]) =>
      `<dl>${list.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join('')}</dl>`;
    const sorted = rows.toSorted(([one = ''], [other = '']) => (one.slice(-2) < other.slice(-2) ? -1 : 1));
    for (const shown of [table, terms]) {
      const twinOf = textsOf();
      const url = 'https://site.test/list';
      assert.equal(twinOf(url, shown(rows), undefined), undefined);
      assert.equal(twinOf(`${url}?sort=name`, shown(sorted), url), url, shown(rows).slice(0, 7));
      const others = rows.map(([name = ''], at) => [name, rows[(at + 1) % rows.length]?.[1] ?? '']);
      assert.equal(twinOf(`${url}?year=1`, shown(others), url), undefined, shown(rows).slice(0, 7));
    }
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
