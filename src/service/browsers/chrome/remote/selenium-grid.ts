import { setTimeout as wait } from 'node:timers/promises';
import { shorten } from '../../../../contract/shorten.ts';
import { messageOf, ServiceError } from '../../../platform/errors.ts';
import { lazy } from '../../../platform/lazy.ts';
import type { Log } from '../../../platform/log.ts';
import type { Browser, BrowserProvider } from '../chrome.ts';
import { driverFlags } from '../flags.ts';
import { createBrowserRequests } from './browser-requests.ts';
import { type Connection, connect } from './connection.ts';
import { type GridClient, GridError, type GridSession, gridClient } from './grid-client.ts';

export interface SeleniumGridOptions {
  /** URL of the grid. It may contain a password: never log or show it. */
  endpoint: string;
  /** Path of the browser on the grid's machines; by default, they choose. */
  chromePath?: string | undefined;
  headless: boolean;
  log: Log;
  waits?: Partial<GridWaits>;
}

/** In milliseconds. */
export interface GridWaits extends PulseWaits {
  /** How long to wait for a browser. */
  start: number;
  /** When to ask again: until the grid knows that a node is dead, it sends requests there. */
  lostNode: number;
}

const defaultWaits: GridWaits = { start: 60_000, lostNode: 1000, pulse: 3000, doubt: 2000, silence: 8000 };
/** A grid's own limit for requests in its queue, unless it is configured. */
const queueMs = 300_000;
const connectMs = 15_000;
const endRetryMs = 1000;
/** How long a stop waits for the browsers to end, in milliseconds. */
const closeMs = 3000;

/** How ChromeDriver says that Chrome exited at once, as it does without a usable sandbox. */
const exitedAtStart = /Chrome instance exited|DevToolsActivePort|sandbox/i;

/** Provides browsers of a Selenium Grid: one for each request, ended when it is closed. */
export function seleniumGrid(options: SeleniumGridOptions): BrowserProvider {
  const { log } = options;
  const waits = { ...defaultWaits, ...options.waits };
  const grid = gridClient(options.endpoint);
  const open = new Set<Browser>();
  let sandbox = true;
  let stopped = false;

  const capabilities = (sandboxed: boolean) => ({
    browserName: 'chrome',
    // Dialogs are for those who use the page.
    unhandledPromptBehavior: 'ignore',
    'goog:chromeOptions': {
      args: driverFlags({ headless: options.headless, sandbox: sandboxed }),
      ...(options.chromePath && { binary: options.chromePath }),
    },
  });
  const requests = createBrowserRequests({
    ask: (signal) => startInSandbox(signal),
    end: ({ id }) => void end(id),
    limitMs: queueMs,
  });

  async function startInSandbox(signal: AbortSignal): Promise<GridSession> {
    try {
      return await grid.start(capabilities(sandbox), signal);
    } catch (error) {
      if (!(sandbox && error instanceof GridError && exitedAtStart.test(error.message))) throw error;
      const session = await grid.start(capabilities(false), signal);
      if (sandbox) log.warn('Chrome cannot use its sandbox on the Selenium Grid; starting without the sandbox');
      sandbox = false;
      return session;
    }
  }

  /** Ends a browser. If that fails, the grid ends it after its own timeout. */
  async function end(id: string): Promise<void> {
    try {
      await grid.end(id).catch(async () => {
        await wait(endRetryMs, undefined, { ref: false });
        await grid.end(id);
      });
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the Selenium Grid did not end a browser; its --session-timeout will');
    }
  }

  async function start(): Promise<GridSession> {
    const signal = AbortSignal.timeout(waits.start);
    for (let lost: GridError | undefined; ; ) {
      try {
        return await requests.claim(signal);
      } catch (error) {
        if (stopped) throw stopping();
        if (signal.aborted) throw await explained(grid, lost ?? new GridError('full', ''));
        if (!(error instanceof GridError)) throw error;
        if (error.fault !== 'lost node') throw await explained(grid, error);
        lost = error;
        await wait(waits.lostNode);
      }
    }
  }

  async function drive(session: GridSession): Promise<Browser> {
    let connection: Connection | undefined;
    try {
      connection = await connect(session.cdpUrl, { timeoutMs: connectMs, headers: session.headers });
      await connection.call('Browser.getVersion');
      await replaceFirstTab(connection);
      return browserOf(session, connection);
    } catch (error) {
      connection?.abandon('did not start');
      await end(session.id);
      throw new ServiceError(
        502,
        `The Selenium Grid on ${grid.host} started a browser, but its CDP connection does not work: ${shorten(grid.conceal(messageOf(error, Number.POSITIVE_INFINITY)), 300)}. A proxy in front of the grid must pass on WebSockets.`,
        { code: 'BROWSER_START', cause: error },
      );
    }
  }

  function browserOf({ id }: GridSession, connection: Connection): Browser {
    const endOnce = lazy(() => end(id));
    const browser: Browser = {
      pipe: connection.pipe,
      ended: connection.ended,
      abandon(how) {
        connection.abandon(how);
        void endOnce();
      },
      async close() {
        await endOnce();
        // The grid keeps the connection open.
        connection.abandon('was closed');
      },
    };
    open.add(browser);
    void connection.ended.then(async () => {
      await endOnce();
      open.delete(browser);
    });
    void watchBrowser(browser, connection, () => grid.isThere(id), waits);
    return browser;
  }

  return {
    keepsProfiles: true,
    local: false,
    isQueued: true,
    async open() {
      const browser = await drive(await start());
      if (!stopped) return browser;
      await browser.close();
      throw stopping();
    },
    stop() {
      stopped = true;
      requests.close();
    },
    async close() {
      const all = Promise.all([...open].map((browser) => browser.close()));
      await Promise.race([all, wait(closeMs, undefined, { ref: false })]);
    },
  };
}

/** Opens a blank tab instead of the one that ChromeDriver opens. */
async function replaceFirstTab({ call }: Connection): Promise<void> {
  const { targetInfos } = await call('Target.getTargets');
  await call('Target.createTarget', { url: 'about:blank' });
  for (const { targetId, type } of targetInfos) if (type === 'page') await call('Target.closeTarget', { targetId });
}

const stopping = () => new ServiceError(503, 'The service is stopping.', { code: 'NO_BROWSER' });

/** Returns the error to report: what happened, and what to do. */
async function explained(grid: GridClient, error: GridError): Promise<ServiceError> {
  const [status, code] = error.fault === 'browser' ? [502, 'BROWSER_START'] : [503, 'NO_BROWSER'];
  return new ServiceError(status, await explanation(grid, error), { code, cause: error });
}

async function explanation({ host, usage }: GridClient, { fault, message }: GridError): Promise<string> {
  const name = `The Selenium Grid on ${host}`;
  if (fault === 'unreachable')
    return `${name} cannot be reached: ${message} Check that it is running and that --browser-endpoint is correct.`;
  if (fault === 'login')
    return `${name} refuses the user name and password of --browser-endpoint, or requires them (${message}). Check the URL.`;
  if (fault === 'not a grid')
    return `${host} does not answer as a Selenium Grid does (${message}). Check that --browser-endpoint is the URL of the grid.`;
  if (fault === 'lost node')
    return `${name} cannot reach one of its nodes. Try again when the grid has removed the node (--healthcheck-interval).`;
  if (fault === 'browser') return `${name} did not start a browser: ${message}.`;
  const state = await usage();
  if (!state) return `${name} did not answer in time. Check that it is running and that --browser-endpoint is correct.`;
  if (state.size === 0) return `${name} has no nodes. Add a node with Chrome to it.`;
  const inUse = `${state.used} of ${state.size} browsers are in use`;
  return `${name} had no free browser in time: ${inUse}. Try again later, end sessions, or add nodes to the grid.`;
}

/** In milliseconds. */
export interface PulseWaits {
  /** How long after one answer the browser is asked again. */
  pulse: number;
  /** How long a browser is silent before its grid is asked about it. */
  doubt: number;
  /** How long a browser is silent before it is given up. */
  silence: number;
}

/**
 * Abandons a browser that has ended: a Selenium Grid keeps the connection open when the browser, its session or its node
 * ends. Each call is also traffic, so that the grid's idle timeout doesn't end the session.
 * @param isThere whether the browser is there; undefined if nobody can say
 */
async function watchBrowser(
  { ended, abandon }: Browser,
  { call }: Connection,
  isThere: () => Promise<boolean | undefined>,
  waits: PulseWaits,
): Promise<void> {
  let open = true;
  void ended.then(() => {
    open = false;
  });
  for (;;) {
    await wait(waits.pulse, undefined, { ref: false });
    if (!open) return;
    const answered = call('Browser.getVersion', undefined, waits.silence).then(
      () => true,
      () => false,
    );
    const soon = await Promise.race([answered, wait(waits.doubt, undefined, { ref: false })]);
    if (soon === true) continue;
    if (!open) return;
    const there = await isThere();
    if (there === false) return abandon('was ended by the Selenium Grid');
    if (await answered) continue;
    return abandon(there ? 'stopped responding' : 'was lost with its node of the Selenium Grid');
  }
}
