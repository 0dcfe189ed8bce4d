import assert from 'node:assert/strict';
import { differs } from '../../../src/service/web/scrape/read-page.ts';
import { createTemplates, type Templates } from '../../../src/service/web/scrape/templates.ts';

const site = 'https://site.test';
const { signal } = new AbortController();

/** Reads a page with scripts as the scraper does. Returns what was done. */
async function read(
  templates: Templates,
  path: string,
  result: 'same' | 'different' | 'unknown',
  scripts = '/app.js',
  places: string[] = [],
  length = 1000,
): Promise<string> {
  const url = site + path;
  const page = { url, scripts, places, length };
  if (templates.begin(url) === 'render') return 'rendered';
  const decision = await templates.decide(page, signal);
  if (decision === 'compare' || decision === 'check') templates.compared(page, result);
  return decision;
}

async function readAll(templates: Templates, paths: string[], result: 'same' | 'different' | 'unknown') {
  const steps: string[] = [];
  for (const path of paths) steps.push(await read(templates, path, result));
  return steps;
}

const items = (count: number, first = 1) => Array.from({ length: count }, (_, index) => `/product/${first + index}`);
const traits = (path: string) => ({ url: site + path, scripts: '/app.js', places: [], length: 1000 });
const times = (count: number, step: string) => Array.from({ length: count }, () => step);

describe('templates of a site', () => {
  it('are fetched once three pages were the same without scripts, and one of fifty is compared again', async () => {
    const steps = await readAll(createTemplates(), items(101), 'same');
    assert.deepEqual(steps, [
      ...times(3, 'compare'),
      ...times(46, 'fetch'),
      'compare',
      ...times(49, 'fetch'),
      'compare',
      'fetch',
    ]);
  });

  it('are rendered, without a fetch, once a page was different', async () => {
    const templates = createTemplates();
    assert.equal(await read(templates, '/product/1', 'same'), 'compare');
    assert.equal(await read(templates, '/product/2', 'different'), 'compare');
    const others = ['render', 'render', 'rendered', 'rendered'];
    assert.deepEqual(await readAll(templates, items(4, 3), 'different'), others);
  });

  it('change when a later page is different, and back after three that are not', async () => {
    const templates = createTemplates();
    await readAll(templates, items(49), 'same');
    assert.equal(await read(templates, '/product/50', 'different'), 'compare');
    const later = await readAll(templates, items(151, 51), 'same');
    assert.deepEqual(
      [later[0], later[49], later[99], later[149], later[150]],
      ['render', ...times(3, 'compare'), 'fetch'],
    );
  });

  it('with pages that have no scripts are fetched first', async () => {
    const templates = createTemplates();
    await readAll(templates, items(3), 'different');
    templates.plain(`${site}/product/2`);
    assert.equal(templates.begin(`${site}/product/3`), 'fetch');
    assert.equal(await templates.decide(traits('/product/3'), signal), 'render');
  });

  it('let further pages wait for the samples, but not where samples cannot be compared', async () => {
    const templates = createTemplates();
    for (const path of items(3)) assert.equal(await templates.decide(traits(path), signal), 'compare');
    const waiting = items(5, 4).map((path) => templates.decide(traits(path), signal));
    for (const path of items(3)) templates.compared(traits(path), 'same');
    assert.deepEqual(await Promise.all(waiting), times(5, 'fetch'));

    const without = createTemplates();
    assert.deepEqual(await readAll(without, items(5), 'unknown'), times(5, 'compare'));
    const atOnce = await Promise.all(items(5, 6).map((path) => without.decide(traits(path), signal)));
    assert.deepEqual(atOnce, times(5, 'compare'));
  });

  it('stop waiting when the job ends', async () => {
    const templates = createTemplates();
    const job = new AbortController();
    for (const path of items(3)) await templates.decide(traits(path), job.signal);
    const waiting = templates.decide(traits('/product/4'), job.signal);
    job.abort(new Error('The job has ended.'));
    await assert.rejects(waiting, /ended/);
  });

  it('are told apart by folders, names of pages, parameters and origin, not by names of items', async () => {
    const templates = createTemplates();
    await read(templates, '/product/1?ref=a', 'different');
    const alike = ['/product/27?ref=b', '/product/the-green-tea-pot?ref=c', '/product/3?ref='];
    assert.deepEqual(await readAll(templates, alike, 'different'), ['render', 'render', 'rendered']);
    const others = ['/product/1', '/product/1/reviews?ref=a', '/about', '/docs/1?ref=a', '/product/1.pdf?ref=a'];
    assert.deepEqual(await readAll(templates, others, 'same'), times(5, 'compare'));
  });

  it('are told apart by the first part of a route, not by names of items in it', async () => {
    const templates = createTemplates();
    assert.deepEqual(await readAll(templates, items(4), 'same'), [...times(3, 'compare'), 'fetch']);
    const routes = items(4).map((path) => `${path}#/reviews/${path.length}`);
    assert.deepEqual(await readAll(templates, routes, 'different'), ['compare', 'render', 'render', 'rendered']);
    const names = Array.from({ length: 26 }, (_, index) => String.fromCharCode(97 + index));
    for (const parts of [names.map((_, index) => `topic-${index}`), names.map((name) => `${name}-of-a-title`)]) {
      const steps = await readAll(
        createTemplates(),
        parts.map((part) => `/docs/#/${part}`),
        'same',
      );
      assert.deepEqual(steps, [...times(3, 'compare'), ...times(23, 'fetch')]);
    }
    const steps = await readAll(
      createTemplates(),
      names.map((name) => `/#!${name}`),
      'same',
    );
    assert.deepEqual(steps, [...times(13, 'compare'), ...times(13, 'fetch')]);
  });

  it('are told apart by their scripts, as long as these differ from page to page in few ways', async () => {
    const templates = createTemplates();
    assert.equal(await read(templates, '/product/1', 'different', '/reviews.js'), 'compare');
    assert.equal(await read(templates, '/product/2', 'same', '/menu.js'), 'compare');
    assert.deepEqual(await readAll(templates, items(3, 3), 'different'), ['compare', 'render', 'render']);
    const mixed = createTemplates();
    for (const path of items(4)) await read(mixed, path, 'same', '/menu.js');
    assert.equal(await read(mixed, '/product/5', 'different', '/reviews.js'), 'compare');
    assert.equal(await read(mixed, '/product/6', 'different', '/reviews.js'), 'render');
    assert.equal(await read(mixed, '/product/7', 'same', '/menu.js'), 'fetch');
    const random = createTemplates();
    const steps: string[] = [];
    for (const path of items(20)) steps.push(await read(random, path, 'same', path));
    assert.deepEqual(steps, [...times(13, 'compare'), ...times(3, 'check'), ...times(4, 'fetch')]);
  });

  it('with places for content that the samples lack are checked, and rendered if scripts fill these', async () => {
    const templates = createTemplates();
    const own = async (path: string, result: 'same' | 'different', ...places: string[]) =>
      await read(templates, path, result, '/app.js', places);
    for (const path of items(3)) assert.equal(await own(path, 'same', 'div#menu'), 'compare');
    assert.equal(await own('/product/4', 'same', 'div#menu'), 'fetch');
    assert.equal(await own('/product/5', 'different', 'div#menu', 'div#reviews'), 'check');
    assert.equal(await own('/product/6', 'different', 'div#reviews'), 'render');
    assert.equal(await own('/product/7', 'same', 'div#menu'), 'fetch');
    assert.equal(await own('/product/8', 'same', 'div#ad'), 'check');
    assert.equal(await own('/product/9', 'same', 'div#ad'), 'fetch');
  });

  it('are checked where they are much emptier than the samples, and rendered if scripts fill them', async () => {
    const templates = createTemplates();
    const own = async (path: string, result: 'same' | 'different', length: number) =>
      await read(templates, path, result, '/app.js', [], length);
    for (const [index, path] of items(3).entries())
      assert.equal(await own(path, 'same', 2000 + index * 500), 'compare');
    assert.equal(await own('/product/4', 'same', 1500), 'fetch');
    assert.equal(await own('/product/5', 'same', 900), 'check');
    assert.equal(await own('/product/6', 'same', 800), 'fetch');
    assert.equal(await own('/product/7', 'different', 40), 'check');
    assert.equal(await own('/product/8', 'different', 50), 'render');
    assert.equal(await own('/product/9', 'different', 2000), 'fetch');
  });

  it('are not all checked where each has places of its own that stay empty', async () => {
    const templates = createTemplates();
    const steps: string[] = [];
    for (const path of items(40)) steps.push(await read(templates, path, 'same', '/app.js', [path]));
    assert.deepEqual(steps, [...times(3, 'compare'), ...times(3, 'check'), ...times(34, 'fetch')]);
  });

  it('with the same new place wait for the check of the first', async () => {
    const templates = createTemplates();
    await readAll(templates, items(3), 'same');
    const page = (path: string) => ({ ...traits(path), places: ['div#reviews'] });
    assert.equal(await templates.decide(page('/product/4'), signal), 'check');
    const waiting = items(3, 5).map((path) => templates.decide(page(path), signal));
    templates.compared(page('/product/4'), 'different');
    assert.deepEqual(await Promise.all(waiting), times(3, 'render'));
  });

  it('are those of items for all names in a folder beyond the first', async () => {
    const templates = createTemplates();
    const names = 'ada bob cyd dan eve fay gus hal'.split(' ');
    const steps = await readAll(
      templates,
      names.map((name) => `/people/${name}`),
      'same',
    );
    assert.deepEqual(steps, [...times(6, 'compare'), 'fetch', 'fetch']);
  });
});

describe('a rendered page', () => {
  const page = (text: string, links = 0, images = 0) => ({ text, links, images, scripts: '/app.js', places: [] });

  it('differs if scripts add or replace words, links or images', async () => {
    assert.equal(await differs(page('Tea pot'), page('Tea  pot ')), false);
    assert.equal(await differs(page('Loading words'), page('Words')), false);
    assert.equal(await differs(page('Tea'), page('Tea 12')), true);
    assert.equal(await differs(page('Tea Tea'), page('Tea Tea Tea')), true);
    assert.equal(await differs(page('Loading'), page('Words')), true);
    assert.equal(await differs(page('Tea', 1), page('Tea', 2)), true);
    assert.equal(await differs(page('Tea', 1, 0), page('Tea', 1, 1)), true);
  });

  it('is compared in short turns, however long it is (TRN-20)', async () => {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    assert.equal(await differs(page('Tea '.repeat(1_000_000)), page('Tea '.repeat(1_000_000))), false);
    isOver = true;
    assert.ok(turns > 3, `${turns} turns`);
  });
});
