import { type AddressPolicy, portOf } from '../fetch/address-policy.ts';
import type { Tab } from './tab.ts';

type Params = Record<string, unknown>;

export interface ConfinementOptions {
  /** Judges every request here, for a browser that our own proxy is out of reach for. */
  policy: AddressPolicy | undefined;
  blocks(host: string): boolean;
  /** Headers for the first origin alone: what is for one site is no other's business. */
  headers: Readonly<Record<string, string>>;
  origin: string;
}

/** Judges and completes the requests of a tab, one by one. Gives back a function that ends it. */
export async function confineTab(tab: Tab, options: ConfinementOptions): Promise<() => Promise<void>> {
  const { policy, headers, origin } = options;
  const hasHeaders = Object.keys(headers).length > 0;
  if (!policy && !hasHeaders) return async () => undefined;

  async function judge(url: URL | null): Promise<boolean> {
    if (!policy || !url || !/^(https?|wss?):$/.test(url.protocol)) return true;
    if (options.blocks(url.hostname)) return false;
    try {
      if (url.protocol.startsWith('http')) policy.checkUrl(url);
      await policy.judge(url.hostname, portOf(url));
      return true;
    } catch {
      return false;
    }
  }

  async function onRequest({ requestId, request }: Params): Promise<void> {
    const { url: text, headers: own } = request as { url: string; headers: Record<string, string> };
    const url = URL.parse(text);
    if (!(await judge(url))) {
      await tab.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
      return;
    }
    const added = hasHeaders && url?.origin === origin ? { ...own, ...headers } : undefined;
    await tab.send('Fetch.continueRequest', {
      requestId,
      ...(added && { headers: Object.entries(added).map(([name, value]) => ({ name, value })) }),
    });
  }

  const stop = tab.on('Fetch.requestPaused', (params) => void onRequest(params).catch(() => undefined));
  // Sockets are not among the requests that can be judged here.
  if (policy?.denyPrivate) await tab.send('Network.setBlockedURLs', { urls: ['ws://*', 'wss://*'] });
  await tab.send('Fetch.enable', { patterns: [{ urlPattern: policy ? '*' : `${origin}/*` }] });
  return async () => {
    stop();
    await tab.send('Fetch.disable');
  };
}
