import type { RunEvent } from '../../contract/embedded.ts';
import type { ExecuteBody, ExecutionResult, Language } from '../../contract/execution.ts';
import { cdpSocket } from '../chrome/cdp-socket.ts';
import type { Clock } from '../clock.ts';
import { messageOf, ServiceError } from '../errors.ts';
import type { Capabilities } from '../http/capabilities.ts';
import type { Caller } from '../http/keys.ts';
import { offerLiveView } from '../live-view/live-view.ts';
import type { Log } from '../log.ts';
import type { Billing } from './billing.ts';
import type { BrowserHost } from './host.ts';
import { createRunQueue } from './run-queue.ts';
import type { SessionStatus, SessionTable } from './session-table.ts';

/** A browser session while it lives. */
export interface Session {
  readonly id: string;
  readonly team: string;
  /** Seconds. */
  readonly ttl: number;
  readonly cdpUrl: string;
  /** Pages to watch the session, and to steer it; empty where it has no live view. */
  readonly liveViewUrl: string;
  readonly interactiveLiveViewUrl: string;
  /** Wall-clock milliseconds. */
  readonly expiresAt: number;
  readonly lastActivityAt: number;
  /** Whether its lifetime is over, even if no timer has said so yet. */
  readonly overdue: boolean;
  /** Runs code when its turn comes. `signal` aborts when the caller is gone. */
  execute(body: ExecuteBody, options: ExecuteOptions): Promise<ExecutionResult>;
  /** Does something with the session's browser when its turn comes, as a run does. */
  inTurn<Result>(options: ExecuteOptions, work: (turn: Turn) => Promise<Result>): Promise<Result>;
  resetRepl(language: Language): Promise<void>;
  /** A prompt ran in it: from now on it costs more. */
  markPrompted(): void;
  /** Ends the session, once; later calls wait for the same end. Rejects when its profile could not be saved. */
  end(reason: string, status?: SessionStatus): Promise<void>;
}

export interface ExecuteOptions {
  signal: AbortSignal;
  /** Names the run in its events; without it there are none. */
  runId?: string;
}

type TurnEvent = { kind: 'notice'; text: string } | { kind: 'output'; stream: 'stdout' | 'stderr'; text: string };

/** What whoever has its turn in a session works with. */
export interface Turn {
  /** Aborts when the caller is gone or the session ends. */
  signal: AbortSignal;
  host: BrowserHost;
  /** Tells the window that follows the run. */
  emit(event: TurnEvent): void;
}

export interface SessionOptions {
  id: string;
  caller: Caller;
  ttl: number;
  activityTtl: number;
  /** Whether the browser's state is saved to its profile at the end. */
  saveProfile: boolean;
  /** Whether it has a live view. */
  streamWebView: boolean;
  host: BrowserHost;
  table: SessionTable;
  billing: Billing;
  capabilities: Capabilities;
  clock: Clock;
  log: Log;
  socketOrigin(): string;
  onRunEvent(event: RunEvent): void;
  onChange(reason: string): void;
  onEnd(): void;
}

/** Begins the life of a session on a browser that is ready. */
export function beginSession(options: SessionOptions): Session {
  const { id, caller, host, table, clock } = options;
  const bornAt = clock.monotonic();
  const createdAt = clock.now();
  const ttlMs = options.ttl * 1000;
  const activityTtlMs = options.activityTtl * 1000;
  const queue = createRunQueue();
  const over = new AbortController();
  let lastActivity = bornAt;
  let ending: Promise<void> | undefined;
  let prompted = false;

  const touch = () => {
    lastActivity = clock.monotonic();
  };
  const capability = options.capabilities.add(
    `/cdp/${id}`,
    cdpSocket({ relay: host.relay, onCommand: touch, onBrowserClose: () => endBy('closed by a CDP client') }),
  );
  const liveView = options.streamWebView
    ? offerLiveView({
        sessionId: id,
        relay: host.relay,
        tabs: host.tabs,
        capabilities: options.capabilities,
        origin: () => options.socketOrigin().replace(/^ws/, 'http'),
        clock,
        log: options.log,
        onInput: touch,
        isBusy: () => queue.size > 0,
      })
    : undefined;
  const cancelTtl = clock.after(ttlMs, () => endBy('its ttl passed'));
  let cancelIdle = clock.after(activityTtlMs, checkIdle);

  function checkIdle(): void {
    if (queue.size > 0) touch();
    const left = lastActivity + activityTtlMs - clock.monotonic();
    if (left <= 0) endBy('it was inactive');
    else cancelIdle = clock.after(left, checkIdle);
  }

  host.onBrowserClose = () => endBy('its browser was closed by a snippet');
  host.tabs.onChange(() => {
    const tab = host.tabs.list().find(({ url }) => url !== 'about:blank');
    if (!tab || ending) return;
    table.setPage(id, tab.url, tab.title);
    options.onChange('page');
  });
  void host.browser.ended.then((how) => endBy(`its browser ${how}`, 'error'));

  async function end(reason: string, status: SessionStatus = 'destroyed'): Promise<void> {
    ending ??= finish(reason, status);
    await ending;
  }

  /** Ends it where nobody waits who could be told of a failure: the log is. */
  function endBy(reason: string, status?: SessionStatus): void {
    end(reason, status).catch(() => undefined);
  }

  async function finish(reason: string, status: SessionStatus): Promise<void> {
    cancelTtl();
    cancelIdle();
    const durationMs = Math.round(clock.monotonic() - bornAt);
    table.touch(id, lastActivityAt());
    options.billing.end({ id, caller, status, endedAt: clock.now(), reason, durationMs, prompted });
    options.log.info({ session: id, reason, durationMs }, 'a session ended');
    capability.revoke();
    liveView?.end(reason);
    over.abort(new ServiceError(410, `Browser session has been destroyed: ${reason}.`));
    options.onEnd();
    options.onChange(reason);
    try {
      await host.close({ saveProfile: options.saveProfile && status === 'destroyed' });
    } catch (error) {
      options.log.error({ session: id, reason: messageOf(error) }, 'a session did not end in order');
      throw new ServiceError(
        500,
        `The session ended, but not in order: ${messageOf(error)}. An earlier state of its profile stays as it was.`,
        { cause: error },
      );
    }
  }

  function lastActivityAt(): number {
    return createdAt + Math.round(lastActivity - bornAt);
  }

  async function inTurn<Result>(
    { signal, runId }: ExecuteOptions,
    work: (turn: Turn) => Promise<Result>,
  ): Promise<Result> {
    const emit = (event: TurnEvent | { kind: 'queued' | 'started' | 'finished' }) => {
      if (runId !== undefined) options.onRunEvent({ ...event, runId, sessionId: id });
    };
    touch();
    if (queue.size > 0) emit({ kind: 'queued' });
    const either = AbortSignal.any([signal, over.signal]);
    return await queue.add(async () => {
      emit({ kind: 'started' });
      try {
        return await work({ signal: either, host, emit });
      } finally {
        touch();
        emit({ kind: 'finished' });
      }
    }, either);
  }

  async function execute(body: ExecuteBody, where: ExecuteOptions): Promise<ExecutionResult> {
    const runner = host.runner(body.language);
    return await inTurn(where, async ({ signal, emit }) => {
      const outcome = await runner.run({
        code: body.code,
        timeoutMs: body.timeout * 1000,
        signal,
        onOutput: (stream, text) => emit({ kind: 'output', stream, text }),
        onNotice: (text) => emit({ kind: 'notice', text }),
      });
      if (over.signal.aborted) return { success: true, ...outcome, error: messageOf(over.signal.reason) };
      return { success: true, ...outcome };
    });
  }

  return {
    id,
    team: caller.team,
    ttl: options.ttl,
    cdpUrl: `${options.socketOrigin()}${capability.path}`,
    liveViewUrl: liveView?.url ?? '',
    interactiveLiveViewUrl: liveView?.interactiveUrl ?? '',
    expiresAt: createdAt + ttlMs,
    get lastActivityAt() {
      return lastActivityAt();
    },
    get overdue() {
      return clock.monotonic() - bornAt >= ttlMs;
    },
    execute,
    inTurn,
    resetRepl: async (language) => {
      touch();
      await host.runner(language).reset();
    },
    markPrompted: () => {
      prompted = true;
    },
    end,
  };
}
