import { messageOf } from '../../platform/errors.ts';
import { type Lane, proxyCheckHost } from '../../platform/network/egress-proxy.ts';
import type { CdpClient } from '../chrome/cdp-client.ts';
import type { CdpCommand, CdpEvent, CdpEvents, CdpParams, CdpResult } from '../chrome/protocol.ts';
import { hold } from './hold.ts';

/** A browser tab that is driven over CDP, one page at a time. */
export type Tab = Awaited<ReturnType<typeof attachTab>>;

/** How a dialog of a page is answered. */
export interface DialogAnswer {
  accept: boolean;
  /** What is entered into a prompt. */
  promptText?: string;
}

/** The name of the service's own world in the pages that it drives. */
export const worldName = 'web-data';
/** How often a page may be left while it is looked at or waited for: one may reload without end. */
export const maxLeft = 20;

/** The page was left again and again while it was looked at. */
export class PageLeft extends Error {
  constructor(cause: unknown) {
    super("The page was loaded again and again, so it couldn't be read.", { cause });
  }
}

/** Whether Chrome says of an evaluation that its page was left: before it, during it, or for another process. */
export function wasLeft(error: unknown): boolean {
  const left = /^Runtime\.evaluate: (?:Cannot find context|Execution context was destroyed|Inspected target navigated)/;
  return left.test(messageOf(error));
}

/** What a page sends would come with each of its requests, twice, and hold up all that the browser says of other pages. */
const networkLimits = { maxTotalBufferSize: 0, maxResourceBufferSize: 0, maxPostDataSize: 10_000 };

const evaluation = { returnByValue: true, awaitPromise: true };

/** Returns the value of an expression once it is known. Rejects with what the expression throws. */
async function valueFrom<Value>(evaluated: Promise<CdpResult<'Runtime.evaluate'>>): Promise<Value> {
  const { result, exceptionDetails } = await evaluated;
  if (!exceptionDetails) return result.value;
  const { exception, text } = exceptionDetails;
  throw new Error(exception?.description ?? text);
}

/** Evaluates an expression in a page apart from its scripts, again in the next page as often as it is left, up to `most` times. */
async function untilStays<Value>(
  tab: Pick<Tab, 'send' | 'frameId'>,
  expression: () => string,
  most: number,
): Promise<{ value: Value } | { cause: unknown }> {
  for (let tries = 1; ; tries++) {
    const { frameId } = tab;
    const { executionContextId: contextId } = await tab.send('Page.createIsolatedWorld', { frameId, worldName });
    const evaluated = tab.send('Runtime.evaluate', { ...evaluation, expression: expression(), contextId });
    try {
      return { value: await valueFrom<Value>(evaluated) };
    } catch (error) {
      if (!wasLeft(error)) throw error;
      if (tries === most) return { cause: error };
    }
  }
}

/** Attaches to an existing target. */
export async function attachTab(
  client: CdpClient,
  targetId: string,
  options: {
    contextId?: string;
    sharedPid?: number | undefined;
    lane?: Lane;
    close(): Promise<void>;
    dialogs?: () => DialogAnswer;
  },
) {
  const { sessionId } = await client.send('Target.attachToTarget', { targetId, flatten: true });
  const stopListening = new Set<() => void>();
  let held = 0;
  const tab = {
    frameId: targetId,
    /** The connection that it is driven over, and its CDP session there. */
    client,
    sessionId,
    /** Its browser context, if it has one of its own. */
    contextId: options.contextId,
    /** The process of its browser, if it shares a local one with other tabs. */
    sharedPid: options.sharedPid,
    lane: options.lane,
    send: <Command extends CdpCommand>(command: Command, params?: CdpParams<Command>): Promise<CdpResult<Command>> =>
      client.send(command, params, sessionId),
    /** Listens for an event of this tab. Returns a function that removes the listener. */
    on<Event extends CdpEvent>(event: Event, listener: (params: CdpEvents[Event]) => void): () => void {
      const stop = client.on(event, (params, from) => {
        if (from === sessionId) listener(params);
      });
      stopListening.add(stop);
      return () => {
        stopListening.delete(stop);
        stop();
      };
    },
    /** Evaluates an expression among the scripts of the page, which may have changed all that it uses. */
    evaluate: <Value = unknown>(expression: string): Promise<Value> =>
      valueFrom(tab.send('Runtime.evaluate', { ...evaluation, expression, userGesture: true })),
    /**
     * Evaluates an expression apart from the scripts of the page: they decide what it finds, but not what it does. If the page is
     * left meanwhile, it is evaluated again in the next one, at last while the page is held. Throws a PageLeft if that is in vain.
     */
    async look<Value = unknown>(expression: string): Promise<Value> {
      const first = await untilStays<Value>(tab, () => expression, maxLeft / 2);
      if ('value' in first) return first.value;
      held++;
      const outcome = await hold(tab, async () => {
        const again = await untilStays<Value>(tab, () => expression, 1);
        return 'value' in again ? again : undefined;
      });
      if (!outcome) throw new PageLeft(first.cause);
      return outcome.value;
    },
    /** Evaluates an expression that waits for something, as it says then: as `look`, but the page isn't held. */
    async wait<Value = unknown>(expression: () => string): Promise<Value> {
      const outcome = await untilStays<Value>(tab, expression, maxLeft);
      if (!('value' in outcome)) throw new PageLeft(outcome.cause);
      return outcome.value;
    },
    /** How often a page had to be held to be looked at, because it loads itself again and again. */
    timesHeld: (): number => held,
    /** Closes the tab and its browser context. */
    async close(): Promise<void> {
      for (const stop of stopListening) stop();
      options.lane?.close();
      await options.close();
    },
  };
  // Dialogs are answered immediately, because nobody is there to close them.
  tab.on('Page.javascriptDialogOpening', () => {
    tab.send('Page.handleJavaScriptDialog', { ...(options.dialogs?.() ?? { accept: true }) }).catch(() => undefined);
  });
  try {
    await Promise.all([
      tab.send('Page.enable'),
      tab.send('Network.enable', networkLimits),
      tab.send('Network.setBypassServiceWorker', { bypass: true }),
      tab.send('Page.setLifecycleEventsEnabled', { enabled: true }),
    ]);
  } catch (error) {
    for (const stop of stopListening) stop();
    await client.send('Target.detachFromTarget', { sessionId }).catch(() => undefined);
    throw error;
  }
  return tab;
}

/** Detaches from a tab that stays open. */
export async function detachTab(tab: Tab): Promise<void> {
  await tab.client.send('Target.detachFromTarget', { sessionId: tab.sessionId }).catch(() => undefined);
  await tab.close();
}

/** Waits for work that may fail without harm. Returns the error message if it fails. */
export async function attempt(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * Authenticates the tab to its egress proxy. From then on, the browser sends the credentials itself. Rejects as soon as the browser
 * refuses an answer: it would wait for another one, and it lets no challenge fail.
 */
export async function authenticateToProxy(tab: Tab, { username, password }: Lane): Promise<void> {
  const { promise: refused, reject } = Promise.withResolvers<never>();
  const authChallengeResponse = { response: 'ProvideCredentials', username, password } as const;
  const stops = [
    tab.on('Fetch.authRequired', ({ requestId }) => {
      tab.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(reject);
    }),
    tab.on('Fetch.requestPaused', ({ requestId }) => {
      tab.send('Fetch.continueRequest', { requestId }).catch(reject);
    }),
  ];
  try {
    const url = `http://${proxyCheckHost}/`;
    await tab.send('Fetch.enable', { handleAuthRequests: true, patterns: [{ urlPattern: `${url}*` }] });
    const { errorText } = await Promise.race([tab.send('Page.navigate', { url }), refused]);
    if (errorText) throw new Error(errorText);
    await tab.send('Fetch.disable');
  } catch (error) {
    throw new Error(`The scraping browser can't reach its proxy: ${messageOf(error)}`, { cause: error });
  } finally {
    for (const stop of stops) stop();
  }
}
