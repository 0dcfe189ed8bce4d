import * as l10n from '@vscode/l10n';
import '@vscode/codicons/dist/codicon.css';
import '../common/base.css';
import './theme.css';
import './viewer/viewer.css';
import type { FromViewer, LiveDownload, ToViewer } from '../../contract/sessions/live-view.ts';
import { downloadUrl, liveCloseCodes } from '../../contract/sessions/live-view-wire.ts';
import { element } from '../common/dom.ts';
import { fileChooser } from './viewer/file-chooser.ts';
import { Viewer } from './viewer/viewer.ts';

/** The page at a live view's URL: the viewer on a WebSocket to the same URL. */

const maxRetryDelayMs = 10_000;
const socketUrl = takeSocketUrl();
const root = document.getElementById('app') as HTMLElement;
let socket: WebSocket | undefined;
let failures = 0;

const viewer = new Viewer({
  root,
  send: (message: FromViewer) => send(JSON.stringify(message)),
  copy: (text) => navigator.clipboard.writeText(text),
  retry: () => connect(),
  saveDownload,
});
const receiveFiles = fileChooser({
  send: (message) => send(JSON.stringify(message)),
  sendBytes: (bytes) => send(bytes),
  showQuestion: (question) => viewer.showQuestion(question),
});
connect();

function send(message: string | ArrayBuffer): void {
  if (socket?.readyState === WebSocket.OPEN) socket.send(message);
}

function connect(): void {
  if (!socketUrl) {
    return viewer.showEnded(l10n.t('This live view can only be opened with its full link. Open the link again.'));
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
    receiveFiles(message);
    if (message.type === 'tabs') document.title = titleOf(message);
  });
  opened.addEventListener('close', ({ code }) => {
    if (opened !== socket || ended) return;
    if (code === liveCloseCodes.ended) return viewer.showEnded(l10n.t('The session has ended.'));
    viewer.showLost(
      failures === 0 ? l10n.t('The connection was lost.') : l10n.t("Can't reach the session. It may have ended."),
    );
    setTimeout(() => opened === socket && connect(), Math.min(1_000 * 2 ** failures++, maxRetryDelayMs));
  });
}

/** Saves a download. As a link, its URL with the secret would be in the history of downloads. */
async function saveDownload({ id, name }: LiveDownload): Promise<void> {
  const response = await fetch(downloadUrl((socketUrl ?? '').replace(/^ws/, 'http'), id));
  if (!response.ok) return viewer.showNotice(l10n.t('{0} has been deleted.', name));
  const url = URL.createObjectURL(await response.blob());
  element('a', { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

/**
 * Returns the URL of the WebSocket, derived from the page's. Removes the secret from the address bar, the history and
 * screenshots, and keeps it where a reload of this tab finds it.
 */
function takeSocketUrl(): string | undefined {
  const kept = (history.state as { live?: unknown } | null)?.live;
  const [, base, session, secret = kept] = /^(.*\/live)\/([^/]+)(?:\/([^/]+))?$/.exec(location.pathname) ?? [];
  if (!base || !session || typeof secret !== 'string') return undefined;
  history.replaceState({ live: secret }, '', `${base}/${session}`);
  return `${location.protocol.replace('http', 'ws')}//${location.host}${base}/${session}/${secret}`;
}

function titleOf({ tabs, shown }: Extract<ToViewer, { type: 'tabs' }>): string {
  const tab = tabs.find(({ id }) => id === shown);
  return l10n.t('{0} · live', tab?.title || tab?.url || l10n.t('Live view'));
}
