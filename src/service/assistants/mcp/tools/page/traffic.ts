import * as z from 'zod';
import { consoleLevels, type NetworkEntry, type NetworkExchange } from '../../../../../contract/sessions/traffic.ts';
import { listConsole, listRequests, shownExchange } from '../../../../browsers/traffic/shown.ts';
import { createTurn } from '../../../../platform/async.ts';
import { ServiceError } from '../../../../platform/errors.ts';
import type { AgentSessions } from '../sessions.ts';
import { reads, sessionField, type Tool, tool } from '../tool.ts';

/** How many of the newest entries a list has. */
const shownEntries = 100;
/** Characters of a console line in a list. */
const lineLength = 500;

const text = z.string().min(1).max(200).optional();

/** Tools that read what the pages of a session have logged and requested. Secrets are always masked. */
export function trafficTools(sessions: AgentSessions): Record<string, Tool> {
  return {
    page_console: tool({
      title: 'Read the console',
      description: 'Read what the pages have logged, by level or text.',
      schema: z.strictObject({ level: z.enum(consoleLevels).optional(), text, session: sessionField }),
      example: { level: 'error' },
      hints: reads,
      async run({ session, ...query }, { agent }) {
        const { console, since } = await (await sessions.find(agent, session)).traffic.begin();
        const entries = await listConsole(console, query);
        if (entries.length === 0) return { text: `No such lines in the console ${recordedSince(since)}.` };
        const lines = entries.slice(-shownEntries).map((entry) => {
          const place = entry.url ? ` (${entry.url}${entry.line ? `:${entry.line}` : ''})` : '';
          return `[${entry.level}] ${entry.text.slice(0, lineLength)}${place}`;
        });
        return { ...counted(entries.length), content: { name: 'console', text: lines.join('\n') } };
      },
    }),
    page_network: tool({
      title: 'Read the network',
      description: 'List the requests of the pages, filtered by type or text of the URL, or read one whole.',
      schema: z.strictObject({
        request: z.string().min(1).max(40).optional().describe('ID of the one to read'),
        type: z.string().min(1).max(40).optional().describe('Such as fetch'),
        failed: z.boolean().optional(),
        text,
        session: sessionField,
      }),
      example: { failed: true },
      hints: reads,
      async run({ session, request, ...query }, { agent }) {
        const { network, since } = await (await sessions.find(agent, session)).traffic.begin();
        if (request !== undefined) {
          const entry = network.entries.find(request);
          if (!entry) throw new ServiceError(404, 'No such request. Next: page_network without "request".');
          const exchange = await shownExchange(entry, await network.bodyOf(entry), false, createTurn());
          return { content: { name: 'request', text: describeExchange(exchange) } };
        }
        const entries = await listRequests(network, query);
        if (entries.length === 0) return { text: `No such requests ${recordedSince(since)}.` };
        const lines = entries.slice(-shownEntries).map(describeRequest);
        return { ...counted(entries.length), content: { name: 'network', text: lines.join('\n') } };
      },
    }),
  };
}

function recordedSince(since: number): string {
  return `since ${new Date(since).toISOString()}, when recording began`;
}

function counted(count: number): { text?: string } {
  return count > shownEntries ? { text: `The newest ${shownEntries} of ${count}.` } : {};
}

function describeRequest({ id, method, url, type, status, state, error, bytes, durationMs }: NetworkEntry): string {
  const outcome = error ?? (status === undefined || state === 'pending' ? state : status);
  const took = durationMs === undefined || durationMs === null ? '' : ` ${Math.round(durationMs)} ms`;
  return `${id} ${method} ${url} ${outcome} ${type} ${bytes} B${took}`;
}

function describeExchange(exchange: NetworkExchange): string {
  const { requestHeaders, requestBody, responseHeaders, responseBody, timing } = exchange;
  const headers = (list: typeof requestHeaders) => list.map(({ name, value }) => `${name}: ${value}`);
  const phases = Object.entries(timing ?? {}).filter(([, ms]) => Number(ms) >= 0);
  return [
    describeRequest(exchange),
    ...(phases.length > 0 ? [phases.map(([name, ms]) => `${name} ${ms} ms`).join(', ')] : []),
    '',
    'Request:',
    ...headers(requestHeaders),
    ...(requestBody ? ['', requestBody] : []),
    '',
    'Response:',
    ...headers(responseHeaders),
    ...(responseBody ? ['', responseBody.base64 ? '(binary)' : responseBody.text] : []),
  ].join('\n');
}
