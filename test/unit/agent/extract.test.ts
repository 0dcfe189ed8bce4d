import assert from 'node:assert/strict';
import type { AgentJobsParts } from '../../../src/service/assistants/agent/jobs.ts';
import type { MapSite } from '../../../src/service/assistants/agent/run/web.ts';
import type { JobRequest } from '../../../src/service/assistants/agent/store/job-table.ts';
import type { Step } from '../../../src/service/assistants/agent/store/steps.ts';
import { ServiceError } from '../../../src/service/platform/errors.ts';
import { createLedger } from '../../../src/service/platform/team/ledger.ts';
import type { ScrapeRequest } from '../../../src/service/web/scrape/scrape.ts';
import { type AgentBench, caller, openAgentBench, type Play } from '../../harness/agent-jobs.ts';
import { eventually } from '../../harness/eventually.ts';

const options: NonNullable<JobRequest['extract']> = {
  allowExternalLinks: false,
  includeSubdomains: false,
  enableWebSearch: false,
  limit: 50,
};
const readSteps = (...urls: string[]): Step[] => [
  { kind: 'planned', urls, last: true },
  ...urls.map((url): Step => ({ kind: 'page', url, links: [], page: { url, content: 'Blue mug' } })),
];

describe('extract jobs', () => {
  let bench: AgentBench;
  afterEach(() => bench.close());

  interface Run extends Play, Partial<Omit<JobRequest, 'extract'>> {
    extract?: Partial<typeof options>;
    steps?: Step[];
    parts?: Partial<AgentJobsParts>;
  }
  async function run({ model, page, steps, parts, extract, ...request }: Run) {
    bench = await openAgentBench({ ...(model && { model }), ...(page && { page }) });
    const job = await bench.store({ ...request, extract: { ...options, ...extract } }, steps);
    const jobs = bench.open(parts);
    jobs.resume();
    return await bench.ended(jobs, job.id);
  }
  const answer = (data: unknown) => () => ({ text: JSON.stringify({ data }) });
  const mapped =
    (asked: string[] = []): MapSite =>
    async ({ url }) => {
      asked.push(url.href);
      return Array.from({ length: 30 }, (_, index) => ({ url: new URL(`p${index}`, url).href }));
    };

  it('read the given URLs first, and share the rest among sites and the search', async () => {
    const { job } = await run({
      model: answer('Text of'),
      urls: ['https://a.test/all/*', 'https://a.test/1', 'https://b.test/all/*', 'https://b.test/1'],
      extract: { limit: 8, enableWebSearch: true },
      parts: {
        mapSite: mapped(),
        searchFor: () => async () => [1, 2, 3, 4].map((each) => ({ url: `https://found.test/${each}` })),
      },
    });
    assert.equal(job.status, 'completed', job.error ?? '');
    assert.deepEqual(bench.scraped.sort(), [
      'https://a.test/1',
      'https://a.test/all/p0',
      'https://a.test/all/p1',
      'https://b.test/1',
      'https://b.test/all/p0',
      'https://b.test/all/p1',
      'https://found.test/1',
      'https://found.test/2',
    ]);
  });

  it('list no further site once they have as many pages as they may read', async () => {
    const asked: string[] = [];
    const { job } = await run({
      model: answer('Text of'),
      urls: ['https://a.test/all/*', 'https://b.test/1', 'https://b.test/2'],
      extract: { limit: 2 },
      parts: { mapSite: mapped(asked) },
    });
    assert.equal(job.status, 'completed', job.error ?? '');
    assert.deepEqual([asked, bench.scraped.sort()], [[], ['https://b.test/1', 'https://b.test/2']]);
  });

  it('do not list a site again after a restart', async () => {
    const found: Step = {
      kind: 'found',
      key: 'map https://a.test/all/ https://a.test/all/',
      urls: ['https://a.test/all/x'],
      deed: { action: 'map', text: 'https://a.test/all/*' },
    };
    const { job } = await run({
      model: answer('Text of'),
      urls: ['https://a.test/all/*'],
      steps: [found],
      parts: { mapSite: () => Promise.reject(new Error('listed again')) },
    });
    assert.equal(job.status, 'completed', job.error ?? '');
    assert.deepEqual(bench.scraped, ['https://a.test/all/x']);
    // What was found before, a page and a response.
    assert.equal(job.credits, 3);
  });

  it('judge the answer that they had before a restart, and do not ask for it again', async () => {
    const { job } = await run({
      steps: [...readSteps('https://a.test/'), { kind: 'draft', text: '{"data": "Blue mug"}', pages: 1 }],
    });
    assert.deepEqual([job.status, job.answer?.data, bench.asked], ['completed', 'Blue mug', []], job.error ?? '');
    await bench.close();
    // One that was rejected counts as an attempt.
    const schema = { type: 'object' };
    const { job: again } = await run({
      schema,
      model: answer('still no object'),
      steps: [...readSteps('https://a.test/'), { kind: 'draft', text: '{"data": "no object"}', pages: 1 }],
    });
    assert.equal(again.status, 'failed');
    assert.equal(bench.asked.length, 2);
    assert.match(bench.asked[0]?.messages.at(-1)?.content ?? '', /doesn't match its schema/);
  });

  it('stay within their credits, however many pages PDFs have', async () => {
    const pdf = ({ options: { parsers } }: ScrapeRequest) => {
      const [parser] = parsers as { maxPages: number }[];
      // Each has more pages than are read.
      return { creditsUsed: parser?.maxPages ?? 1_000, markdown: 'Blue mug' };
    };
    for (const maxCredits of [5, 40]) {
      const { job } = await run({
        maxCredits,
        page: pdf,
        model: answer('Blue mug'),
        urls: Array.from({ length: 12 }, (_, index) => `https://a.test/${index}.pdf`),
      });
      assert.equal(job.status, 'completed', job.error ?? '');
      assert.ok(job.credits <= maxCredits, `${job.credits} of ${maxCredits}`);
      await bench.close();
    }
  });

  it('leave nothing running when a page cannot be paid for', async () => {
    bench = await openAgentBench({});
    const ledger = createLedger(bench.database, bench.clock, undefined);
    let paid = 0;
    let begun = 0;
    const stopped: string[] = [];
    const jobs = bench.open({
      ledger: {
        ...ledger,
        async require() {
          if (paid++ < 3) return;
          await eventually(() => assert.equal(begun, 3));
          throw new ServiceError(402, 'Insufficient credits');
        },
      },
      scraper: {
        scrape: ({ url, signal }) =>
          new Promise((_, reject) => {
            begun++;
            signal.addEventListener('abort', () => {
              stopped.push(url);
              reject(signal.reason);
            });
          }),
      },
    });
    const urls = Array.from({ length: 8 }, (_, index) => `https://a.test/${index}`);
    const { id } = await bench.store({ urls, extract: options });
    jobs.resume();
    const job = await eventually(async () => {
      const found = (await jobs.find(caller, id)).job;
      assert.equal(found.status, 'failed');
      return found;
    });
    assert.match(job.error ?? '', /Insufficient credits/);
    assert.deepEqual([paid, stopped.length], [4, 3]);
    assert.equal(job.credits, 0);
  });
});
