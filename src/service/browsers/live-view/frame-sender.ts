/** A frame with its header, encoded once and sent to every viewer of its stream. */
export interface EncodedFrame {
  seq: number;
  bytes: Buffer;
}

/** Quality levels, best first; a viewer's level depends on how fast it acknowledges frames. */
export const levels = [
  { quality: 80 },
  { quality: 50 },
  { quality: 30, maxWidth: 960, maxHeight: 960 },
] as const satisfies readonly { quality: number; maxWidth?: number; maxHeight?: number }[];

/** If acknowledgements take longer than this on average, quality drops; if they take less than `fastMs`, it rises. */
const slowMs = 250;
const fastMs = 100;
const minFramesMeasured = 5;
const retryMs = { first: 4_000, max: 60_000 } as const;
/** Maximum unacknowledged frames: for a fast viewer, enough to hide the round trip but too few to pile up. */
const window = { fast: 3, slow: 1 } as const;

export interface FrameSenderOptions {
  send(bytes: Buffer): void;
  /** Monotonic milliseconds. */
  now(): number;
  /** Called when there is room for a frame again. */
  onRoom(): void;
  /** Called when the viewer's quality level changes. */
  onLevel(level: number): void;
}

/** Sends frames to one viewer at the pace of its acknowledgements. At most one frame waits, and newer frames replace it. */
export class FrameSender {
  #options: FrameSenderOptions;
  #inFlight: { seq: number; at: number }[] = [];
  #waiting: EncodedFrame | undefined;
  #level = 0;
  #average = 0;
  #measured = 0;
  #changedAt: number;
  #raisedAt = Number.NEGATIVE_INFINITY;
  #retryMs: number = retryMs.first;

  constructor(options: FrameSenderOptions) {
    this.#options = options;
    this.#changedAt = options.now();
  }

  get level(): number {
    return this.#level;
  }

  get hasRoom(): boolean {
    const size = this.#level === 0 && this.#average < fastMs ? window.fast : window.slow;
    return this.#inFlight.length < size;
  }

  /** Milliseconds since the oldest unacknowledged frame was sent; 0 if there is none. */
  get unansweredMs(): number {
    const oldest = this.#inFlight[0];
    return oldest ? this.#options.now() - oldest.at : 0;
  }

  /** Sends a frame, or keeps it until there is room, replacing any frame that waits. */
  offer(frame: EncodedFrame): void {
    if (this.hasRoom) this.#send(frame);
    else this.#waiting = frame;
  }

  /** Acknowledges this frame and all before it. Unknown numbers are ignored. */
  ack(seq: number): void {
    const index = this.#inFlight.findIndex((sent) => sent.seq === seq);
    if (index === -1) return;
    const [acknowledged] = this.#inFlight.splice(0, index + 1).slice(-1);
    if (acknowledged) this.#measure(this.#options.now() - acknowledged.at);
    if (!this.hasRoom) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) this.#send(waiting);
    if (this.hasRoom) this.#options.onRoom();
  }

  /** Drops the waiting frame: the viewer now sees another tab. */
  drop(): void {
    this.#waiting = undefined;
  }

  /** Drops the waiting frame and expects no acknowledgements: the viewer isn't watching. */
  pause(): void {
    this.#waiting = undefined;
    this.#inFlight = [];
  }

  #send(frame: EncodedFrame): void {
    this.#inFlight.push({ seq: frame.seq, at: this.#options.now() });
    this.#options.send(frame.bytes);
  }

  #measure(delay: number): void {
    this.#average = this.#measured === 0 ? delay : this.#average * 0.8 + delay * 0.2;
    this.#measured++;
    if (this.#measured < minFramesMeasured) return;
    const now = this.#options.now();
    if (this.#average > slowMs && this.#level < levels.length - 1) {
      // Back off before retrying a level that failed soon after it was raised.
      const soon = now - this.#raisedAt < 10_000;
      this.#retryMs = soon ? Math.min(this.#retryMs * 2, retryMs.max) : retryMs.first;
      this.#change(this.#level + 1, now);
    } else if (this.#average < fastMs && this.#level > 0 && now - this.#changedAt > this.#retryMs) {
      this.#raisedAt = now;
      this.#change(this.#level - 1, now);
    }
  }

  #change(level: number, now: number): void {
    this.#level = level;
    this.#measured = 0;
    this.#changedAt = now;
    this.#options.onLevel(level);
  }
}
