import '@vscode/codicons/dist/codicon.css';
import './theme.css';
import './viewer/viewer.css';
import type { FromViewer, ToViewer } from '../../contract/live-view.ts';
import { liveCloseCodes } from '../../contract/live-view-wire.ts';
import { Viewer } from './viewer/viewer.ts';

/** The page behind a live view's URL: the viewer on a WebSocket to the same address. */

const longestWaitMs = 10_000;
const socketUrl = takeAddress();
const root = document.getElementById('app') as HTMLElement;
let socket: WebSocket | undefined;
let failures = 0;

const viewer = new Viewer({
  root,
  send: (message: FromViewer) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  },
  copy: (text) => navigator.clipboard.writeText(text),
  retry: () => connect(),
});
connect();

function connect(): void {
  if (!socketUrl) {
    return viewer.over('The address of this live view is not known here. Open it again from where you got it.');
  }
  socket?.close();
  const opened = new WebSocket(socketUrl);
  opened.binaryType = 'arraybuffer';
  socket = opened;
  let ended = false;
  opened.addEventListener('message', ({ data }) => {
    if (opened !== socket) return;
    if (typeof data !== 'string') return viewer.frame(new Uint8Array(data));
    failures = 0;
    const message = JSON.parse(data) as ToViewer;
    ended ||= message.type === 'ended';
    viewer.receive(message);
    if (message.type === 'tabs') document.title = titleOf(message);
  });
  opened.addEventListener('close', ({ code }) => {
    if (opened !== socket || ended) return;
    if (code === liveCloseCodes.ended) return viewer.over('The session has ended.');
    viewer.lost(failures === 0 ? 'The connection was lost.' : 'The session cannot be reached; it may have ended.');
    setTimeout(() => opened === socket && connect(), Math.min(1_000 * 2 ** failures++, longestWaitMs));
  });
}

/**
 * The WebSocket's address, from that of the page. The secret is taken out of the address bar, the history and what a
 * screenshot shows, and kept where a reload of this tab finds it.
 */
function takeAddress(): string | undefined {
  const kept = (history.state as { live?: unknown } | null)?.live;
  const [, base, session, secret = kept] = /^(.*\/live)\/([^/]+)(?:\/([^/]+))?$/.exec(location.pathname) ?? [];
  if (!base || !session || typeof secret !== 'string') return undefined;
  history.replaceState({ live: secret }, '', `${base}/${session}`);
  return `${location.protocol.replace('http', 'ws')}//${location.host}${base}/${session}/${secret}`;
}

function titleOf({ tabs, shown }: Extract<ToViewer, { type: 'tabs' }>): string {
  const tab = tabs.find(({ id }) => id === shown);
  return `${tab?.title || tab?.url || 'Live view'} · live`;
}
