import { frameHeaderBytes, writeFrameHeader } from '../../../contract/sessions/live-view-wire.ts';
import type { CdpEvents } from '../chrome/protocol.ts';
import { type EncodedFrame, type FrameSender, levels } from './frame-sender.ts';
import type { WatchedTabOptions } from './live-tab.ts';
import type { Size } from './viewer.ts';

/** Maximum delay of an acknowledgement to Chrome while no viewer has room: delaying it slows Chrome to the viewers' pace. */
const maxHoldMs = 100;
/** After each of these pauses without a frame, Chrome is asked for one more: it drops the last frames of a page that changes its size. */
const settleMs = [250, 1_250];
/** The longest pause until there is a picture of the size that the page was given: a page may take long to draw itself. */
const maxSettleMs = 60_000;

type ScreencastFrame = CdpEvents['Page.screencastFrame'];

export interface ScreencastOptions extends Pick<WatchedTabOptions, 'client' | 'targetId' | 'nextSeq' | 'after'> {
  /** Index into `levels`. */
  level: number;
  onFrame(frame: EncodedFrame, size: Size): void;
  /** The size that viewers gave the page; null if it has its own. */
  fitted(): Size | null;
}

/** The frames of one tab at one quality level, over a separate CDP session; runs only while it has viewers. */
export class Screencast {
  #options: ScreencastOptions;
  #viewers = new Set<FrameSender>();
  #session: string | undefined;
  /** Number of the current run: events of earlier runs are ignored. */
  #run = 0;
  #held: { id: number; cancel: () => void } | undefined;
  #stopListening: (() => void) | undefined;
  #cancelSettle: (() => void) | undefined;
  /** Whether the next frame was asked for, and is sent only if it shows something new. */
  #isSettling = false;
  /** Data of the last frame. */
  #lastData = '';
  #lastSize: Size | undefined;

  constructor(options: ScreencastOptions) {
    this.#options = options;
  }

  add(viewer: FrameSender): void {
    if (this.#viewers.has(viewer)) return;
    this.#viewers.add(viewer);
    if (this.#viewers.size === 1) void this.#start();
  }

  remove(viewer: FrameSender): void {
    if (this.#viewers.delete(viewer) && this.#viewers.size === 0) this.#stop();
  }

  /** Stops for all viewers. */
  close(): void {
    this.#viewers.clear();
    this.#stop();
  }

  /** A viewer has room for a frame again: lets Chrome send the next one. */
  onRoom(viewer: FrameSender): void {
    if (this.#viewers.has(viewer)) this.#release();
  }

  /** Makes sure that the viewers get the last picture of the page, once no frame has come for a moment. */
  settle(step = 0): void {
    this.#cancelSettle?.();
    const pause = settleMs[step] ?? (this.#isOutdated ? Math.min(1_250 * 2 ** (step - 1), maxSettleMs) : undefined);
    if (pause === undefined || this.#viewers.size === 0) return;
    this.#cancelSettle = this.#options.after(pause, () => {
      this.settle(step + 1);
      if (this.#session) void this.#restart(this.#session);
    });
  }

  get #isOutdated(): boolean {
    const [fitted, last] = [this.#options.fitted(), this.#lastSize];
    return !last || (fitted !== null && (fitted.width !== last.width || fitted.height !== last.height));
  }

  async #start(): Promise<void> {
    const run = ++this.#run;
    const { client, targetId } = this.#options;
    this.#stopListening = client.on('Page.screencastFrame', (params, sessionId) => {
      if (sessionId === this.#session) this.#receive(params);
    });
    try {
      const { sessionId } = await client.send('Target.attachToTarget', { targetId, flatten: true });
      if (run !== this.#run) return void client.send('Target.detachFromTarget', { sessionId }).catch(() => undefined);
      this.#session = sessionId;
      await this.#cast(sessionId);
    } catch {
      // Of a tab or a browser that is gone, viewers are notified elsewhere. One that has no page for a moment is asked again.
    }
    if (run === this.#run) this.settle();
  }

  async #cast(session: string): Promise<void> {
    const { client, level } = this.#options;
    const { quality, ...size } = levels[level] ?? levels[0];
    await client.send('Page.startScreencast', { format: 'jpeg', quality, ...size }, session);
  }

  /** Starts the screencast again: its first frame shows the page as it is. */
  async #restart(session: string): Promise<void> {
    this.#isSettling = true;
    try {
      await this.#options.client.send('Page.stopScreencast', {}, session);
      await this.#cast(session);
    } catch {
      // As when it starts.
    }
  }

  #stop(): void {
    this.#run++;
    this.#cancelSettle?.();
    this.#isSettling = false;
    this.#lastData = '';
    this.#lastSize = undefined;
    this.#stopListening?.();
    this.#held?.cancel();
    this.#held = undefined;
    const sessionId = this.#session;
    this.#session = undefined;
    if (sessionId) void this.#options.client.send('Target.detachFromTarget', { sessionId }).catch(() => undefined);
  }

  #receive({ data, sessionId, metadata }: ScreencastFrame): void {
    try {
      this.#offer(data, metadata);
    } finally {
      // Always acknowledge: otherwise Chrome sends no more frames.
      this.#hold(sessionId);
      if ([...this.#viewers].some((viewer) => viewer.hasRoom)) this.#release();
    }
  }

  #offer(data: string, metadata: ScreencastFrame['metadata']): void {
    const isSettled = this.#isSettling && data === this.#lastData;
    this.#isSettling = false;
    if (isSettled) return;
    this.#lastData = data;
    const frame = this.#encode(data, metadata);
    for (const viewer of this.#viewers) viewer.offer(frame);
    this.settle();
  }

  #encode(data: string, { deviceWidth, deviceHeight, timestamp }: ScreencastFrame['metadata']): EncodedFrame {
    const seq = this.#options.nextSeq();
    const width = Math.round(deviceWidth);
    const height = Math.round(deviceHeight);
    const bytes = Buffer.allocUnsafeSlow(frameHeaderBytes + Buffer.byteLength(data, 'base64'));
    bytes.fill(0, 0, frameHeaderBytes);
    writeFrameHeader(bytes, { seq, at: (timestamp ?? 0) * 1000, width, height });
    bytes.write(data, frameHeaderBytes, 'base64');
    const frame = { seq, bytes };
    this.#lastSize = { width, height };
    this.#options.onFrame(frame, this.#lastSize);
    return frame;
  }

  #hold(id: number): void {
    this.#release();
    this.#held = { id, cancel: this.#options.after(maxHoldMs, () => this.#release()) };
  }

  #release(): void {
    const held = this.#held;
    if (!held || !this.#session) return;
    this.#held = undefined;
    held.cancel();
    const acknowledged = this.#options.client.send('Page.screencastFrameAck', { sessionId: held.id }, this.#session);
    acknowledged.catch(() => undefined);
  }
}
