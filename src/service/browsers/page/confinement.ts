import { type AddressPolicy, portOf } from '../../platform/network/address-policy/address-policy.ts';
import type { CdpClient } from '../chrome/cdp-client.ts';
import type { CdpEvents } from '../chrome/protocol.ts';
import type { Tab } from './tab.ts';

/** Decides whether a page or frame may load a document. @param redirected whether it was redirected there */
export type MayOpen = (url: URL, redirected: boolean) => boolean;

export interface Confinement {
  /** Checks every request, for browsers that can't use the egress proxy. */
  policy: AddressPolicy | undefined;
  blocks?(host: string): boolean;
  mayOpen?: MayOpen | undefined;
  /** Headers to add to requests to `origin` only: other sites must not see them. */
  headers?: Readonly<Record<string, string>>;
  origin?: string;
}

/** Checks a tab's requests and adds headers to them. Returns a function that stops this. */
export async function confineTab(tab: Tab, confinement: Confinement): Promise<() => Promise<void>> {
  const { policy, headers = {} } = confinement;
  if (!policy && Object.keys(headers).length === 0) return async () => undefined;
  return await intercept(tab.client, tab.sessionId, confinement);
}

/** Checks the requests of everything in a browser, until it closes. The client may do nothing else. */
export async function confineBrowser(client: CdpClient, policy: AddressPolicy, mayOpen?: MayOpen): Promise<void> {
  await intercept(client, undefined, { policy, mayOpen });
}

/**
 * Intercepts the requests of a target, or without one of the whole browser. If there is a policy, this includes all targets
 * within it: frames of other sites and workers have targets of their own, which start only once their requests are checked.
 */
async function intercept(
  client: CdpClient,
  root: string | undefined,
  { policy, blocks = () => false, mayOpen = () => true, headers = {}, origin }: Confinement,
): Promise<() => Promise<void>> {
  const sessions = new Set<string | undefined>([root]);
  const hasHeaders = Object.keys(headers).length > 0;
  const patterns = [{ urlPattern: policy ? '*' : `${origin}/*` }];
  const autoAttach = (autoAttachOn: boolean, sessionId: string | undefined) =>
    client.send(
      'Target.setAutoAttach',
      { autoAttach: autoAttachOn, waitForDebuggerOnStart: autoAttachOn, flatten: true },
      sessionId,
    );

  async function isAllowed(url: URL | null): Promise<boolean> {
    if (!policy || !url || !/^(https?|wss?):$/.test(url.protocol)) return true;
    if (blocks(url.hostname)) return false;
    try {
      if (url.protocol.startsWith('http')) policy.checkUrl(url);
      await policy.checkHost(url.hostname, portOf(url));
      return true;
    } catch {
      return false;
    }
  }

  async function onRequest(params: CdpEvents['Fetch.requestPaused'], sessionId: string | undefined): Promise<void> {
    const { requestId, request, resourceType, redirectedRequestId } = params;
    const url = URL.parse(request.url);
    const isDocument = resourceType === 'Document' && url !== null && /^https?:$/.test(url.protocol);
    if (!(await isAllowed(url)) || (isDocument && !mayOpen(url, redirectedRequestId !== undefined))) {
      await client.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }, sessionId);
      return;
    }
    const all = hasHeaders && url?.origin === origin && Object.entries({ ...request.headers, ...headers });
    const added = all && { headers: all.map(([name, value]) => ({ name, value })) };
    await client.send('Fetch.continueRequest', { requestId, ...added }, sessionId);
  }

  /** Starts to check a target. Returns the ID of the script that removes sockets from its pages, if it has one. */
  async function check(sessionId: string): Promise<string | undefined> {
    const script = policy?.denyPrivate ? await removeSockets(client, sessionId) : undefined;
    await client.send('Fetch.enable', { patterns }, sessionId);
    if (policy) await autoAttach(true, sessionId);
    return script;
  }

  const stops = [
    client.on('Fetch.requestPaused', (params, from) => {
      if (sessions.has(from)) onRequest(params, from).catch(() => failRequest(client, params.requestId, from));
    }),
    client.on('Target.attachedToTarget', ({ sessionId: child }, from) => {
      if (!policy || !sessions.has(from)) return;
      sessions.add(child);
      // A target that can't be checked stays paused.
      check(child)
        .then(() => client.send('Runtime.runIfWaitingForDebugger', {}, child))
        .catch(() => undefined);
    }),
    client.on('Target.detachedFromTarget', ({ sessionId }) => void sessions.delete(sessionId)),
  ];
  let script: string | undefined;
  if (root === undefined) await autoAttach(true, undefined);
  else script = await check(root);
  return async () => {
    for (const stop of stops) stop();
    if (root === undefined) return;
    if (policy) await autoAttach(false, root);
    if (script !== undefined) {
      await client.send('Page.removeScriptToEvaluateOnNewDocument', { identifier: script }, root);
    }
    await client.send('Fetch.disable', {}, root);
  };
}

/** Ends a request that couldn't be answered, so that its page doesn't wait for it. */
export function failRequest(client: CdpClient, requestId: string, sessionId: string | undefined): void {
  client.send('Fetch.failRequest', { requestId, errorReason: 'Failed' }, sessionId).catch(() => undefined);
}

/** Requests of these can't be intercepted, and Chrome's blocked URLs don't apply to them. */
const socketConstructors = [
  'WebSocket',
  'WebSocketStream',
  'WebTransport',
  'RTCPeerConnection',
  'webkitRTCPeerConnection',
];
const removal = socketConstructors.map((name) => `delete globalThis.${name};`).join(' ');

/** Removes what opens sockets from a page and its next documents, or from a worker. Returns the ID of a page's script. */
async function removeSockets(client: CdpClient, sessionId: string): Promise<string | undefined> {
  try {
    await client.send('Page.enable', {}, sessionId);
    const script = { source: removal, runImmediately: true };
    return (await client.send('Page.addScriptToEvaluateOnNewDocument', script, sessionId)).identifier;
  } catch {
    // Workers have no pages.
    await client.send('Runtime.evaluate', { expression: removal }, sessionId);
    return undefined;
  }
}
