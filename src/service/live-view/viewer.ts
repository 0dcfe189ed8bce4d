import type { WebSocket } from 'ws';
import { type FromViewer, fromViewer, isInput, type ToViewer } from '../../contract/live-view.ts';
import { liveCloseCodes } from '../../contract/live-view-wire.ts';
import type { Clock } from '../clock.ts';
import { FrameSender } from './frame-sender.ts';

/** A viewer that is silent this long is gone: it answers neither pings nor pictures. */
const pingMs = 10_000;
const unansweredMs = 30_000;
/** Inputs a second, and how many may come at once. */
const inputRate = 400;
/** Bytes of words that may wait for a viewer that does not read. */
const maxUnread = 2 * 1024 * 1024;
const tellDroppedMs = 500;

export interface ViewerEvents {
  onMessage(viewer: Viewer, message: FromViewer): void;
  onRoom(viewer: Viewer): void;
  onLevel(viewer: Viewer): void;
  onGone(viewer: Viewer): void;
}

/** One end of a live view's socket. It alone decides what of a viewer's messages is heard. */
export class Viewer {
  /** Whether it may act, by the URL that it came with. */
  readonly control: boolean;
  readonly sender: FrameSender;
  /** The tab that it asked to see; without one it sees the newest. */
  chosen: string | undefined;
  /** The tab that it sees. */
  shown: string | undefined;
  watching = true;
  /** Messages that were dropped. */
  dropped = 0;
  #socket: WebSocket;
  #events: ViewerEvents;
  #clock: Clock;
  #alive = true;
  #allowance = inputRate;
  #allowanceAt: number;
  #cancelPing: () => void;
  #cancelTell: (() => void) | undefined;

  constructor(socket: WebSocket, control: boolean, clock: Clock, events: ViewerEvents) {
    this.#socket = socket;
    this.control = control;
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
    socket.on('message', (data, isBinary) => this.#receive(isBinary ? undefined : String(data)));
    // What was wrong with it, a message too long or no text at all, is in the close code that follows.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#cancelPing();
      this.#cancelTell?.();
      events.onGone(this);
    });
  }

  tell(message: ToViewer): void {
    if (this.#socket.bufferedAmount > maxUnread) return this.#socket.terminate();
    this.#socket.send(JSON.stringify(message));
  }

  end(reason: string): void {
    this.tell({ type: 'ended', reason });
    this.#socket.close(liveCloseCodes.ended, 'The session has ended.');
  }

  #receive(text: string | undefined): void {
    const message = text === undefined ? undefined : parse(text);
    if (!message) return this.#drop();
    if (isInput(message) && !(this.control && this.#allow())) return this.#drop();
    this.#events.onMessage(this, message);
  }

  #allow(): boolean {
    const now = this.#clock.monotonic();
    this.#allowance = Math.min(inputRate, this.#allowance + ((now - this.#allowanceAt) / 1000) * inputRate);
    this.#allowanceAt = now;
    if (this.#allowance < 1) return false;
    this.#allowance--;
    return true;
  }

  #drop(): void {
    this.dropped++;
    this.#cancelTell ??= this.#clock.after(tellDroppedMs, () => {
      this.#cancelTell = undefined;
      this.tell({ type: 'dropped', count: this.dropped });
    });
  }

  #ping(): void {
    if (!this.#alive) return this.#socket.terminate();
    if (this.sender.unansweredMs > unansweredMs) {
      this.#socket.close(liveCloseCodes.tooSlow, 'This viewer acknowledges no pictures.');
    }
    this.#alive = false;
    this.#socket.ping();
    this.#cancelPing = this.#clock.after(pingMs, () => this.#ping());
  }
}

function parse(text: string): FromViewer | undefined {
  try {
    return fromViewer.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
