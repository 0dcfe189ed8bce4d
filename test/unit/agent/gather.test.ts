import assert from 'node:assert/strict';
import { type BrowseRequest, createBrowse } from '../../../src/service/assistants/agent/run/browse.ts';
import { messagesOf } from '../../../src/service/assistants/agent/run/conversation.ts';
import { NotDone } from '../../../src/service/assistants/agent/run/web.ts';
import type { Step } from '../../../src/service/assistants/agent/store/steps.ts';
import type { Sessions } from '../../../src/service/browsers/sessions/sessions.ts';
import { transaction } from '../../../src/storage/storage.ts';
import { type AgentBench, caller, calls, openAgentBench, type Play } from '../../harness/agent-jobs.ts';
import { eventually } from '../../harness/eventually.ts';

const finish = (data: unknown) => calls(['finish', { data, sources: [] }]);
const read = (...urls: string[]) => calls(...urls.map((url): [string, object] => ['read_page', { url }]));

describe('agent jobs', () => {
  let bench: AgentBench;
  afterEach(() => bench.close());

  /** Runs a job with a model that gives these responses, the last one again and again. */
  async function run(
    responses: ReturnType<typeof calls>[],
    { page, steps, ...request }: Pick<Play, 'page'> & { steps?: Step[] } & Parameters<AgentBench['store']>[0] = {},
  ) {
    bench = await openAgentBench({
      model: (_, number) => responses[Math.min(number, responses.length - 1)] ?? {},
      ...(page && { page }),
    });
    const job = await bench.store(request, steps);
    const jobs = bench.open();
    jobs.resume();
    return await bench.ended(jobs, job.id);
  }

  it('read a page that redirects once', async () => {
    const { job } = await run(
      [read('https://a.test/old#top'), read('https://a.test/old'), read('https://a.test/new'), finish('Moved')],
      { page: () => ({ finalUrl: 'https://a.test/new', markdown: 'Moved' }) },
    );
    assert.deepEqual([job.status, bench.scraped], ['completed', ['https://a.test/old#top']], job.error ?? '');
    // Four responses and a page.
    assert.equal(job.credits, 5);
    assert.deepEqual(job.answer?.sources, { $: ['https://a.test/new'] });
  });

  it('read the page at a URL that they saw in a browser session', async () => {
    const seen: Step[] = [
      { kind: 'response', text: '', toolCalls: [{ id: '0_0', name: 'browse', arguments: '{}' }] },
      { kind: 'result', callId: '0_0', page: { url: 'https://a.test/', content: 'A snapshot' }, fresh: true },
    ];
    const { job } = await run([read('https://a.test/'), finish('Whole page')], {
      steps: seen,
      page: () => ({ markdown: 'Whole page' }),
    });
    assert.deepEqual([job.status, bench.scraped], ['completed', ['https://a.test/']], job.error ?? '');
  });

  it('say which results can be seen again at no cost', () => {
    const content = 'x'.repeat(70_000);
    const steps: Step[] = ['read_page', 'browse', 'search', 'read_page'].flatMap((name, index): Step[] => [
      { kind: 'response', text: '', toolCalls: [{ id: `${index}`, name, arguments: '{}' }] },
      // The search failed.
      { kind: 'result', callId: `${index}`, content, ...(name !== 'search' && { fresh: true }) },
    ]);
    const request = { prompt: 'x', urls: [], maxCredits: 9, strict: false };
    const texts = messagesOf(request, steps, true).filter(({ role }) => role === 'tool');
    assert.deepEqual(
      texts.map((message) => /left out to save space.*/.exec(message.content)?.[0]),
      [
        'left out to save space; call the tool again to see it, at no cost)',
        'left out to save space)',
        'left out to save space)',
        undefined,
      ],
    );
  });

  it('go on after a response whose calls all failed', async () => {
    const urls = Array.from({ length: 9 }, (_, index) => `https://a.test/${index}`);
    const { job } = await run([read(...urls), read('https://a.test/home'), finish('Text of')], {
      page: ({ url }) => (url.endsWith('home') ? {} : { statusCode: 404 }),
    });
    assert.deepEqual([job.status, job.error], ['completed', null]);
  });

  it('end after eight responses that find nothing new, and say so', async () => {
    const { job } = await run([read('https://a.test/')], { page: () => ({ statusCode: 500 }) });
    assert.equal(
      job.error,
      "The language model's last calls found nothing new, and it didn't answer. Ask for less, or use another model.",
    );
    assert.equal(bench.asked.length, 8);
    await bench.close();
    const planner = await run([calls(['plan', { steps: ['think'] }])]);
    assert.match(planner.job.error ?? '', /found nothing new/);
    assert.equal(bench.asked.length, 9, 'only the first plan is new');
  });

  it('may give three more answers after they found something new', async () => {
    const schema = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] };
    const wrong = finish({ price: 'unknown' });
    const { job } = await run([wrong, wrong, read('https://a.test/'), wrong, wrong, finish({ price: 12 })], {
      schema,
      page: () => ({ markdown: 'It costs 12' }),
    });
    assert.deepEqual([job.status, job.answer?.data], ['completed', { price: 12 }], job.error ?? '');
  });

  it('do not ask again for an answer that was written as text before a restart', async () => {
    const { job } = await run([{}], {
      steps: [
        { kind: 'remark', text: '', page: { url: 'https://a.test/', content: 'Blue mug' } },
        { kind: 'response', text: '{"data": "Blue mug"}', toolCalls: [] },
      ],
    });
    assert.deepEqual([job.status, job.answer?.data, bench.asked.length], ['completed', 'Blue mug', 0], job.error ?? '');
  });

  it('keep a limited amount of text of pages', async () => {
    const content = 'word '.repeat(4_000_000);
    const { job, deeds } = await run([read('https://a.test/'), calls(['give_up', { reason: 'no room' }])], {
      steps: [{ kind: 'remark', text: '', page: { url: 'https://b.test/', content } }],
    });
    assert.match(job.error ?? '', /no room/);
    assert.match(deeds[0]?.deed.error ?? '', /can keep no more text of pages/);
    assert.deepEqual(bench.scraped, []);
  });

  describe('and private addresses', () => {
    const refusal = /is a private address that the task doesn't name/;
    const errors = ({ deeds }: Awaited<ReturnType<typeof run>>) => deeds.map(({ deed }) => deed.error ?? '');

    it('refuse a page that a public one redirects to', async () => {
      const found = await run([read('https://a.test/'), calls(['give_up', { reason: 'private' }])], {
        page: () => ({ finalUrl: 'http://192.168.1.1/admin', markdown: 'router password' }),
      });
      assert.match(errors(found)[0] ?? '', refusal);
      assert.ok(!JSON.stringify(bench.asked).includes('router password'));
      // What the scraper itself requests is checked in the same way, before it is requested.
      const policies: unknown[] = [];
      await bench.close();
      await run([read('https://a.test/'), finish('Text of')], {
        page: ({ policy }) => {
          policies.push(policy);
          assert.throws(() => policy?.checkUrl(new URL('http://127.0.0.1:9/')), refusal);
          return {};
        },
      });
      assert.equal(policies.length, 1);
    });

    it('refuse names that resolve to one, and addresses that stand for one', async () => {
      const found = await run([
        read('https://wiki.inside.test/', 'http://[::ffff:127.0.0.1]/', 'http://localhost:8080/'),
        calls(['give_up', { reason: 'private' }]),
      ]);
      for (const error of errors(found).slice(0, 3)) assert.match(error, refusal);
      assert.deepEqual(bench.scraped, []);
    });

    it('read those that the task names', async () => {
      const { job } = await run([read('https://wiki.inside.test/a', 'http://localhost:8080/b'), finish('Text of')], {
        prompt: 'Look at http://localhost:8080/ first',
        urls: ['https://wiki.inside.test/'],
      });
      assert.equal(job.status, 'completed', job.error ?? '');
      assert.deepEqual(bench.scraped, ['https://wiki.inside.test/a', 'http://localhost:8080/b']);
    });
  });

  describe('and browser sessions', () => {
    const browse = calls(['browse', { url: 'https://a.test/', task: 'Order' }]);

    /** Starts a job in a browser session that lasts until it is stopped, and charges 7 credits. */
    async function begin() {
      bench = await openAgentBench({ model: () => browse });
      let begun = false;
      const jobs = bench.open({
        browse: {
          async run({ signal, onSession }) {
            await transaction(bench.database, (tx) => onSession('session-1', tx));
            begun = true;
            return await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
          },
          settle: async () => 7,
        },
      });
      const { id } = await bench.store({});
      jobs.resume();
      await eventually(() => assert.ok(begun));
      return { id, jobs };
    }

    it('pay for a session that is canceled, as part of the job', async () => {
      const { id, jobs } = await begin();
      await jobs.cancel(caller, id);
      await eventually(async () => assert.equal((await jobs.find(caller, id)).job.credits, 8));
      assert.equal((await jobs.find(caller, id)).job.status, 'cancelled');
    });

    it('pay for a session that ends with their time, as part of the job', async () => {
      const { id, jobs } = await begin();
      bench.clock.advance(30 * 60_000);
      const { job } = await bench.ended(jobs, id);
      assert.match(job.error ?? '', /no answer within 30 minutes/);
      assert.equal(job.credits, 8);
    });

    it('pay once for a session that the service ends as it stops', async () => {
      const { id, jobs } = await begin();
      await jobs.close();
      const next = bench.open({
        browse: { run: () => Promise.reject(new Error('not again')), settle: async () => 7 },
        models: { find: () => undefined },
      });
      next.resume();
      await eventually(async () => assert.equal((await next.find(caller, id)).job.credits, 8));
    });

    it('leave time to answer', async () => {
      bench = await openAgentBench({ model: (_, number) => (number === 0 ? browse : finish('x')) });
      const times: number[] = [];
      const jobs = bench.open({
        browse: {
          async run({ timeLeftMs }) {
            times.push(timeLeftMs);
            return { output: 'x', page: { url: 'https://a.test/', content: 'x' } };
          },
          settle: async () => 0,
        },
      });
      const { id } = await bench.store({});
      await bench.database
        .updateTable('agent_job')
        .set({ active_ms: 20 * 60_000 })
        .execute();
      jobs.resume();
      const { job } = await bench.ended(jobs, id);
      assert.equal(job.status, 'completed', job.error ?? '');
      // 24 of 30 minutes are for gathering.
      assert.deepEqual(times, [4 * 60_000]);
    });

    it('begin only if there is time for one', async () => {
      bench = await openAgentBench({});
      const { run: browseFor } = createBrowse({} as Sessions);
      await assert.rejects(
        browseFor({ timeLeftMs: 29_000 } as BrowseRequest),
        (error) => error instanceof NotDone && /time is almost up/.test(error.message),
      );
    });
  });
});
