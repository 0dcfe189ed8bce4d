import '../common/localization.ts';
import '../common/base.css';
import * as l10n from '@vscode/l10n';
import './viewer/viewer.css';
import { type Channel, openChannel } from '../common/channel.ts';
import { element, iconButton, textButton } from '../common/dom.ts';
import { AgentStrip } from './agent-strip.ts';
import type { Events, Requests, Shown } from './messages.ts';
import { Recording, webmOf } from './recording/recording.ts';
import { TrafficPane } from './traffic/traffic.ts';
import { Viewer } from './viewer/viewer.ts';

/** The live view in VS Code: a viewer on the extension's messages, or another server's page in a frame. */

const root = document.getElementById('app') as HTMLElement;
const recording = new Recording();
const request: Channel<Requests>['request'] = (name, params) => channel.request(name, params);
const control = (take: boolean) => void channel.request('control', { take });
const strip = new AgentStrip(request);
const traffic = new TrafficPane(request);
const pick = iconButton('inspect', l10n.t('Pick a locator'), () => viewer?.togglePicking());
pick.setAttribute('aria-pressed', 'false');
const record = iconButton('record', l10n.t('Record actions as code'), () => {
  void channel.request('record', { on: record.getAttribute('aria-pressed') !== 'true' });
});
record.setAttribute('aria-pressed', 'false');
let viewer: Viewer | undefined;
let saving = false;
let shownSession = '';

const channel: Channel<Requests> = openChannel<Events, Requests>({
  show: ({ sessionId, shown, canControl, pinned, fixedSize }) => {
    channel.keep({ sessionId, pinned });
    root.dataset.session = sessionId;
    show(shown, { sessionId, canControl, fixedSize });
  },
  pinned: (state) => channel.keep(state),
  agent: ({ agent }) => {
    strip.show(agent);
    viewer?.setShared(agent !== null);
  },
  live: ({ message }) => viewer?.receive(message),
  frame: ({ bytes }) => viewer?.frame(new Uint8Array(bytes)),
  recording: ({ on }) => {
    record.setAttribute('aria-pressed', String(on));
    viewer?.setRecording(on);
  },
  lost: ({ text }) => viewer?.showLost(text),
  traffic: (entries) => traffic.add(entries),
  trafficState: ({ text }) => traffic.showState(text),
});

function show(
  shown: Shown,
  { sessionId, canControl, fixedSize }: { sessionId: string; canControl: boolean; fixedSize: boolean },
): void {
  if (shown.kind === 'page') {
    viewer = undefined;
    traffic.close();
    root.replaceChildren(...framedPage(shown, control));
    root.className = 'viewer';
    return;
  }
  viewer ??= createViewer();
  viewer.setFixedSize(fixedSize);
  // A session that has ended keeps its last picture, and a connection that was lost its reason, until it is back.
  if (shown.kind === 'frames' || sessionId !== shownSession) viewer.reset(canControl);
  shownSession = sessionId;
  if (shown.kind === 'nothing') viewer.showEnded(shown.reason);
}

function createViewer(): Viewer {
  return new Viewer({
    root,
    send: (message) => void channel.request('live', { message }),
    control,
    onFixedSize: (fixed) => void channel.request('fixedSize', { fixed }),
    copy: (text) => channel.request('copy', { text }),
    retry: () => void channel.request('retry', {}),
    saveDownload: ({ id, name }) => channel.request('saveDownload', { id, name }),
    newSession: () => void channel.request('newSession', {}),
    picking: {
      onPicked: ({ javascript, python }) => void channel.request('insertLocator', { javascript, python }),
      onChange: (active) => pick.setAttribute('aria-pressed', String(active)),
    },
    strip: strip.element,
    below: traffic.element,
    onDrawn: (jpeg, at) => recording.add({ at, jpeg }),
    extra: [
      pick,
      record,
      traffic.toggle,
      iconButton('device-camera', l10n.t('Save screenshot'), () => viewer && void saveScreenshot(viewer)),
      iconButton('device-camera-video', l10n.t('Save recording'), () => viewer && void saveRecording(viewer)),
    ],
  });
}

async function saveScreenshot(shown: Viewer): Promise<void> {
  const png = shown.picture.isEmpty ? undefined : await shown.picture.png().catch(() => undefined);
  if (png) void channel.request('saveScreenshot', { png: png.buffer });
  else shown.showNotice(l10n.t('No picture yet.'));
}

async function saveRecording(shown: Viewer): Promise<void> {
  const { frames } = recording;
  if (frames.length === 0) return shown.showNotice(l10n.t('There is nothing to save yet.'));
  if (saving) return shown.showNotice(l10n.t('The recording is already being saved.'));
  saving = true;
  try {
    const showProgress = (fraction: number) =>
      shown.showNotice(l10n.t('Saving the recording: {0}%', Math.round(fraction * 100)));
    // If encoding fails, the frames themselves are saved.
    const webm = await webmOf(frames, showProgress).catch(() => undefined);
    shown.showNotice('');
    if (webm) await channel.request('saveVideo', { webm });
    else {
      const copies = frames.map(({ at, jpeg }) => ({ at, jpeg: jpeg.slice().buffer as ArrayBuffer }));
      await channel.request('saveFrames', { frames: copies });
    }
  } catch {
    // The extension has shown why the file couldn't be written.
  } finally {
    saving = false;
  }
}

/** Returns another server's live view in a sandboxed frame, with a button that switches to its interactive page. */
export function framedPage(
  { url, control, canControl }: Extract<Shown, { kind: 'page' }>,
  onControl: (take: boolean) => void,
): HTMLElement[] {
  const frame = element('iframe', {
    class: 'framed-page',
    title: l10n.t('Live view of the session'),
    sandbox: 'allow-scripts allow-same-origin allow-forms',
    allow: '',
    referrerpolicy: 'no-referrer',
    src: url,
  });
  const name = control ? l10n.t('Release') : l10n.t('Take control');
  const button = textButton(name, () => onControl(!control), 'button secondary control');
  button.hidden = !canControl;
  const status = control ? l10n.t("in control · server's page") : l10n.t("watching · server's page");
  return [
    frame,
    element('footer', { class: 'foot row quiet' }, element('span', { class: 'status clipped' }, status), button),
  ];
}
