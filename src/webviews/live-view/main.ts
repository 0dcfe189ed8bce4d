import '../common/localization.ts';
import '../common/view-name.css';
import * as l10n from '@vscode/l10n';
import './viewer/viewer.css';
import { type Channel, openChannel } from '../common/channel.ts';
import { iconButton } from '../common/dom.ts';
import { AgentStrip } from './agent-strip.ts';
import { framedPage } from './framed-page.ts';
import type { Events, Requests, Shown, ViewerCommand } from './messages.ts';
import { Recording } from './recording/recording.ts';
import { webmOf } from './recording/video.ts';
import { Viewer } from './viewer/viewer.ts';

/** The live view in VS Code: a viewer on the extension's messages, or another server's page in a frame. */

const root = document.getElementById('app') as HTMLElement;
const recording = new Recording();
const strip = new AgentStrip({
  pause: (paused) => void channel.request('pause', { paused }),
  answer: (id, answer) => void channel.request('answer', { id, answer }),
  handBack: () => void channel.request('control', { take: false }),
  saveSnippet: () => void channel.request('saveSnippet', {}),
});
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
  lost: ({ text }) => viewer?.showLost(text),
  command: ({ command }) => void run(command),
});

function show(
  shown: Shown,
  { sessionId, canControl, fixedSize }: { sessionId: string; canControl: boolean; fixedSize: boolean },
): void {
  if (shown.kind === 'page') {
    viewer = undefined;
    root.replaceChildren(...framedPage(shown, (take) => void channel.request('control', { take })));
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
    control: {
      take: () => void channel.request('control', { take: true }),
      release: () => void channel.request('control', { take: false }),
    },
    onFixedSize: (fixed) => void channel.request('fixedSize', { fixed }),
    copy: async (text) => void (await channel.request('copy', { text })),
    retry: () => void channel.request('retry', {}),
    newSession: () => void channel.request('newSession', {}),
    strip: strip.element,
    onDrawn: (jpeg, at) => recording.add({ at, jpeg }),
    extra: [
      iconButton('device-camera', l10n.t('Save screenshot'), () => void run('screenshot')),
      iconButton('device-camera-video', l10n.t('Save recording'), () => void run('saveRecording')),
    ],
  });
}

async function run(command: ViewerCommand): Promise<void> {
  if (!viewer)
    return void channel.request('notify', {
      text: l10n.t("This command isn't available for this server's live view."),
    });
  if (command === 'screenshot') await saveScreenshot(viewer);
  else if (command === 'saveRecording') await saveRecording(viewer);
  else viewer[command]();
}

async function saveScreenshot(shown: Viewer): Promise<void> {
  if (shown.picture.isEmpty) return shown.showNotice(l10n.t('No picture yet.'));
  const { buffer } = await shown.picture.png();
  await channel.request('saveScreenshot', { png: buffer });
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
  } finally {
    saving = false;
  }
}
