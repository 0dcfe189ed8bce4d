import type { AgentList, AgentTrace } from '../../../contract/agent-jobs.ts';
import type { AgentJob, StoredDeed } from './store/job-table.ts';

/** Jobs on a page of the list. */
const pageSize = 20;
/** Jobs to read for a page: one more tells whether there is another. */
export const listedJobs = pageSize + 1;
/** Steps that a trace has. */
export const tracedSteps = 1_000;
/** Name of the data of a job among its snapshots. */
export const dataSnapshot = 'data';

/** Returns a page of the list of jobs as published clients know it, from the newest `listedJobs`. */
export function listOf(jobs: readonly AgentJob[], baseUrl: string): AgentList {
  const shown = jobs.slice(0, pageSize);
  const last = shown.at(-1);
  const agents = shown.map(({ id, request, status, model, created_at }) => ({
    id,
    createdAt: new Date(created_at).toISOString(),
    targetHint: (request.prompt ?? request.urls[0] ?? '').slice(0, 200),
    origin: request.origin ?? 'api',
    settings: { hidden: false, starred: false },
    status: status === 'cancelled' ? 'failed' : status,
    options: {
      ...(request.urls.length > 0 && { urls: request.urls }),
      ...(request.schema && { schema: request.schema }),
      prompt: request.prompt ?? '',
      model: model ?? '',
    },
  }));
  // Jobs of the same millisecond as the last one are left out: the next page begins before it.
  return {
    success: true,
    agents,
    ...(last && jobs.length > pageSize && { next: `${baseUrl}/v2/agent?before=${last.created_at}` }),
  };
}

const outcomes = { completed: 'succeeded', failed: 'failed', cancelled: 'cancelled' } as const;
const phases: Readonly<Record<string, string>> = { plan: 'planning', answer: 'finalizing' };

/** Returns what a job did as the events that published clients know. */
export function traceOf(job: AgentJob, deeds: readonly StoredDeed[]): AgentTrace {
  const events: NonNullable<AgentTrace['events']> = [];
  const agent = { id: job.id, role: 'orchestrator', name: job.kind };
  const add = (key: string | number, at: number, fields: { type: string; [name: string]: unknown }) =>
    events.push({
      schemaVersion: 1,
      eventId: `${job.id}-${key}`,
      runId: job.id,
      occurredAt: new Date(at).toISOString(),
      producerSequence: events.length,
      agent,
      ...fields,
    });
  const problem = (code: string, source: string, message: string) => ({ code, source, retryable: false, message });
  add('started', job.created_at, { type: 'run.started' });
  for (const { seq, at, deed } of deeds) {
    add(seq, at, { type: 'progress.reported', phase: phases[deed.action] ?? 'working', message: deed.text });
    if (deed.error !== undefined) {
      add(`${seq}-error`, at, { type: 'error.occurred', error: problem('internal', 'tool', deed.error) });
    }
  }
  if (job.status !== 'processing') {
    const at = job.ended_at ?? job.created_at;
    if (job.answer) {
      const artifact = { kind: 'json', artifactId: dataSnapshot, snapshotId: dataSnapshot, change: 'init' };
      add(dataSnapshot, at, { type: 'artifact.updated', artifact });
    }
    const code = job.status === 'cancelled' ? 'cancelled' : 'internal';
    const error = job.answer ? null : problem(code, 'agent', job.error ?? 'The job was canceled.');
    add('finished', at, { type: 'run.finished', outcome: outcomes[job.status], error });
  }
  return { success: true, id: job.id, events, creditsUsed: job.credits };
}
