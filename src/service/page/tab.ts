import type { CdpClient } from '../chrome/cdp-client.ts';
import { messageOf } from '../errors.ts';
import { greetingHost, type Lane } from '../fetch/egress-proxy.ts';

type Params = Record<string, unknown>;

/** One tab of the scraping browser, in a context of its own, used for one page at a time. */
export interface Tab {
  readonly frameId: string;
  readonly lane: Lane | undefined;
  send<Result = Params>(method: string, params?: Params): Promise<Result>;
  /** Events of this tab; gives back a function that ends it. */
  on(method: string, listener: (params: Params) => void): () => void;
  /** Evaluates an expression, waiting for promises. Rejects with what it throws. */
  evaluate<Value = unknown>(expression: string): Promise<Value>;
  /** Ends the tab and its context. */
  close(): Promise<void>;
}

/** What a page may do to the browser around it is answered at once, so that it never waits for a person. */
function answerDialogs(tab: Tab): void {
  tab.on('Page.javascriptDialogOpening', () => {
    tab.send('Page.handleJavaScriptDialog', { accept: true }).catch(() => undefined);
  });
}

/** Takes over a target that exists. */
export async function attachTab(
  client: CdpClient,
  targetId: string,
  options: { lane?: Lane; close(): Promise<void> },
): Promise<Tab> {
  const { sessionId } = (await client.send('Target.attachToTarget', { targetId, flatten: true })) as {
    sessionId: string;
  };
  const listening = new Set<() => void>();
  const tab: Tab = {
    frameId: targetId,
    lane: options.lane,
    send: <Result>(method: string, params?: Params) => client.send(method, params, sessionId) as Promise<Result>,
    on(method, listener) {
      const stop = client.on(method, (params, from) => {
        if (from === sessionId) listener(params);
      });
      listening.add(stop);
      return () => {
        listening.delete(stop);
        stop();
      };
    },
    async evaluate<Value>(expression: string) {
      const { result, exceptionDetails } = await tab.send<Evaluation<Value>>('Runtime.evaluate', {
        expression,
        returnByValue: true,
        awaitPromise: true,
        userGesture: true,
      });
      if (!exceptionDetails) return result.value;
      const { exception, text } = exceptionDetails;
      throw new Error(exception?.description ?? text);
    },
    async close() {
      for (const stop of listening) stop();
      options.lane?.close();
      await options.close();
    },
  };
  answerDialogs(tab);
  await Promise.all([
    tab.send('Page.enable'),
    tab.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }),
    tab.send('Inspector.enable'),
    tab.send('Network.setBypassServiceWorker', { bypass: true }),
    tab.send('Page.setLifecycleEventsEnabled', { enabled: true }),
  ]);
  return tab;
}

interface Evaluation<Value> {
  result: { value: Value };
  exceptionDetails?: { text: string; exception?: { description?: string } };
}

/** Sends what may fail without harm: the tab is being let go of. */
export async function attempt(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Shows the tab's credentials to the proxy once: the browser sends them by itself from then on. */
export async function logIn(tab: Tab, { username, password }: Lane): Promise<void> {
  const answer = (challenge: Record<string, unknown>) => {
    const credentials = { response: 'ProvideCredentials', username, password };
    tab
      .send('Fetch.continueWithAuth', { requestId: challenge.requestId, authChallengeResponse: credentials })
      .catch(() => undefined);
  };
  const goOn = ({ requestId }: Record<string, unknown>) => {
    tab.send('Fetch.continueRequest', { requestId }).catch(() => undefined);
  };
  const stops = [tab.on('Fetch.authRequired', answer), tab.on('Fetch.requestPaused', goOn)];
  const url = `http://${greetingHost}/`;
  await tab.send('Fetch.enable', { handleAuthRequests: true, patterns: [{ urlPattern: `${url}*` }] });
  const { errorText } = await tab.send<{ errorText?: string }>('Page.navigate', { url });
  for (const stop of stops) stop();
  await tab.send('Fetch.disable');
  if (errorText) throw new Error(`The scraping browser cannot reach its proxy: ${errorText}`);
}
