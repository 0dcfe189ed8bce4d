/** A picture with its header, made once and sent to every viewer of its stream. */
export interface Frame {
  seq: number;
  bytes: Buffer;
}

/** How good pictures are; viewers move along this list by how fast they take them. */
export const levels = [
  { quality: 80 },
  { quality: 50 },
  { quality: 30, maxWidth: 960, maxHeight: 960 },
] as const satisfies readonly { quality: number; maxWidth?: number; maxHeight?: number }[];

/** Acknowledgements later than this, on average, ask for smaller pictures; those sooner than `fastMs` allow better ones. */
const slowMs = 250;
const fastMs = 100;
const framesToJudge = 5;
const retryMs = { first: 4_000, most: 60_000 } as const;
/** Pictures on their way to a fast viewer: enough to hide the way there and back, too few to pile up. */
const window = { fast: 3, slow: 1 } as const;

export interface FrameSenderOptions {
  send(bytes: Buffer): void;
  /** Monotonic milliseconds. */
  now(): number;
  /** There is room again for a picture. */
  onRoom(): void;
  /** This viewer should see pictures of another level. */
  onLevel(level: number): void;
}

/** Sends pictures to one viewer at the pace of its acknowledgements. The newest wins; at most one waits unsent. */
export class FrameSender {
  #options: FrameSenderOptions;
  #inFlight: { seq: number; at: number }[] = [];
  #waiting: Frame | undefined;
  #level = 0;
  #average = 0;
  #judged = 0;
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

  /** Milliseconds since the oldest picture on its way was sent; 0 when none is. */
  get unansweredMs(): number {
    const oldest = this.#inFlight[0];
    return oldest ? this.#options.now() - oldest.at : 0;
  }

  /** Sends a picture, or keeps it until there is room, in place of the one that was kept before. */
  offer(picture: Frame): void {
    if (this.hasRoom) this.#send(picture);
    else this.#waiting = picture;
  }

  /** The viewer has dealt with this picture and all before it. A number that was never sent is ignored. */
  ack(seq: number): void {
    const index = this.#inFlight.findIndex((sent) => sent.seq === seq);
    if (index === -1) return;
    const [answered] = this.#inFlight.splice(0, index + 1).slice(-1);
    if (answered) this.#judge(this.#options.now() - answered.at);
    if (!this.hasRoom) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) this.#send(waiting);
    if (this.hasRoom) this.#options.onRoom();
  }

  /** Forgets the picture that waits: the viewer looks at something else now. */
  drop(): void {
    this.#waiting = undefined;
  }

  /** Forgets everything: the viewer does not look, and owes no answer. */
  pause(): void {
    this.#waiting = undefined;
    this.#inFlight = [];
  }

  #send(picture: Frame): void {
    this.#inFlight.push({ seq: picture.seq, at: this.#options.now() });
    this.#options.send(picture.bytes);
  }

  #judge(delay: number): void {
    this.#average = this.#judged === 0 ? delay : this.#average * 0.8 + delay * 0.2;
    this.#judged++;
    if (this.#judged < framesToJudge) return;
    const now = this.#options.now();
    if (this.#average > slowMs && this.#level < levels.length - 1) {
      // A level that could not be held for long is tried again later and later.
      const soon = now - this.#raisedAt < 10_000;
      this.#retryMs = soon ? Math.min(this.#retryMs * 2, retryMs.most) : retryMs.first;
      this.#change(this.#level + 1, now);
    } else if (this.#average < fastMs && this.#level > 0 && now - this.#changedAt > this.#retryMs) {
      this.#raisedAt = now;
      this.#change(this.#level - 1, now);
    }
  }

  #change(level: number, now: number): void {
    this.#level = level;
    this.#judged = 0;
    this.#changedAt = now;
    this.#options.onLevel(level);
  }
}
