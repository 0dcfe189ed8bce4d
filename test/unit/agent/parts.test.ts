import assert from 'node:assert/strict';
import type { FromService } from '../../../src/contract/embedded.ts';
import { limits } from '../../../src/contract/limits.ts';
import { askModel } from '../../../src/service/assistants/agent/run/ask-model.ts';
import { JobFailed, openBudget } from '../../../src/service/assistants/agent/run/run.ts';
import { prepareSources, sourcesOf, valuesOf } from '../../../src/service/assistants/agent/run/sources.ts';
import type { AgentJob } from '../../../src/service/assistants/agent/store/job-table.ts';
import type { ReadPage } from '../../../src/service/assistants/agent/store/steps.ts';
import { createWindowModels } from '../../../src/service/platform/language-model/window-models.ts';
import type { WindowLink } from '../../../src/service/platform/link/link.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('sources of an answer', () => {
  const pages = [
    { url: 'https://a.test/1', title: 'Tea', content: 'Green **tea** costs 1,299.50 yen. Since 1990.' },
    { url: 'https://a.test/2', content: 'Blue | mug costs 12 euros, order 4711.' },
  ];
  const sources = (data: unknown, claims: { path: string; pages: number[] }[] = []) => sourcesOf(data, claims, pages);

  it('are the pages that contain the value, whatever its format', () => {
    const found = sources({
      items: [
        { name: 'Green tea', price: 1299.5 },
        { name: 'Blue mug', price: 12 },
      ],
    });
    assert.deepEqual(found.sources, {
      'items[0].name': ['https://a.test/1'],
      'items[0].price': ['https://a.test/1'],
      'items[1].name': ['https://a.test/2'],
      'items[1].price': ['https://a.test/2'],
    });
    assert.deepEqual(found.missing, []);
  });

  it('do not include pages where it is only part of a number', () => {
    assert.deepEqual(sources({ a: 47, b: 299.5, c: 1, d: 199 }).missing, ['a', 'b', 'c', 'd']);
  });

  it('are the pages that the model names, if no page has the value as it is', () => {
    const claims = [
      { path: '$.items', pages: [2] },
      { path: 'data.since.0', pages: [1, 9] },
    ];
    const found = sources({ items: [{ soldOut: false, price: '€12.00' }], since: ['the nineties'] }, claims);
    assert.deepEqual(found.sources, {
      'items[0].soldOut': ['https://a.test/2'],
      'items[0].price': ['https://a.test/2'],
      'since[0]': ['https://a.test/1'],
    });
  });

  it('correct a model that names the wrong page', () => {
    assert.deepEqual(sources({ name: 'Blue mug' }, [{ path: 'name', pages: [1] }]).sources, {
      name: ['https://a.test/2'],
    });
  });

  it('are found without searching everything for every value', async () => {
    const filler = 'lorem ipsum dolor sit amet '.repeat(7_000);
    const many = Array.from({ length: 20 }, (_, index) => ({
      url: `https://a.test/${index}`,
      content: `${filler} common`,
    }));
    // The pages' texts are prepared once, and a few values use up what may be searched.
    const seen = new Map<string, number>();
    const counted = many.map((page) => ({
      url: page.url,
      get content() {
        seen.set(page.url, (seen.get(page.url) ?? 0) + 1);
        return page.content;
      },
    }));
    assert.deepEqual(sourcesOf({ word: 'common' }, [], counted).sources, {
      word: ['https://a.test/0', 'https://a.test/1', 'https://a.test/2'],
    });
    assert.equal(seen.size, 3, 'three pages are enough');
    const data = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`v${index}`, `absent ${index}`]));
    const claims = [{ path: '$', pages: [7] }];
    const { sources: claimed, missing } = sourcesOf({ ...data, last: 'common' }, claims, counted);
    assert.deepEqual(missing, []);
    // Page 7 contains it, but is named only because the model says so: there is no search left.
    assert.deepEqual(claimed.last, ['https://a.test/6']);
    assert.deepEqual(sourcesOf({ ...data, last: 'common' }, [], counted).missing.at(-1), 'last');
    await prepareSources(counted);
    assert.equal(Math.max(...seen.values()), 1);
  });

  it('leave out null, and name what has none', () => {
    assert.deepEqual(sources({ a: null, b: 'Acme', c: true }), { sources: {}, missing: ['b', 'c'] });
    assert.deepEqual(sources('Green tea').sources, { $: ['https://a.test/1'] });
    assert.deepEqual(valuesOf([[1], { a: { b: 2 } }]), [
      { path: '[0][0]', value: 1 },
      { path: '[1].a.b', value: 2 },
    ]);
  });
});

describe('the language model of a job', () => {
  const request = { messages: [{ role: 'user' as const, content: 'hello' }] };
  const window = () => {
    const sent: FromService[] = [];
    const link: WindowLink = { caller: { team: 'red', keyLabel: 'red' }, send: (message) => sent.push(message) };
    const asked = () => sent.flatMap((message) => (message.type === 'model-request' ? [message.id] : []));
    return { link, asked };
  };

  it('is awaited while the window that lends it reloads', async () => {
    const models = createWindowModels(silentLog);
    const [first, second] = [window(), window()];
    models.heard(first.link, { type: 'window-model', name: 'GPT' });
    const answer = askModel('red', request, { models, clock: createFakeClock() }, new AbortController().signal);
    await settled();
    assert.equal(first.asked().length, 1);
    models.gone(first.link);
    await settled();
    models.heard(second.link, { type: 'window-model', name: 'GPT 2' });
    await settled();
    models.heard(second.link, { type: 'model-answer', id: second.asked()[0] ?? '', text: 'hi', toolCalls: [] });
    const { text, model } = await answer;
    assert.deepEqual([text, model], ['hi', 'GPT 2']);
  });

  it('is not awaited forever, nor by a job that was stopped', async () => {
    const models = createWindowModels(silentLog);
    const clock = createFakeClock();
    const answer = askModel('red', request, { models, clock }, new AbortController().signal);
    const failed = assert.rejects(
      answer,
      (error) => error instanceof JobFailed && /WEBDATA_LLM_BASE_URL/.test(error.message),
    );
    await settled();
    clock.advance(5 * 60_000);
    await failed;
    const stop = new AbortController();
    const stopped = askModel('red', request, { models, clock }, stop.signal);
    stop.abort(new Error('stopped'));
    await assert.rejects(stopped, /stopped/);
  });

  it('is asked again if it fails, but not forever', async () => {
    const models = createWindowModels(silentLog);
    const clock = createFakeClock();
    const { link, asked } = window();
    models.heard(link, { type: 'window-model', name: 'GPT' });
    const answer = askModel('red', request, { models, clock }, new AbortController().signal);
    const failed = assert.rejects(answer, (error) => error instanceof JobFailed && /quota/.test(error.message));
    for (let attempt = 0; attempt < 3; attempt++) {
      await settled();
      models.heard(link, { type: 'model-error', id: asked()[attempt] ?? '', message: 'quota' });
      await settled();
      clock.advance(2_000);
    }
    await failed;
    assert.equal(asked().length, 3);
  });
});

describe('the budget of a job', () => {
  const response = { kind: 'response' as const, text: '', toolCalls: [] };
  const open = ({ maxCredits = 2_500, activeMs = 0 } = {}) => {
    const clock = createFakeClock();
    const journal = {
      steps: [] as (typeof response)[],
      pages: [] as ReadPage[],
      credits: 0,
      add: async () => undefined,
    };
    const job = { active_ms: activeMs, request: { maxCredits } } as AgentJob;
    return { clock, journal, budget: openBudget(job, journal, clock, new AbortController().signal) };
  };

  it('ends after 30 minutes of work, with those before a restart, and asks for the answer before', () => {
    const { clock, budget } = open({ activeMs: 20 * 60_000 });
    clock.advance(3 * 60_000);
    assert.equal(budget.scarce(), undefined);
    clock.advance(2 * 60_000);
    assert.match(budget.scarce() ?? '', /time/);
    budget.check();
    clock.advance(5 * 60_000);
    assert.throws(() => budget.check(), /no answer within 30 minutes/);
    assert.ok(budget.signal.aborted && budget.signal.reason instanceof JobFailed, 'what is in progress ends too');
  });

  it('says how much time and text are left', () => {
    const { clock, budget, journal } = open({ activeMs: 20 * 60_000 });
    assert.equal(budget.timeLeftMs(), 4 * 60_000);
    clock.advance(60_000);
    assert.equal(budget.timeLeftMs(), 3 * 60_000);
    journal.pages.push({ url: 'https://a.test/', content: 'x'.repeat(1_000_000) });
    assert.equal(budget.text(), limits.agentText - 1_000_000);
  });

  it('ends after 100 responses of the model, and with its credits', () => {
    const { journal, budget } = open({ maxCredits: 200 });
    journal.steps.push(...Array.from({ length: 98 }, () => response));
    assert.match(budget.scarce() ?? '', /last steps/);
    journal.steps.push(response, response);
    assert.throws(() => budget.check(), /no answer within 100 steps/);
    const small = open({ maxCredits: 5 });
    small.journal.credits = 4;
    assert.match(small.budget.scarce() ?? '', /credits/);
    small.budget.check();
    small.journal.credits = 5;
    assert.throws(() => small.budget.check(), /used up its 5 credits/);
  });
});
