import assert from 'node:assert/strict';
import type { Client } from '../../../src/client/client.ts';
import type { ActivityItem } from '../../../src/contract/team/team.ts';
import { groupEntries, maxRows, Segments } from '../../../src/extension/activity/activity-groups.ts';
import { type ActivityPage, ActivityStore, maxEntries } from '../../../src/extension/activity/activity-store.ts';
import { activityTexts, activityTooltip, noRecordReason } from '../../../src/extension/activity/activity-texts.ts';
import { detailsOf, failureOf } from '../../../src/extension/activity/requests.ts';
import { RateLimit } from '../../../src/extension/connection/polling/rate-limit.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';

const start = Date.UTC(2026, 0, 15, 12);
const at = (minutesAgo: number) => new Date(start - minutesAgo * 60_000).toISOString();
const item = (id: string, minutesAgo = 1, more: Partial<ActivityItem> = {}): ActivityItem => ({
  id,
  endpoint: 'scrape',
  created_at: at(minutesAgo),
  target: `https://shop.test/${id}`,
  ...more,
});
const page = (ids: readonly string[], cursor: string | null = null): ActivityPage => ({
  data: ids.map((id) => item(id)),
  cursor,
  has_more: cursor !== null,
});

function store() {
  const clock = createFakeClock(start);
  return { clock, made: new ActivityStore(clock.now) };
}
const idsOf = (made: ActivityStore) => made.entries.map(({ id }) => id);

describe('activity', () => {
  it('grows at the top, and loaded rows keep their place', () => {
    const { made } = store();
    made.setNewest([page(['b', 'a'], 'c1')]);
    made.addOlder('c1', { data: [item('z', 60)], cursor: 'c2', has_more: true });
    const before = [...made.entries];
    made.setNewest([{ data: [item('c', 0), ...page(['b', 'a']).data], cursor: 'other', has_more: true }]);
    assert.deepEqual(idsOf(made), ['c', 'b', 'a', 'z']);
    assert.deepEqual(made.entries.slice(1), before);
    assert.ok(made.entries.slice(1).every((entry, index) => entry === before[index]));
    assert.deepEqual(made.paging, { kind: 'more', cursor: 'c2' });
  });

  it('starts over if a gap remains after the newest page, and keeps identical rows', () => {
    const { made } = store();
    made.setNewest([page(['a'], 'c1')]);
    const [a] = made.entries;
    made.setNewest([page(['f', 'e'], 'c5'), page(['d', 'c'], 'c3')]);
    assert.deepEqual(idsOf(made), ['f', 'e', 'd', 'c']);
    assert.deepEqual(made.paging, { kind: 'more', cursor: 'c3' });
    made.setNewest([page(['g', 'f'], 'c6')]);
    assert.deepEqual(idsOf(made), ['g', 'f', 'e', 'd', 'c']);
    assert.ok(a);
  });

  it('has each request once, and a job once per request', () => {
    const { made } = store();
    made.setNewest([{ data: [item('a', 1), item('a', 2), item('a', 1), item('a', 1, { endpoint: 'interact' })] }]);
    assert.equal(made.entries.length, 3);
    assert.equal(new Set(made.entries.map(({ key }) => key)).size, 3);
  });

  it('is shown without an id, a kind, a target or a date', () => {
    const { made } = store();
    made.setNewest([{ data: [{}, { id: null, endpoint: null, created_at: null, target: null }, { id: 'x' }] }]);
    assert.equal(made.entries.length, 3);
    for (const entry of made.entries) {
      const texts = activityTexts(entry);
      assert.equal(texts.label, 'unknown');
      assert.equal(texts.description, '—');
      assert.match(activityTooltip(entry), /At an unknown time/);
    }
  });

  it('reads dates in both formats, and ignores impossible ones', () => {
    const { made } = store();
    const dates = ['2026-01-15T11:00:00Z', '2026-01-15 11:00:00.000', '0000-00-00', 'soon', '9999-01-01T00:00:00Z'];
    made.setNewest([{ data: dates.map((created_at, index) => item(String(index), 0, { created_at })) }]);
    const hourAgo = start - 60 * 60_000;
    assert.deepEqual(
      made.entries.map(({ createdAt }) => createdAt),
      [hourAgo, hourAgo, undefined, undefined, undefined],
    );
  });

  it('drops requests older than a day', () => {
    const { made, clock } = store();
    made.setNewest([{ data: [item('a', 1), item('b', 23 * 60)] }]);
    clock.advance(2 * 60 * 60_000);
    made.setNewest([{ data: [item('a', 1)] }]);
    assert.deepEqual(idsOf(made), ['a']);
  });

  it('drops the list when the filter changes, and nothing when it stays', () => {
    const { made } = store();
    made.setNewest([page(['a'], 'c1')]);
    made.setFilter(undefined);
    assert.equal(made.entries.length, 1);
    made.setFilter('map');
    assert.deepEqual([made.entries.length, made.paging.kind, made.state.kind], [0, 'end', 'loading']);
  });

  it('has no more rows than it can show', () => {
    const { made } = store();
    let cursor = 'c0';
    made.setNewest([page(['first'], cursor)]);
    for (let count = 0; made.paging.kind === 'more' && count < 500; count++) {
      const ids = Array.from({ length: 100 }, (_, index) => `${count}-${index}`);
      const next = `c${count + 1}`;
      made.addOlder(cursor, { data: ids.map((id) => item(id)), cursor: next, has_more: true });
      cursor = next;
    }
    assert.equal(made.paging.kind, 'stopped');
    assert.ok(made.entries.length >= maxEntries && made.entries.length < maxEntries + 101);
  });
});

describe('the crawls and batches of activity', () => {
  const crawl = (id: string) => item(id, 1, { endpoint: 'crawl' });
  const job = (status: string) => ({ status, completed: 1, total: 2, error: undefined });

  it('are followed until they end, newest first, and only those in the list', () => {
    const { made } = store();
    made.setNewest([{ data: [crawl('c'), item('scrape'), item('b', 2, { endpoint: 'batch_scrape' }), crawl('a')] }]);
    const ids = () => made.jobsToRead(2).map(({ kind, id }) => `${kind} ${id}`);
    assert.deepEqual(ids(), ['crawl c', 'batch b']);
    made.setJobs(
      new Map([
        ['c', job('completed')],
        ['b', job('scraping')],
      ]),
    );
    assert.ok(made.hasRunningJobs);
    assert.deepEqual(ids(), ['batch b', 'crawl a']);
    made.setJobs(
      new Map([
        ['a', undefined],
        ['b', job('failed')],
      ]),
    );
    assert.deepEqual(ids(), []);
    assert.ok(!made.hasRunningJobs);
    assert.equal(made.job('b')?.status, 'failed');
  });

  it('are updated only if something changed', () => {
    const { made } = store();
    made.setNewest([{ data: [crawl('a'), crawl('b')] }]);
    const changes: unknown[] = [];
    made.onChange.on((change) => changes.push(change));
    const both = (status: string) =>
      new Map([
        ['a', job('scraping')],
        ['b', job(status)],
      ]);
    made.setJobs(both('scraping'));
    made.setJobs(both('completed'));
    made.setJobs(both('completed'));
    assert.deepEqual(changes, [
      { kind: 'jobs', ids: new Set(['a', 'b']) },
      { kind: 'jobs', ids: new Set(['b']) },
    ]);
  });
});

describe('agent jobs in Activity', () => {
  const agent = (id: string, endpoint = 'agent') => item(id, 1, { endpoint, target: 'Price of the tea' });
  const read = async (answer: object) => {
    const { readJobStates } = await import('../../../src/extension/connection/polling/job-states.ts');
    const client = { getExtract: async () => answer } as unknown as Client;
    const states = await readJobStates(client, [{ kind: 'agent', id: 'a' }], new RateLimit());
    const state = states.get('a');
    assert.ok(state);
    return detailsOf(state);
  };

  it('show their last step, and are followed until they end', async () => {
    const { made } = store();
    made.setNewest([{ data: [agent('a'), agent('e', 'extract')] }]);
    const ids = () => made.jobsToRead(9).map(({ kind, id }) => `${kind} ${id}`);
    assert.deepEqual(ids(), ['agent a', 'agent e']);
    const steps = [
      { action: 'plan', text: 'look' },
      { action: 'read', text: 'https://shop.test/tea' },
    ];
    const running = await read({ status: 'processing', steps });
    assert.ok(running);
    made.setJobs(new Map([['a', running]]));
    assert.ok(made.hasRunningJobs);
    const [entry] = made.entries;
    assert.ok(entry);
    assert.match(activityTexts(entry, running).description, /read shop\.test\/tea/);
    const failed = await read({ status: 'failed', error: 'The data was not found.' });
    made.setJobs(new Map([['a', failed]]));
    assert.deepEqual(ids(), ['agent e']);
    assert.match(activityTooltip(entry, failed), /Failed\nThe data was not found\./);
  });
});

describe('loading more activity', () => {
  const onceMore = (answer: ActivityPage) => {
    const { made } = store();
    made.setNewest([page(['a'], 'c1')]);
    made.addOlder('c1', answer);
    return made;
  };

  it('ends when the server says so, whatever its cursor', () => {
    assert.equal(onceMore({ data: [item('b')], cursor: 'c2', has_more: false }).paging.kind, 'end');
    assert.equal(onceMore({ data: [item('b')], cursor: null, has_more: null }).paging.kind, 'end');
    assert.equal(onceMore({ data: [item('b')] }).paging.kind, 'end');
  });

  it('continues from a cursor if the server says nothing else', () => {
    assert.deepEqual(onceMore({ data: [item('b')], cursor: 'c&2#' }).paging, { kind: 'more', cursor: 'c&2#' });
  });

  it('stops with the reason at cursors that lead nowhere (CLI-07)', () => {
    const stops: ActivityPage[] = [
      { data: [item('b')], cursor: null, has_more: true },
      { data: [item('b')], cursor: '', has_more: true },
      { data: [item('b')], cursor: 'c1', has_more: true },
      { data: [item('b')], cursor: 'x'.repeat(1_000_000), has_more: true },
      { data: [], cursor: 'c2', has_more: true },
      { data: [item('a')], cursor: 'c2', has_more: true },
    ];
    for (const stop of stops) {
      const { paging } = onceMore(stop);
      assert.equal(paging.kind, 'stopped', JSON.stringify(stop).slice(0, 100));
      assert.ok(paging.kind === 'stopped' && paging.reason.endsWith('.'));
    }
  });

  it('stops at cursors that lead to each other (CLI-07)', () => {
    const made = onceMore({ data: [item('b')], cursor: 'c2', has_more: true });
    made.addOlder('c2', { data: [item('c')], cursor: 'c1', has_more: true });
    assert.equal(made.paging.kind, 'stopped');
    assert.deepEqual(idsOf(made), ['a', 'b', 'c']);
  });

  it('drops a page of a list that is no longer shown', () => {
    const { made } = store();
    made.setNewest([page(['a'], 'c1')]);
    made.setFilter('map');
    made.addOlder('c1', page(['b']));
    assert.deepEqual(made.entries, []);
  });
});

describe('groups of activity', () => {
  const local = (day: number, hour: number) => new Date(2026, 0, day, hour).getTime();
  const entries = (times: readonly (number | undefined)[], endpoint = 'scrape') =>
    times.map((createdAt, index) => ({
      key: `${endpoint}${index}`,
      id: String(index),
      endpoint,
      target: undefined,
      apiVersion: undefined,
      createdAt,
    }));

  it('are parts of the day', () => {
    const times = [local(15, 13), local(15, 12), local(15, 7), local(15, 2), local(14, 20), local(14, 3), undefined];
    const groups = groupEntries(entries(times), local(15, 14));
    assert.deepEqual(
      groups.map(({ label, entries: own }) => [label, own.length]),
      [
        ['This afternoon', 2],
        ['This morning', 1],
        ['Early today', 1],
        ['Yesterday evening', 1],
        ['Early yesterday', 1],
        ['No date', 1],
      ],
    );
    assert.equal(new Set(groups.map(({ id }) => id)).size, groups.length);
    const nextDay = groupEntries(entries(times.slice(0, 1)), local(16, 9));
    assert.deepEqual([nextDay[0]?.id, nextDay[0]?.label], [groups[0]?.id, 'Yesterday afternoon']);
  });
});

describe('large groups of activity', () => {
  const entries = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => ({
      key: `e${from + index}`,
      id: undefined,
      endpoint: 'scrape',
      target: undefined,
      apiVersion: undefined,
      createdAt: new Date(2026, 0, 15, 12).getTime() - (from + index) * 1_000,
    }));
  const shape = (groups: readonly { id: string; entries: readonly unknown[] }[]) =>
    groups.map(({ id, entries: own }) => [id, own.length]);

  it("are split into segments, and small ones aren't", () => {
    const segments = new Segments();
    const all = entries(0, 2 * maxRows + 5);
    const cut = segments.split([{ id: 'g', label: 'This morning', entries: all }]);
    assert.deepEqual(shape(cut), [
      ['g', maxRows],
      ['g #2', maxRows],
      ['g #3', 5],
    ]);
    assert.deepEqual(
      cut.flatMap(({ entries: own }) => own),
      all,
    );
    assert.match(cut[1]?.label ?? '', /^This morning, from 11:55 back$/);
    assert.deepEqual(shape(segments.split([{ id: 'h', label: 'h', entries: entries(0, 3) }])), [['h', 3]]);
  });

  it('keep a row in its segment, whatever is added above and below', () => {
    const segments = new Segments();
    const old = entries(100, 100 + maxRows - 10);
    const cut = (all: ReturnType<typeof entries>) => shape(segments.split([{ id: 'g', label: 'g', entries: all }]));
    assert.deepEqual(cut(old), [['g', maxRows - 10]]);
    const more = [...old, ...entries(1_000, 1_030)];
    assert.deepEqual(cut(more), [
      ['g', maxRows],
      ['g #2', 20],
    ]);
    const newer = [...entries(0, 3), ...more];
    assert.deepEqual(cut(newer), [
      ['g #3', 3],
      ['g', maxRows],
      ['g #2', 20],
    ]);
    // The last ones have expired, which makes room for others.
    assert.deepEqual(cut([...entries(-1, 0), ...newer.slice(0, 100)]), [
      ['g #3', 4],
      ['g', 97],
    ]);
  });
});

describe('a row of activity', () => {
  const entry = {
    key: 'e1',
    id: '0192f3a4-6c1e-7000-8000-000000000000',
    endpoint: 'scrape',
    target: 'https://shop.test/pricing?all=1',
    apiVersion: 'v2',
    createdAt: new Date(2026, 0, 15, 10, 2).getTime(),
  };

  it('shows what was requested, of what kind and when', () => {
    const texts = activityTexts(entry);
    assert.deepEqual([texts.label, texts.description], ['/pricing?all=1', '10:02 · shop.test · scrape']);
    assert.equal(texts.spoken, 'scrape shop.test/pricing?all=1, 10:02');
    const first = activityTexts({ ...entry, target: 'https://shop.test/' });
    assert.deepEqual([first.label, first.description], ['shop.test', '10:02 · scrape']);
    const search = activityTexts({ ...entry, endpoint: 'search', target: 'cheap tea' });
    assert.deepEqual([search.label, search.description], ['cheap tea', '10:02 · search']);
  });

  it('shows that a scrape got an error page', () => {
    const store = new ActivityStore(() => 0);
    const item = { id: 's', endpoint: 'scrape', target: 'https://shop.test/gone' };
    store.setNewest([
      {
        data: [
          { ...item, status_code: 404 },
          { ...item, id: 't', status_code: 200 },
        ],
      },
    ]);
    const [gone, fine] = store.entries;
    assert.deepEqual([gone?.errorStatus, fine?.errorStatus], [404, undefined]);
    const texts = activityTexts({ ...entry, errorStatus: 404 });
    assert.equal(texts.description, '10:02 · HTTP status 404 · shop.test · scrape');
    assert.equal(texts.spoken, 'scrape shop.test/pricing?all=1, HTTP status 404, 10:02');
    assert.match(activityTooltip({ ...entry, errorStatus: 404 }), /^The site answered with HTTP status 404\./m);
  });

  it('shows the progress of a crawl, its result and why it failed', () => {
    const crawl = { ...entry, endpoint: 'crawl', target: 'https://docs.test/guide/' };
    const job = { status: 'scraping', completed: 312, total: 900, error: undefined };
    assert.equal(activityTexts(crawl, job).description, '10:02 · 312/900 · docs.test · crawl');
    assert.equal(activityTexts(crawl, job).spoken, 'crawl docs.test/guide/, 312/900, 10:02');
    const done = { ...job, status: 'completed', completed: 1_000 };
    assert.equal(activityTexts(crawl, done).description, '10:02 · 1,000 pages · docs.test · crawl');
    const cancelled = { ...job, status: 'cancelled', completed: 1 };
    assert.equal(activityTexts(crawl, cancelled).description, '10:02 · canceled, 1 page · docs.test · crawl');
    const failed = { ...job, status: 'failed', completed: 0, error: 'The start page returned\nstatus 500.' };
    assert.equal(activityTexts(crawl, failed).description, '10:02 · failed · docs.test · crawl');
    assert.match(activityTooltip(crawl, failed), /\nFailed\nThe start page returned status 500\.\n/);
    assert.equal(failureOf(failed), 'The start page returned status 500.');
    assert.equal(failureOf({ ...failed, error: undefined }), "The server didn't say why it failed.");
    assert.equal(failureOf(done), undefined);
  });

  it('leaves room for the time after a long path, and shows its kind once', () => {
    const long = activityTexts({ ...entry, target: 'https://shop.test/departments/kitchen/kettles/electric' });
    assert.equal(long.label, '/departments/k…tles/electric');
    const session = activityTexts({ ...entry, endpoint: 'browser', target: 'Browser session' });
    assert.deepEqual([session.label, session.description], ['Browser session', '10:02']);
  });

  it('is one line of text, whatever the server sends', () => {
    const hostile = `$(trash) Delete\n\u202e\u001b[31m[x](command:evil) ${'x'.repeat(100_000)}`;
    const odd = { ...entry, endpoint: hostile, target: hostile, id: hostile };
    const job = { status: hostile, completed: 1, total: 2, error: hostile };
    const texts = activityTexts(odd, job);
    const tooltip = activityTooltip(odd, { ...job, status: 'failed' });
    for (const text of [texts.label, texts.description, texts.spoken, ...tooltip.split('\n')]) {
      assert.doesNotMatch(text, /\$\(|[\p{Cc}\u202e]/u);
      assert.ok([...text].length <= 310, text);
    }
  });

  it('says if there is no record to open', () => {
    assert.equal(noRecordReason(entry), undefined);
    assert.match(
      noRecordReason({ ...entry, endpoint: 'map' }) ?? '',
      /don't keep records of this kind of request \(map\)/,
    );
    assert.match(noRecordReason({ ...entry, id: undefined }) ?? '', /didn't return an ID/);
    assert.match(
      activityTooltip({ ...entry, endpoint: 'search' }),
      /don't keep records of this kind of request \(search\)/,
    );
  });
});
