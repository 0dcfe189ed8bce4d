import type { RenewedLife } from '../../../contract/embedded.ts';
import type { Language } from '../../../contract/sessions/execution.ts';
import type { CreateSessionBody } from '../../../contract/sessions/sessions.ts';
import { workingFor } from '../../platform/asker.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';
import { socketUrl } from '../../platform/http/address.ts';
import { sessionCapabilities } from '../../platform/http/capabilities.ts';
import type { Caller } from '../../platform/http/keys.ts';
import { storageError } from '../../platform/storage/storage.ts';
import { cdpSocket } from '../chrome/cdp-socket.ts';
import { Downloads } from '../live-view/downloads.ts';
import { createLiveView } from '../live-view/live-view.ts';
import type { Traffic } from '../traffic/traffic.ts';
import type { EndedSession } from './billing.ts';
import type { BrowserHost } from './host.ts';
import type { PageNotes } from './page-notes.ts';
import { createRuns } from './run-queue.ts';
import type { SessionStatus } from './session-table.ts';
import type { SessionsOptions } from './sessions.ts';

/** A running browser session. */
export type Session = ReturnType<typeof createSession>;

export interface SessionOptions
  extends Pick<SessionsOptions, 'clock' | 'log' | 'capabilities' | 'billing' | 'origin' | 'onRunEvent' | 'onControl'> {
  id: string;
  caller: Caller;
  /** What its creator asked for. */
  body: CreateSessionBody;
  /** Wall-clock milliseconds. */
  createdAt: number;
  host: BrowserHost;
  traffic: Traffic;
  pageNotes: PageNotes;
  onChange(reason: string): void;
  /** Called when its end is stored and its browser closed. */
  onEnd(): void;
  /** Whether the service is stopping, which leaves what couldn't be stored to the next start. */
  isStopping(): boolean;
}

/** How long to wait before the end of a session is stored again. */
const endRetryMs = 5_000;
/** By how much the end of a session has to move before windows read the list of sessions again. */
const announceEveryMs = 5 * 60_000;

/** Creates a session on a browser that is ready. */
export function createSession(options: SessionOptions) {
  const { id, caller, body: asked, createdAt, host, clock } = options;
  const startedAt = clock.monotonic();
  const ended = new AbortController();
  let lastActivity = startedAt;
  /** Both in monotonic milliseconds. */
  let expiry = startedAt + asked.ttl * 1000;
  let announcedExpiry = expiry;
  let { activityTtl } = asked;
  let renewed = false;
  let ending: EndedSession | undefined;
  let closing: Promise<void> | undefined;
  /** Stores the end, and retries until it is stored. */
  let storing: Promise<void> | undefined;
  let isStored = false;
  let cancelRetry = () => {};
  let prompted = false;

  const touch = () => {
    lastActivity = clock.monotonic();
  };
  const runs = createRuns(options, ended.signal, touch);
  const capability = options.capabilities.add(
    sessionCapabilities(id).cdp,
    cdpSocket({
      relay: host.relay,
      team: () => caller.team,
      onCommand: touch,
      onBrowserClose: () => endInBackground('the browser was closed by a CDP client'),
    }),
    { team: caller.team },
  );
  const liveView = asked.streamWebView
    ? createLiveView({
        sessionId: id,
        team: caller.team,
        relay: host.relay,
        tabs: host.tabs,
        fetch: (...asked) => workingFor({ team: caller.team, work: id }, () => host.fetch(...asked)),
        capabilities: options.capabilities,
        downloads: (onChange) => new Downloads(host.client, host.downloads, onChange),
        origin: options.origin,
        clock,
        log: options.log,
        onInput: touch,
        onControl: (controlled) => options.onControl(caller.team, id, controlled),
        isBusy: () => runs.areOpen(),
        onViewer: () => void options.traffic.begin().catch(() => undefined),
      })
    : undefined;
  let cancelExpiry = clock.after(asked.ttl * 1000, checkExpiry);
  let cancelIdle = clock.after(activityTtl * 1000, checkIdle);

  function checkExpiry(): void {
    const left = expiry - clock.monotonic();
    if (left <= 0) endInBackground('expired');
    else cancelExpiry = clock.after(left, checkExpiry);
  }

  function checkIdle(): void {
    if (runs.areOpen()) touch();
    const left = lastActivity + activityTtl * 1000 - clock.monotonic();
    if (left <= 0) endInBackground(`closed after ${idleTime(activityTtl)} idle`);
    else cancelIdle = clock.after(left, checkIdle);
  }

  /** Makes it expire no sooner than `ttl` seconds from now, and after `activityTtl` seconds of inactivity if given. Doesn't count as activity. */
  function renew(life: RenewedLife): boolean {
    if (ending) return false;
    const changed = renewed === life.once || (life.activityTtl !== undefined && life.activityTtl !== activityTtl);
    renewed = !life.once;
    expiry = Math.max(expiry, clock.monotonic() + life.ttl * 1000);
    activityTtl = life.activityTtl ?? activityTtl;
    cancelExpiry();
    cancelIdle();
    checkExpiry();
    checkIdle();
    // Windows renew every minute; the lists of others needn't be that exact.
    if (changed || Math.abs(expiry - announcedExpiry) >= announceEveryMs) {
      announcedExpiry = expiry;
      options.onChange('renewed');
    }
    return true;
  }

  host.team = caller.team;
  host.onBrowserClose = () => endInBackground('the browser was closed by a snippet');
  host.tabs.onChange(() => {
    const tab = host.tabs.list().find(({ url }) => url !== 'about:blank');
    if (!tab || ending) return;
    options.pageNotes.note({ id, url: tab.url, title: tab.title }, () => options.onChange('page'));
  });
  void host.browser.ended.then((how) => endInBackground(`the browser ${how}`, 'error'));

  /**
   * Ends the session; later calls wait for the first. Its browser is closed in any case. Rejects if its profile couldn't be
   * saved, or if its end couldn't be stored; storing it is retried, at the latest by the next call.
   */
  async function end(reason: string, status: SessionStatus = 'destroyed'): Promise<void> {
    closing ??= close(reason, status);
    const [closed, stored] = await Promise.allSettled([closing, store()]);
    for (const outcome of [closed, stored]) if (outcome.status === 'rejected') throw outcome.reason;
  }

  /** Ends the session when no caller waits for it; failures are only logged. */
  function endInBackground(reason: string, status?: SessionStatus): void {
    end(reason, status).catch(() => undefined);
  }

  /** Closes the browser: even if storing fails, nothing of the session keeps running. */
  async function close(reason: string, status: SessionStatus): Promise<void> {
    cancelExpiry();
    cancelIdle();
    // First, so that runs end with the reason why, and not with what it does to them.
    capability.revoke();
    liveView?.end(reason);
    options.traffic.close();
    ended.abort(new ServiceError(410, `Browser session has been destroyed: ${reason}.`));
    const durationMs = Math.round(clock.monotonic() - startedAt);
    ending = {
      id,
      caller,
      status,
      endedAt: clock.now(),
      lastActivityAt: lastActivityAt(),
      reason,
      durationMs,
      prompted,
    };
    options.log.info({ session: id, reason, durationMs }, 'a session ended');
    try {
      await host.close({ saveProfile: asked.profile?.saveChanges === true && status === 'destroyed' });
    } catch (error) {
      options.log.error({ session: id, reason: messageOf(error) }, 'failed to end a session cleanly');
      throw new ServiceError(
        500,
        `The session ended, but its browser did not close cleanly: ${messageOf(error)}. The profile keeps its previous state.`,
        { cause: error },
      );
    }
  }

  /** Stores the end, unless it is stored. After a failure it tries again later: there may be space on the disk by then. */
  function store(): Promise<void> {
    if (isStored || !ending) return Promise.resolve();
    storing ??= options.billing
      .end(ending)
      .then(
        () => {
          isStored = true;
          // Until its browser is closed, whoever ends it again waits for that.
          void closing?.catch(() => undefined).then(options.onEnd);
          options.onChange(ending?.reason ?? '');
        },
        (error: unknown) => {
          options.log.error({ session: id, reason: messageOf(error) }, "the end of a session couldn't be stored");
          cancelRetry();
          if (!options.isStopping()) cancelRetry = clock.after(endRetryMs, () => void store().catch(() => undefined));
          const problem = storageError(error);
          throw new ServiceError(
            problem?.status ?? 500,
            `The session has ended and its browser is closed, but that couldn't be stored: ${messageOf(error)}. The service keeps trying; until it succeeds, the session isn't charged.`,
            { ...(problem?.code && { code: problem.code }), cause: error },
          );
        },
      )
      .finally(() => {
        storing = undefined;
      });
    return storing;
  }

  function lastActivityAt(): number {
    return createdAt + Math.round(lastActivity - startedAt);
  }

  return {
    id,
    team: caller.team,
    /** Seconds from its creation until it expires. */
    get lifetime(): number {
      return Math.ceil((expiry - startedAt) / 1000);
    },
    /** Seconds since its creation. */
    get age(): number {
      return Math.ceil((clock.monotonic() - startedAt) / 1000);
    },
    /** Seconds of inactivity before it ends. */
    get activityTtl(): number {
      return activityTtl;
    },
    /** Whether a window keeps renewing it. */
    get renewed(): boolean {
      return renewed;
    },
    /** What its pages log and request. */
    traffic: options.traffic,
    cdpUrl: `${socketUrl(options.origin())}${capability.path}`,
    /** URLs to watch and to control the session; empty if it has no live view. */
    liveViewUrl: liveView?.url ?? '',
    interactiveLiveViewUrl: liveView?.interactiveUrl ?? '',
    /** Wall-clock milliseconds. */
    get expiresAt(): number {
      return createdAt + Math.round(expiry - startedAt);
    },
    get lastActivityAt(): number {
      return lastActivityAt();
    },
    /** Whether its time has passed, even if its timer hasn't fired yet. */
    get expired(): boolean {
      return clock.monotonic() >= expiry;
    },
    /** Returns when it would expire if it were renewed for `ttl` seconds, in wall-clock milliseconds. */
    expiryWith: (ttl: number): number =>
      createdAt + Math.round(Math.max(expiry, clock.monotonic() + ttl * 1000) - startedAt),
    /** How it ended; undefined until then. */
    get ended(): EndedSession | undefined {
      return ending;
    },
    /** Resolves when its end, if it is ending, has been stored or not. */
    get endStored(): Promise<void> | undefined {
      return ending && (storing?.catch(() => undefined) ?? Promise.resolve());
    },
    renew,
    execute: runs.execute,
    inTurn: runs.inTurn,
    resetRepl: async (language: Language): Promise<void> => {
      touch();
      await host.runner(language).reset();
    },
    /** Keeps back what code does in the browser, or lets it continue. */
    setHeld: (held: boolean): void => host.hold.set(held),
    /** Records that a prompt ran in the session, which raises its rate. */
    markPrompted: (): void => {
      prompted = true;
    },
    end,
  };
}

function idleTime(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
