import { randomUUID } from 'node:crypto';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { AgentRules } from '../../../contract/mcp/agent-keys.ts';
import type { PermitAnswer, PermitKind, PermitRequest } from '../../../contract/mcp/agent-sessions.ts';
import { shorten } from '../../../contract/shorten.ts';
import type { Clock } from '../../platform/clock.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Caller } from '../../platform/http/keys.ts';
import { isListed } from './hosts.ts';
import type { SteeredCall } from './steering.ts';
import { waitForPerson } from './wait-for-person.ts';

/** What an agent wants to do. */
export interface Wanted {
  kind: PermitKind;
  /** Undefined for a call without a session. */
  sessionId?: string | undefined;
  /** `host` or `host:port`; empty for code. */
  host: string;
  /** The URL, the name of the file, the paths of files or the code. */
  detail: string;
}

interface Pending {
  request: PermitRequest;
  team: string;
  settle(answer: PermitAnswer | 'gone'): void;
}

/** How long an agent waits for an answer: clients give up on calls after a minute. */
const answerMs = 45_000;
/** Most characters of what is shown of a request. */
const detailLength = 4_000;
/** Most requests of a team that wait at the same time. */
const maxPending = 50;

interface PermitsParts {
  rulesOf(caller: Caller): AgentRules | undefined;
  clock: Clock;
  /** Called when what agents wait for has changed. */
  onChange(team: string): void;
}

/** What agents wait to be allowed, and what they are allowed until their session ends. */
export function createPermits({ rulesOf, clock, onChange }: PermitsParts) {
  const pending = new Map<string, Pending>();
  /** What was allowed, by the session or else by the key. */
  const granted = new Map<string, Set<string>>();

  const scopeOf = ({ sessionId }: Pick<Wanted, 'sessionId'>, caller: Caller) => sessionId ?? `key ${caller.agentKey}`;

  function permits(wanted: Wanted, caller: Caller): boolean {
    const rules = rulesOf(caller);
    if (!rules || isWithin(rules, wanted)) return true;
    return granted.get(scopeOf(wanted, caller))?.has(grantOf(wanted)) === true;
  }

  function requestsOf(team: string): PermitRequest[] {
    return [...pending.values()].filter((each) => each.team === team).map(({ request }) => request);
  }

  /** Waits for the answer to a request. */
  async function answerTo(wanted: Wanted, call: SteeredCall): Promise<PermitAnswer | 'late' | 'gone'> {
    const { caller } = call.agent;
    const id = randomUUID();
    const now = clock.now();
    const { promise, resolve } = Promise.withResolvers<PermitAnswer | 'gone'>();
    pending.set(id, {
      team: caller.team,
      settle: resolve,
      request: {
        id,
        kind: wanted.kind,
        agent: caller.agent ?? caller.keyLabel,
        sessionId: wanted.sessionId ?? null,
        host: shorten(wanted.host),
        detail: wanted.detail.slice(0, detailLength),
        createdAt: new Date(now).toISOString(),
        expiresAt: new Date(now + answerMs).toISOString(),
      },
    });
    onChange(caller.team);
    const answer = await waitForPerson(call, 'Waiting for the user to allow this:', answerMs, promise, clock);
    pending.delete(id);
    onChange(caller.team);
    return answer;
  }

  return {
    permits,
    async permit(wanted: Wanted, call: SteeredCall): Promise<void> {
      const { caller } = call.agent;
      if (permits(wanted, caller)) return;
      refuseUploads(wanted, rulesOf(caller));
      call.signal.throwIfAborted();
      if (requestsOf(caller.team).length >= maxPending)
        throw new ServiceError(429, 'Too many calls are waiting for the user. Call again later.');
      const answer = await answerTo(wanted, call);
      call.signal.throwIfAborted();
      if (answer === 'session') {
        const scope = scopeOf(wanted, caller);
        granted.set(scope, (granted.get(scope) ?? new Set()).add(grantOf(wanted)));
      }
      if (answer === 'once' || answer === 'session') return;
      if (answer === 'gone') throw new ServiceError(410, 'The session has ended.');
      const what = describe(wanted);
      throw answer === 'late'
        ? new ServiceError(
            403,
            `Not done: the user must allow you to ${what}, and nobody answered within ${answerMs / 1000} s. Next: ask the user to allow it in the Web Data view of VS Code, then call this tool again.`,
          )
        : new ServiceError(
            403,
            `Not done: the user doesn't allow you to ${what}. Next: go on without it, or ask the user what to do instead.`,
          );
    },
    /** Answers a request. Throws 404 if the agent is no longer waiting. */
    answer(team: string, id: string, answer: PermitAnswer): void {
      const found = pending.get(id);
      if (found?.team !== team) throw new ServiceError(404, 'The agent is no longer waiting for this.');
      found.settle(answer);
    },
    list: requestsOf,
    ended(sessionId: string): void {
      granted.delete(sessionId);
      for (const { request, settle } of pending.values()) if (request.sessionId === sessionId) settle('gone');
    },
    close(): void {
      for (const { settle } of pending.values()) settle('gone');
    },
  };
}

/** What an answer for the rest of a session is for: of files, only for the same ones. */
export function grantOf({ kind, host, detail }: Wanted): string {
  return kind === 'upload' ? `${kind} ${host} ${detail}` : `${kind} ${host}`;
}

/** Throws if a file isn't in a folder that the rules name: the user isn't even asked then. */
function refuseUploads({ kind, detail }: Wanted, rules: AgentRules | undefined): void {
  const folders = rules?.uploads;
  if (kind !== 'upload' || !folders) return;
  const outside = detail.split('\n').find((path) => !folders.some((folder) => isWithinFolder(path, folder)));
  if (outside === undefined) return;
  throw new ServiceError(
    403,
    `Not done: the user's rules don't let you upload ${shorten(outside)}. Next: use a file in one of these folders, or ask the user: ${folders.join(', ') || 'none'}.`,
  );
}

function isWithinFolder(path: string, folder: string): boolean {
  const way = relative(resolve(folder), path);
  return way !== '' && way.split(sep)[0] !== '..' && !isAbsolute(way);
}

/** Whether an agent's rules allow something without asking. */
function isWithin(rules: AgentRules, { kind, host }: Pick<Wanted, 'kind' | 'host'>): boolean {
  if (kind === 'download') return rules.downloads === 'allow';
  if (kind === 'password') return rules.passwords === 'allow';
  if (kind === 'upload') return false;
  // Code can reach any host.
  if (kind === 'code') return rules.hosts === null;
  return rules.hosts === null || isListed(host, rules.hosts);
}

function describe({ kind, host }: Wanted): string {
  if (kind === 'download') return `download a file from ${host}`;
  if (kind === 'password') return `submit a form with a password on ${host}`;
  if (kind === 'upload') return `upload a file to ${host}`;
  return kind === 'code' ? 'run code' : `use ${host}`;
}
