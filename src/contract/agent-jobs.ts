import * as z from 'zod';
import { endpoint, jobParams, othersJob } from './endpoints/endpoint.ts';
import {
  apiResponse,
  characters,
  dateTime,
  queryNumber,
  requestBody,
  responseBody,
  tooLongUrl,
  wholeNumber,
} from './fields.ts';
import { limits } from './limits.ts';
import { scrapeOptions, webUrl } from './scrape/scrape.ts';
import { agentWebhookConfig } from './webhooks/webhooks.ts';

const webhook = agentWebhookConfig
  .optional()
  .describe('URL that receives the events of the job, or an object with url, headers, metadata and events');

const schema = z
  .record(z.string(), z.unknown())
  .refine((value) => JSON.stringify(value).length <= limits.agentSchema, {
    error: `expected a JSON Schema of at most ${limits.agentSchema} characters`,
  })
  .nullish()
  .describe('JSON Schema that the data must match');
const prompt = characters(limits.prompt);
const zeroDataRetention = z
  .literal(false, { error: 'zeroDataRetention is not supported: the steps of a job are stored so that it can resume' })
  .optional();
const maxCredits = wholeNumber(limits.agentCredits)
  .optional()
  .describe(`Maximum number of credits that the job uses, default ${limits.agentCredits.default}`);

/** Body of POST /v2/extract. */
export const startExtractBody = requestBody({
  urls: z
    .array(z.string().max(limits.url, tooLongUrl))
    .max(limits.agentUrls)
    .optional()
    .describe('Pages to extract from; `/*` at the end of a URL stands for all pages below it'),
  prompt: prompt.optional().describe('What to extract, in natural language'),
  schema,
  systemPrompt: prompt.optional().describe('More instructions for the language model'),
  allowExternalLinks: z
    .boolean()
    .optional()
    .describe('Also read pages on other sites that the given pages link to; default false'),
  includeSubdomains: z.boolean().optional().describe('Whether `/*` includes pages on subdomains; default false'),
  enableWebSearch: z
    .boolean()
    .optional()
    .describe('Also read pages that a web search for the prompt finds; default false'),
  showSources: z.boolean().optional().describe('Accepted for compatibility: sources are always shown'),
  ignoreInvalidURLs: z.boolean().optional().describe('Skip invalid URLs and list them in invalidURLs; default true'),
  limit: wholeNumber({ min: 1, max: limits.extractPages.max })
    .optional()
    .describe(
      `Maximum number of pages to read, default ${limits.extractPages.default}, or the number of urls if that is higher`,
    ),
  scrapeOptions: scrapeOptions.optional().describe('How each page is scraped'),
  agent: z
    .looseObject({ model: z.string().max(200).optional() })
    .nullish()
    .describe('Let an agent gather the data; it can also operate the pages'),
  maxCredits,
  webhook,
  zeroDataRetention,
}).superRefine((body, context) => {
  const issue = (message: string) => context.addIssue({ code: 'custom', message });
  if (body.prompt === undefined && !body.schema) issue("expected 'prompt' or 'schema'");
  if (!body.urls?.length && !((body.enableWebSearch || body.agent) && body.prompt)) {
    issue("expected 'urls', or a 'prompt' with enableWebSearch or agent");
  }
});

/** What a job did in one step. */
export const agentStep = responseBody({
  action: z.string().describe('plan, search, map, read, browse or answer; others may follow'),
  text: z.string().describe('What was done'),
  at: dateTime.nullish().describe('When it was done'),
  creditsUsed: z.number().nullish().describe('Credits used for the step'),
  error: z.string().nullish().describe('Why the step failed'),
});

/** Response of GET /v2/agent/{id} and GET /v2/extract/{id}. */
export const agentState = apiResponse({
  id: z.string().nullish().describe('ID of the job'),
  status: z.string().nullish().describe('processing, completed, failed or cancelled'),
  data: z.unknown().optional().describe('The data; present once the job is completed'),
  sources: z
    .record(z.string(), z.array(z.string()))
    .nullish()
    .describe('URLs of the pages that each value comes from, by its path in data'),
  error: z.string().nullish().describe('Why the job failed'),
  warning: z.string().nullish().describe('What is missing from the data, and why'),
  model: z.string().nullish().describe('Name of the language model'),
  creditsUsed: z.number().nullish().describe('Credits used so far'),
  tokensUsed: z.number().nullish().describe('Tokens used so far'),
  createdAt: dateTime.nullish().describe('When the job was started'),
  expiresAt: dateTime.nullish().describe('Until when the job can be retrieved'),
  steps: z.array(agentStep).nullish().describe('The latest steps of the job, oldest first'),
});

/** Response of GET /v2/agent. */
export const agentList = apiResponse({
  agents: z
    .array(
      responseBody({
        id: z.string().describe('ID of the job'),
        createdAt: dateTime.nullish().describe('When the job was started'),
        targetHint: z.string().nullish().describe('The start of its prompt'),
        origin: z.string().nullish().describe('Label of the program that started it'),
        settings: responseBody({ hidden: z.boolean().nullish(), starred: z.boolean().nullish() })
          .nullish()
          .describe('Always false: this service has no dashboard'),
        status: z.string().nullish().describe('processing, completed or failed; canceled jobs count as failed'),
        options: responseBody({
          urls: z.array(z.string()).nullish(),
          prompt: z.string().nullish(),
          schema: z.unknown().optional(),
          model: z.string().nullish(),
        })
          .nullish()
          .describe('What the job was asked for'),
      }),
    )
    .nullish()
    .describe('The jobs, newest first; extract jobs are not among them'),
  next: z.string().nullish().describe('URL of the next page; missing on the last one'),
});

/** Response of GET /v2/agent/{id}/trace. */
export const agentTrace = apiResponse({
  id: z.string().nullish().describe('ID of the job'),
  events: z
    .array(
      z.looseObject({
        type: z.string().describe('run.started, progress.reported, error.occurred, artifact.updated or run.finished'),
        eventId: z.string().nullish(),
        occurredAt: dateTime.nullish(),
      }),
    )
    .nullish()
    .describe('What the job did, oldest first, from the last 1,000 steps'),
  creditsUsed: z.number().nullish().describe('Credits used so far'),
});

export type AgentList = z.output<typeof agentList>;
export type AgentTrace = z.output<typeof agentTrace>;
export type AgentState = z.output<typeof agentState>;
export type AgentStep = z.output<typeof agentStep>;

const starting = {
  402: 'No credits left',
  403: 'The address is blocked',
  503: 'No language model is configured; the message says how to set one up',
} as const;
const retrieving = { 403: othersJob, 404: 'Job not found or expired' } as const;
const retrieval = {
  params: jobParams,
  response: agentState,
  errors: retrieving,
} as const;

/** Agent and extract jobs, which gather data with a language model. */
export const agentEndpoints = {
  startAgent: endpoint('POST', '/v2/agent', {
    summary: 'Start an agent that gathers data from the web',
    body: requestBody({
      prompt: prompt.describe('What to find out, in natural language'),
      urls: z.array(webUrl).max(limits.agentUrls).optional().describe('Pages to start from'),
      schema,
      maxCredits,
      strictConstrainToURLs: z
        .boolean()
        .optional()
        .describe('Read only the pages in urls, and find no others; default false'),
      model: z
        .string()
        .max(200)
        .optional()
        .describe('Accepted for compatibility: the configured language model is always used'),
      webhook,
      zeroDataRetention,
    }).superRefine((body, context) => {
      if (body.strictConstrainToURLs && !body.urls?.length) {
        context.addIssue({ code: 'custom', path: ['urls'], message: 'strictConstrainToURLs needs at least one URL' });
      }
    }),
    response: apiResponse({ id: z.string().describe('ID of the job') }),
    errors: starting,
  }),
  listAgents: endpoint('GET', '/v2/agent', {
    summary: 'List the agent jobs of the last day',
    query: z.object({
      before: queryNumber({ min: 0, max: Number.MAX_SAFE_INTEGER })
        .optional()
        .describe('Only jobs that were started before this time, in milliseconds since 1970'),
    }),
    response: agentList,
  }),
  getAgent: endpoint('GET', '/v2/agent/:jobId', {
    summary: 'Get the status and the data of an agent or extract job',
    ...retrieval,
  }),
  getAgentTrace: endpoint('GET', '/v2/agent/:jobId/trace', {
    summary: 'Get the events of an agent or extract job, which say what it did',
    params: jobParams,
    response: agentTrace,
    errors: retrieving,
  }),
  getAgentSnapshot: endpoint('GET', '/v2/agent/:jobId/snapshots/:snapshotId', {
    summary: 'Get the data of an agent or extract job by the snapshotId of its trace',
    params: jobParams.extend({
      snapshotId: z.string().max(200).describe('The snapshotId of an event of the trace'),
    }),
    response: apiResponse({
      id: z.string().nullish().describe('ID of the job'),
      snapshotId: z.string().nullish(),
      snapshot: z.string().nullish().describe('The data of the job as JSON'),
    }),
    errors: { 403: othersJob, 404: 'Job not found or expired, or it has no such snapshot' },
  }),
  cancelAgent: endpoint('DELETE', '/v2/agent/:jobId', {
    summary: 'Cancel an agent or extract job',
    params: jobParams,
    response: apiResponse({ status: z.string().nullish() }),
    errors: { 403: othersJob, 404: 'Job not found', 409: 'The job has already ended' },
  }),
  startExtract: endpoint('POST', '/v2/extract', {
    summary: 'Start a job that extracts data from pages',
    body: startExtractBody,
    response: apiResponse({
      id: z.string().describe('ID of the job'),
      invalidURLs: z.array(z.string()).nullish().describe('The given URLs that are not valid'),
    }),
    errors: starting,
  }),
  getExtract: endpoint('GET', '/v2/extract/:jobId', {
    summary: 'Get the status and the data of an extract or agent job',
    ...retrieval,
  }),
} as const;
