import type { WebSocket } from 'ws';
import { jsonIn } from '../../../contract/lenient-texts.ts';
import { type FromViewer, fromViewer, isInput, type ToViewer } from '../../../contract/sessions/live-view.ts';
import { liveCloseCodes } from '../../../contract/sessions/live-view-wire.ts';
import type { Clock } from '../../platform/clock.ts';
import { FrameSender } from './frame-sender.ts';

/** How often viewers are pinged; one that misses a pong is disconnected. */
const pingMs = 10_000;
/** How long a frame can stay unacknowledged before its viewer is disconnected. */
const ackTimeoutMs = 30_000;
/** Maximum messages per second except acknowledgements, which is also the maximum burst. */
const messageRate = 400;
/** Unread bytes after which a viewer is disconnected. */
const maxUnreadBytes = 2 * 1024 * 1024;
const reportDroppedMs = 500;

/** A size in CSS pixels. */
export interface Size {
  width: number;
  height: number;
}

export interface ViewerEvents {
  onMessage(viewer: Viewer, message: FromViewer): void;
  /** A viewer in control sent bytes of a file. */
  onBytes(viewer: Viewer, bytes: Buffer): void;
  onRoom(viewer: Viewer): void;
  onLevel(viewer: Viewer): void;
  onClose(viewer: Viewer): void;
}

/** The service's end of a viewer's socket. It filters the viewer's messages. */
export class Viewer {
  /** Whether it can control the session, which depends on the URL that it opened. */
  readonly control: boolean;
  /** Whether it can size the page and pick its elements: it opened the URL that controls the session, perhaps only to watch. */
  readonly canResize: boolean;
  readonly sender: FrameSender;
  /** Target ID of the tab that it selected; without one, it sees the newest. */
  chosen: string | undefined;
  /** Target ID of the tab that it sees. */
  shown: string | undefined;
  watching = true;
  /** The size that it wants the page to have, null for the page's own; undefined before it says so. */
  viewport: Size | null | undefined;
  /** Number of dropped messages. */
  dropped = 0;
  #socket: WebSocket;
  #events: ViewerEvents;
  #clock: Clock;
  #alive = true;
  #allowance = messageRate;
  #allowanceAt: number;
  #cancelPing: () => void;
  #cancelReport: (() => void) | undefined;

  constructor(
    socket: WebSocket,
    { control, canResize }: { control: boolean; canResize: boolean },
    clock: Clock,
    events: ViewerEvents,
  ) {
    this.#socket = socket;
    this.control = control;
    this.canResize = canResize;
    this.#clock = clock;
    this.#events = events;
    this.#allowanceAt = clock.monotonic();
    this.sender = new FrameSender({
      send: (bytes) => socket.send(bytes),
      now: () => clock.monotonic(),
      onRoom: () => events.onRoom(this),
      onLevel: () => events.onLevel(this),
    });
    this.#cancelPing = clock.after(pingMs, () => this.#ping());
    socket.on('pong', () => {
      this.#alive = true;
    });
    socket.on('message', (data, isBinary) => {
      if (isBinary && this.control) events.onBytes(this, data as Buffer);
      else this.#receive(isBinary ? undefined : String(data));
    });
    // The close code that follows says what was wrong, such as a message that is too long.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#cancelPing();
      this.#cancelReport?.();
      events.onClose(this);
    });
  }

  send(message: ToViewer): void {
    if (this.#socket.bufferedAmount > maxUnreadBytes) return this.#socket.terminate();
    this.#socket.send(JSON.stringify(message));
  }

  end(reason: string): void {
    this.send({ type: 'ended', reason });
    this.#socket.close(liveCloseCodes.ended, 'The session has ended.');
  }

  #receive(text: string | undefined): void {
    const message = text === undefined ? undefined : fromViewer.safeParse(jsonIn(text)).data;
    if (!message) return this.drop();
    const isSizing = message.type === 'viewport' || message.type === 'pick';
    const may = isInput(message) ? this.control : this.canResize || !isSizing;
    if (message.type !== 'ack' && !(may && this.#allow())) return this.drop();
    this.#events.onMessage(this, message);
  }

  #allow(): boolean {
    const now = this.#clock.monotonic();
    this.#allowance = Math.min(messageRate, this.#allowance + ((now - this.#allowanceAt) / 1000) * messageRate);
    this.#allowanceAt = now;
    if (this.#allowance < 1) return false;
    this.#allowance--;
    return true;
  }

  /** Counts a message that is not allowed. */
  drop(): void {
    this.dropped++;
    this.#cancelReport ??= this.#clock.after(reportDroppedMs, () => {
      this.#cancelReport = undefined;
      this.send({ type: 'dropped', count: this.dropped });
    });
  }

  #ping(): void {
    if (!this.#alive) return this.#socket.terminate();
    if (this.sender.unansweredMs > ackTimeoutMs) {
      this.#socket.close(liveCloseCodes.tooSlow, 'The viewer stopped acknowledging frames.');
    }
    this.#alive = false;
    this.#socket.ping();
    this.#cancelPing = this.#clock.after(pingMs, () => this.#ping());
  }
}
