import { existsSync, rmSync } from 'node:fs';
import { type AgentJobs, type AgentJobsParts, createAgentJobs } from '../../src/service/assistants/agent/jobs.ts';
import {
  type AgentJob,
  type AgentJobTable,
  agentJobTable,
  type JobRequest,
} from '../../src/service/assistants/agent/store/job-table.ts';
import type { Step } from '../../src/service/assistants/agent/store/steps.ts';
import type { Completion, CompletionRequest } from '../../src/service/platform/language-model/language-model.ts';
import { silentLog } from '../../src/service/platform/log.ts';
import { createAddressPolicy } from '../../src/service/platform/network/address-policy/address-policy.ts';
import { createUnreadable, type Database, openDatabase } from '../../src/service/platform/storage/storage.ts';
import { createActivity } from '../../src/service/platform/team/activity.ts';
import { createLedger } from '../../src/service/platform/team/ledger.ts';
import type { ScrapedPage, ScrapeRequest } from '../../src/service/web/scrape/scrape.ts';
import { transaction } from '../../src/storage/storage.ts';
import { eventually } from './eventually.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { temporaryFolder } from './folders.ts';

export const caller = { team: 'red', keyLabel: 'red' };

/** Agent and extract jobs over a real database, with a web and a model that the test plays. */
export interface AgentBench {
  folder: string;
  database: Database;
  table: AgentJobTable;
  clock: FakeClock;
  /** URLs that were scraped, and requests to the model. */
  scraped: string[];
  asked: CompletionRequest[];
  /** Starts another service over the same database. */
  open(parts?: Partial<AgentJobsParts>): AgentJobs;
  /** Stores a job that runs, with what it has done so far. */
  store(request: Partial<JobRequest>, steps?: readonly Step[]): Promise<AgentJob>;
  /** Runs the stored jobs until one has ended. */
  ended(jobs: AgentJobs, id: string): ReturnType<AgentJobs['find']>;
  close(): Promise<void>;
}

export interface Play {
  /** @param number of the request, from 0 */
  model?(request: CompletionRequest, number: number): Partial<Completion> | Promise<Partial<Completion>>;
  page?(request: ScrapeRequest): Partial<ScrapedPage> & { markdown?: string };
}

export async function openAgentBench({ model = () => ({}), page = () => ({}) }: Play): Promise<AgentBench> {
  const folder = temporaryFolder();
  const database = await openDatabase(folder, silentLog, 0);
  const clock = createFakeClock();
  const table = agentJobTable(database, createUnreadable(database, silentLog, clock.now));
  const scraped: string[] = [];
  const asked: CompletionRequest[] = [];
  const opened: AgentJobs[] = [];
  const parts: AgentJobsParts = {
    database,
    table,
    clock,
    log: silentLog,
    events: { emit: async () => undefined },
    activity: createActivity(database, clock),
    ledger: createLedger(database, clock, undefined),
    policy: createAddressPolicy({
      denyPrivate: false,
      ownPorts: () => [],
      resolve: async (host) => [{ address: host.endsWith('inside.test') ? '10.0.0.7' : '93.184.215.14', family: 4 }],
    }),
    mapSite: async () => [],
    searchFor: () => undefined,
    robotsAgainst: async () => undefined,
    browse: {
      run: () => Promise.reject(new Error('there is no browser')),
      settle: async () => 0,
    },
    scraper: {
      async scrape(request) {
        scraped.push(request.url);
        const { markdown = `Text of ${request.url}`, ...rest } = page(request);
        return scrapedPage(request.url, markdown, rest);
      },
    },
    models: {
      find: () => ({
        name: 'scripted',
        async complete(request) {
          asked.push(request);
          const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
          return { text: '', toolCalls: [], usage, ...(await model(request, asked.length - 1)) };
        },
      }),
    },
  };
  return {
    folder,
    database,
    table,
    clock,
    scraped,
    asked,
    open(more = {}) {
      const jobs = createAgentJobs({ ...parts, ...more });
      opened.push(jobs);
      return jobs;
    },
    async store(request, steps = []) {
      const id = `job-${scraped.length}-${asked.length}-${opened.length}`;
      const full: JobRequest = { prompt: 'What?', urls: [], maxCredits: 100, strict: false, ...request };
      const kind = request.extract ? ('extract' as const) : ('agent' as const);
      await table.insert({ id, team: 'red', key_label: 'red', kind, request: full, created_at: clock.now() });
      const job = (await table.find(id)) as AgentJob;
      await transaction(database, async (tx) => {
        for (const [index, step] of steps.entries())
          await table.addStep(job, { seq: index + 1, step, credits: 1, at: clock.now() }, tx);
      });
      return job;
    },
    async ended(jobs, id) {
      return await eventually(async () => {
        const found = await jobs.find(caller, id);
        if (found.job.status === 'processing') throw new Error(`still processing: ${JSON.stringify(found.deeds)}`);
        return found;
      });
    },
    async close() {
      if (!existsSync(folder)) return;
      for (const jobs of opened) await jobs.close();
      await database.destroy();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Tool calls as a model makes them. */
export function calls(...all: readonly [name: string, args: object][]): Partial<Completion> {
  return { toolCalls: all.map(([name, args]) => ({ id: 'same', name, arguments: JSON.stringify(args) })) };
}

function scrapedPage(url: string, markdown: string, rest: Partial<ScrapedPage>): ScrapedPage {
  return {
    document: { markdown, metadata: { sourceURL: url, statusCode: 200 } },
    links: [],
    finalUrl: url,
    statusCode: 200,
    contentType: 'text/html',
    creditsUsed: 1,
    replay: {
      url,
      waitFor: 0,
      actions: [],
      headers: {},
      mobile: false,
      skipTlsVerification: false,
      location: undefined,
      profile: undefined,
    },
    ...rest,
  };
}
