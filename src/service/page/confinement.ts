import { type AddressPolicy, portOf } from '../fetch/address-policy/address-policy.ts';
import type { Tab } from './tab.ts';

type Params = Record<string, unknown>;

export interface ConfinementOptions {
  /** Checks every request, for browsers that can't use the egress proxy. */
  policy: AddressPolicy | undefined;
  blocks(host: string): boolean;
  /** Headers to add to requests to `origin` only: other sites must not see them. */
  headers: Readonly<Record<string, string>>;
  origin: string;
}

/** Checks a tab's requests and adds headers to them. Returns a function that stops this. */
export async function confineTab(tab: Tab, options: ConfinementOptions): Promise<() => Promise<void>> {
  const { policy, headers, origin } = options;
  const hasHeaders = Object.keys(headers).length > 0;
  if (!policy && !hasHeaders) return async () => undefined;

  async function isAllowed(url: URL | null): Promise<boolean> {
    if (!policy || !url || !/^(https?|wss?):$/.test(url.protocol)) return true;
    if (options.blocks(url.hostname)) return false;
    try {
      if (url.protocol.startsWith('http')) policy.checkUrl(url);
      await policy.checkHost(url.hostname, portOf(url));
      return true;
    } catch {
      return false;
    }
  }

  async function onRequest({ requestId, request }: Params): Promise<void> {
    const { url: text, headers: original } = request as { url: string; headers: Record<string, string> };
    const url = URL.parse(text);
    if (!(await isAllowed(url))) {
      await tab.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
      return;
    }
    const added = hasHeaders && url?.origin === origin ? { ...original, ...headers } : undefined;
    await tab.send('Fetch.continueRequest', {
      requestId,
      ...(added && { headers: Object.entries(added).map(([name, value]) => ({ name, value })) }),
    });
  }

  const stop = tab.on('Fetch.requestPaused', (params) => void onRequest(params).catch(() => undefined));
  // WebSockets can't be intercepted here.
  if (policy?.denyPrivate) await tab.send('Network.setBlockedURLs', { urls: ['ws://*', 'wss://*'] });
  await tab.send('Fetch.enable', { patterns: [{ urlPattern: policy ? '*' : `${origin}/*` }] });
  return async () => {
    stop();
    await tab.send('Fetch.disable');
  };
}
