import assert from 'node:assert/strict';
import { crawlLines, crawlTexts, endedText, missingText } from '../../../src/extension/crawls/crawl-texts.ts';
import { type Crawl, type CrawlsChange, CrawlsStore } from '../../../src/extension/crawls/crawls-store.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';

const states = (entries: Record<string, object | 'gone'>) => new Map(Object.entries(entries)) as never;

function store() {
  const clock = createFakeClock();
  const made = new CrawlsStore(clock.now);
  const ended: Crawl[] = [];
  const changes: CrawlsChange[] = [];
  made.onEnded.on((crawl) => ended.push(crawl));
  made.onChange.on((change) => changes.push(change));
  return { clock, made, ended, changes };
}

describe('active crawls', () => {
  it('are listed with their progress, newest first', () => {
    const { made } = store();
    made.setList(
      [
        { id: 'a', url: 'https://a.test', created_at: '2026-01-15T11:00:00Z' },
        { id: 'b', url: 'https://b.test', created_at: '2026-01-15 11:30:00.000' },
      ],
      states({ a: { status: 'scraping', completed: 3, total: 10 } }),
    );
    assert.deepEqual(
      made.crawls.map(({ id, completed, total, active }) => ({ id, completed, total, active })),
      [
        { id: 'b', completed: undefined, total: undefined, active: true },
        { id: 'a', completed: 3, total: 10, active: true },
      ],
    );
  });

  it('report once that they have ended, with the result', () => {
    const { made, ended, clock } = store();
    made.setList([{ id: 'a', url: 'https://a.test' }], states({ a: { status: 'scraping', completed: 1, total: 2 } }));
    for (let round = 0; round < 3; round++) {
      made.setList([], states({ a: { status: 'completed', completed: 2, total: 2 } }));
      clock.advance(1_000);
    }
    assert.deepEqual(
      ended.map(({ id, status, completed }) => ({ id, status, completed })),
      [{ id: 'a', status: 'completed', completed: 2 }],
    );
    assert.equal(made.crawls[0]?.active, false);
    clock.advance(2 * 60 * 60_000);
    assert.deepEqual(made.crawls, []);
  });

  it('are shown as soon as they are started, even before the server lists them', () => {
    const { made, ended, clock } = store();
    made.addStarted('a', 'https://a.test', ['At most 3 pages']);
    made.setList([], states({}));
    assert.equal(made.active.length, 1);
    clock.advance(60_000);
    made.setList([], states({}));
    assert.equal(made.active.length, 0);
    assert.deepEqual(
      ended.map(({ own, status }) => ({ own, status })),
      [{ own: true, status: 'ended' }],
    );
  });

  it('stay while their own status says that they run, even if the list omits them', () => {
    const { made, ended } = store();
    made.setList([{ id: 'a' }], states({}));
    made.setList([], states({ a: { status: 'scraping', completed: 5 } }));
    assert.equal(made.find('a')?.active, true);
    assert.deepEqual(ended, []);
  });

  it("are dropped if the server doesn't know them", () => {
    const { made, ended } = store();
    made.setList([{ id: 'a' }], states({}));
    made.setList([], states({ a: 'gone' }));
    assert.deepEqual(made.crawls, []);
    assert.equal(ended.length, 1);
  });

  it('stay canceled even if the server still lists them', () => {
    const { made, ended } = store();
    made.setList([{ id: 'a' }], states({}));
    made.markCancelled('a');
    made.setList([{ id: 'a' }], states({ a: { status: 'cancelled' } }));
    assert.equal(made.find('a')?.status, 'cancelled');
    assert.deepEqual(made.active, []);
    assert.deepEqual(
      ended.map(({ status }) => status),
      ['cancelled'],
    );
  });

  it('update only the rows that changed', () => {
    const { made, changes } = store();
    const listed = [{ id: 'a' }, { id: 'b' }];
    made.setList(listed, states({ a: { status: 'scraping', completed: 1 }, b: { status: 'scraping', completed: 1 } }));
    changes.length = 0;
    made.setList(listed, states({ a: { status: 'scraping', completed: 1 }, b: { status: 'scraping', completed: 2 } }));
    assert.deepEqual(changes, [{ kind: 'state' }, { kind: 'crawl', id: 'b' }]);
  });

  it('are shown without an id, an address or an impossible date', () => {
    const { made, clock } = store();
    made.setList(
      [{ id: null, url: null, created_at: '0000-00-00' }, { url: 'https://b.test' }, { id: 'x'.repeat(100_000) }],
      states({}),
    );
    assert.equal(made.crawls.length, 3);
    for (const crawl of made.crawls) {
      assert.equal(crawl.hasId, false);
      assert.ok(crawlTexts(crawl, clock.now()).label.length <= 70);
    }
    made.setList([], states({}));
    assert.deepEqual(made.active, []);
  });

  it('go on when they are continued', () => {
    const { made, ended } = store();
    const leftOut = [{ reason: 'limit', count: 41, atLeast: true, examples: [] }];
    made.setList([{ id: 'a' }], states({}));
    made.setList([], states({ a: { status: 'completed', completed: 100, leftOut } }));
    made.markContinued('a');
    assert.deepEqual([made.find('a')?.active, made.find('a')?.leftOut], [true, []]);
    made.setList([], states({ a: { status: 'completed', completed: 141, leftOut: [] } }));
    assert.deepEqual(
      ended.map(({ completed, own }) => [completed, own]),
      [
        [100, false],
        [141, true],
      ],
    );
  });

  it('ignore impossible progress', () => {
    const { made } = store();
    made.setList([{ id: 'a' }], states({ a: { status: 'scraping', completed: -4, total: Number.NaN } }));
    assert.deepEqual([made.find('a')?.completed, made.find('a')?.total], [undefined, undefined]);
  });
});

describe('the texts of a crawl', () => {
  const crawl: Crawl = {
    id: '0192f3a4-6c1e-7000-8000-000000000000',
    hasId: true,
    shortId: '0192',
    url: 'https://docs.test/guide/',
    createdAt: 0,
    optionLines: ['At most 3 pages'],
    status: 'scraping',
    active: true,
    completed: 312,
    total: 900,
    readAs: undefined,
    error: undefined,
    warning: undefined,
    changes: undefined,
    readForLinks: undefined,
    warned: undefined,
    redirectedTo: undefined,
    leftOut: [],
    options: {},
    endedAt: undefined,
    expiresAt: undefined,
    own: false,
  };

  it('say what was left out, and until when pages are kept', () => {
    // A Thursday, wherever the test runs.
    const now = new Date(2026, 0, 15, 12).getTime();
    const kept = { endedAt: now, expiresAt: now + 24 * 3_600_000 };
    const done = { ...crawl, active: false, status: 'completed', completed: 100, ...kept };
    const limit = { reason: 'limit', count: 41, atLeast: true, examples: [] };
    const cut = crawlTexts({ ...done, leftOut: [limit] }, now + 60_000);
    assert.match(cut.description, /^100 of 141\+ pages · 1 min ago · kept until Fri,? \d\d:\d\d$/);
    const sooner = crawlTexts({ ...done, expiresAt: now + 3_600_000 }, now + 60_000);
    assert.match(sooner.description, /kept until \d\d:\d\d$/);
    assert.match(cut.tooltip, /Left out: at least 41 pages, beyond the limit/);
    const read = crawlTexts({ ...done, completed: 60, readForLinks: 7 }, now + 60_000);
    assert.match(read.description, /60 pages, 7 more read for their links/);
    const empty = { ...done, completed: 0, warning: 'No page was crawled: …' };
    assert.deepEqual(crawlLines(empty), ['No page was crawled: …', 'At most 3 pages']);
  });

  it('show their warnings in the row, below it and at the end, however they ended', () => {
    const slow = 'These path patterns took too long to match, so some paths were skipped: "(a+)+$"';
    const warning = `${slow}\n\nThe sitemaps could not be read: timeout\n`;
    const lines = [slow, 'The sitemaps could not be read: timeout'];
    const said = `${lines.join('. ')}.`;
    const running = { ...crawl, warning };
    assert.equal(crawlTexts(running, 2 * 60_000).description, '312/900 · warning · 2 min');
    assert.deepEqual(crawlLines(running), [...lines, 'At most 3 pages']);
    const done = { ...running, active: false, status: 'completed', completed: 53, endedAt: 0 };
    assert.equal(crawlTexts({ ...done, warned: 5 }, 0).description, '53 pages · warning · 5 with a warning · just now');
    assert.match(crawlTexts(done, 0).spoken, /53 pages · warning/);
    assert.ok(crawlTexts(done, 0).tooltip.includes(lines.join('\n')));
    assert.deepEqual(crawlLines(done), lines);
    assert.deepEqual(crawlLines({ ...done, status: 'cancelled' }), lines);
    const failed = { ...done, status: 'failed', error: 'The start page returned status 500.' };
    assert.deepEqual(crawlLines(failed), [failed.error, ...lines, 'At most 3 pages']);
    assert.equal(endedText('a.test', done), `Web Data: Crawl of a.test completed: 53 pages. ${said}`);
    assert.equal(endedText('a.test', failed), `Web Data: Crawl of a.test failed: 53 pages. ${said}`);
    assert.equal(endedText('a.test', { ...done, completed: 0 }), `Web Data: Crawl of a.test found no pages. ${said}`);
    const quiet = { ...done, warning: undefined };
    assert.equal(endedText('a.test', quiet), 'Web Data: Crawl of a.test completed: 53 pages.');
    const cut = { ...quiet, leftOut: [{ reason: 'limit', count: 1_041, atLeast: true, examples: [] }] };
    assert.match(endedText('a.test', cut), / completed: 53 pages, at least 1,041 more known/);
    assert.deepEqual(crawlLines(quiet), []);
  });

  it('count the pages that failed and those that were left out', () => {
    const pages = (reason: string, count: number, atLeast = false) => ({ reason, count, atLeast, examples: [] });
    assert.equal(missingText(crawl), undefined);
    const leftOut = [pages('limit', 41), pages('depth', 7), pages('host', 1_000, true), pages('failure', 4)];
    assert.equal(missingText({ ...crawl, leftOut }), '4 failed, at least 1,007 left out');
    const done = { ...crawl, active: false, status: 'completed', completed: 53, endedAt: 0, leftOut };
    assert.equal(
      crawlTexts({ ...done, leftOut: [pages('failure', 1)] }, 0).description,
      '53 pages · 1 failed · just now',
    );
    // Pages whose links weren't read have been counted for what kept them out.
    assert.equal(missingText({ ...crawl, leftOut: [pages('include', 27), pages('unread', 22)] }), '27 left out');
  });

  it('say how many pages a crawl that was canceled knew', () => {
    const ended = { ...crawl, active: false, status: 'cancelled', completed: 22, total: 23, endedAt: 0 };
    assert.equal(crawlTexts(ended, 0).description, 'canceled · 22 of 23+ pages · just now');
    assert.match(crawlTexts(ended, 0).spoken, /, canceled · 22 of 23\+ pages · just now$/);
    assert.equal(crawlTexts({ ...ended, total: 22 }, 0).description, 'canceled · 22 pages · just now');
  });

  it('say that there may be more if the limit was reached before all lists were read', () => {
    const leftOut = [{ reason: 'limit', count: 0, atLeast: true, examples: [] }];
    const cut = { ...crawl, active: false, status: 'completed', completed: 20, endedAt: 0, leftOut };
    assert.equal(crawlTexts(cut, 0).description, '20 of 20+ pages · just now');
    assert.match(crawlTexts(cut, 0).tooltip, /^Left out: maybe more, beyond the limit$/m);
    assert.equal(endedText('a.test', cut), 'Web Data: Crawl of a.test completed: 20 pages, maybe more.');
  });

  it('tell two crawls of a site apart', () => {
    const other = { ...crawl, id: 'other', optionLines: ['Only ^/guide', 'At most 3 pages'] };
    assert.match(crawlTexts(other, 0, [crawl, other]).description, /^312\/900 · Only \^\/guide · /);
    assert.doesNotMatch(crawlTexts(crawl, 0, [crawl, other]).description, /At most/);
    assert.doesNotMatch(crawlTexts(other, 0, [other]).description, /Only/);
  });

  it('have the site, the progress and the age', () => {
    const texts = crawlTexts(crawl, 2 * 60_000);
    assert.equal(texts.label, 'docs.test/guide/');
    assert.equal(texts.description, '312/900 · 2 min');
    assert.equal(texts.spoken, 'Crawl of docs.test/guide/, 312/900 · 2 min');
    assert.match(texts.tooltip, /At most 3 pages/);
  });

  it('give the result when it has ended', () => {
    const texts = crawlTexts({ ...crawl, active: false, status: 'completed', completed: 1, endedAt: 0 }, 30_000);
    assert.equal(texts.description, '1 page · just now');
    assert.equal(texts.spoken, 'Crawl of docs.test/guide/, completed · 1 page · just now');
    const readAs = { fetched: 41, rendered: 12 };
    const read = crawlTexts({ ...crawl, active: false, status: 'completed', completed: 53, readAs, endedAt: 0 }, 0);
    assert.equal(read.description, '53 pages · just now · 12 rendered');
    assert.match(read.tooltip, /^41 fetched, 12 rendered$/m);
    const ended = { ...crawl, active: false as const, status: 'completed', completed: 53, endedAt: 0 };
    const warned = crawlTexts({ ...ended, warned: 5 }, 0);
    assert.equal(warned.description, '53 pages · 5 with a warning · just now');
    assert.match(warned.tooltip, /^With a warning: 5 pages$/m);
    const failed = { ...crawl, active: false, status: 'failed', endedAt: 0, completed: undefined };
    assert.equal(crawlTexts(failed, 30_000).description, 'failed · just now');
  });

  it('start with the reason if a crawl failed', () => {
    const failed = { ...crawl, active: false, status: 'failed', error: 'The start page returned status 500.' };
    assert.deepEqual(crawlLines(failed), ['The start page returned status 500.', 'At most 3 pages']);
    assert.deepEqual(crawlLines(crawl), ['At most 3 pages']);
  });

  it('are one line without icons, whatever the server sends', () => {
    const hostile = `$(trash) a\nb\u202e${'x'.repeat(100_000)}`;
    const texts = crawlTexts({ ...crawl, url: hostile, status: hostile, error: hostile }, 0);
    for (const text of [texts.label, texts.description, texts.spoken]) {
      assert.ok(text.length < 300, String(text.length));
      assert.doesNotMatch(text, /\$\(|[\n\u202e]/);
    }
    assert.ok(texts.tooltip.length < 2_000);
    assert.doesNotMatch(texts.tooltip, /\$\(|\u202e/);
  });
});
