import './viewer/viewer.css';
import { type Channel, openChannel } from '../common/channel.ts';
import { iconButton } from '../common/dom.ts';
import { framedPage } from './framed-page.ts';
import type { Events, Requests, Shown, ViewerCommand } from './messages.ts';
import { Recording } from './recording/recording.ts';
import { webmOf } from './recording/video.ts';
import { Viewer } from './viewer/viewer.ts';

/** The live view in VS Code: the viewer on messages of the extension, or the page of another server in a frame. */

const root = document.getElementById('app') as HTMLElement;
const recording = new Recording();
let viewer: Viewer | undefined;
let saving = false;

const channel: Channel<Requests> = openChannel<Events, Requests>({
  show: ({ sessionId, shown, canControl }) => {
    channel.keep({ sessionId });
    show(shown, canControl);
  },
  live: ({ message }) => viewer?.receive(message),
  frame: ({ bytes }) => viewer?.frame(new Uint8Array(bytes)),
  lost: ({ text }) => viewer?.lost(text),
  command: ({ command }) => void run(command),
});

function show(shown: Shown, canControl: boolean): void {
  if (shown.kind === 'page') {
    viewer = undefined;
    root.replaceChildren(...framedPage(shown, (take) => void channel.request('control', { take })));
    root.className = 'viewer';
    return;
  }
  viewer ??= createViewer(canControl);
  if (shown.kind === 'nothing') viewer.over(shown.reason);
}

function createViewer(canControl: boolean): Viewer {
  return new Viewer({
    root,
    send: (message) => void channel.request('live', { message }),
    ...(canControl && {
      control: {
        take: () => void channel.request('control', { take: true }),
        release: () => void channel.request('control', { take: false }),
      },
    }),
    copy: async (text) => void (await channel.request('copy', { text })),
    retry: () => void channel.request('retry', {}),
    newSession: () => void channel.request('newSession', {}),
    onDrawn: (jpeg, at) => recording.add({ at, jpeg }),
    extra: [
      iconButton('device-camera', 'Save screenshot', () => void run('screenshot')),
      iconButton('device-camera-video', 'Save recording of what was watched', () => void run('saveRecording')),
    ],
  });
}

async function run(command: ViewerCommand): Promise<void> {
  if (!viewer) return void channel.request('tell', { text: 'The page of this server offers this itself.' });
  if (command === 'screenshot') await saveScreenshot(viewer);
  else if (command === 'saveRecording') await saveRecording(viewer);
  else viewer[command]();
}

async function saveScreenshot(shown: Viewer): Promise<void> {
  if (shown.picture.isEmpty) return shown.say('There is no picture yet.');
  const { buffer } = await shown.picture.png();
  await channel.request('saveScreenshot', { png: buffer });
}

async function saveRecording(shown: Viewer): Promise<void> {
  const { pictures } = recording;
  if (pictures.length === 0) return shown.say('Nothing was watched yet.');
  if (saving) return shown.say('The recording is being written.');
  saving = true;
  try {
    const say = (part: number) => shown.say(`Writing the recording: ${Math.round(part * 100)} %`);
    // Where a codec breaks off, the pictures themselves are still there.
    const webm = await webmOf(pictures, say).catch(() => undefined);
    shown.say('');
    if (webm) await channel.request('saveVideo', { webm });
    else {
      const copies = pictures.map(({ at, jpeg }) => ({ at, jpeg: jpeg.slice().buffer as ArrayBuffer }));
      await channel.request('savePictures', { pictures: copies });
    }
  } finally {
    saving = false;
  }
}
