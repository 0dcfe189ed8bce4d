/** A frame that was shown. */
export interface RecordedFrame {
  /** Wall-clock milliseconds. */
  at: number;
  jpeg: Uint8Array;
}

/** The least time between recorded frames: enough to follow, and minutes of it fit into memory. */
const minIntervalMs = 95;
/** What every live view keeps in case somebody saves it: the last minutes, within a budget. */
const kept = { bytes: 32 * 1024 * 1024, ms: 5 * 60_000 };
/** How long a stretch in which nothing moves lasts in the video, at most. */
const maxStillMs = 3_000;
const lastFrameMs = 1_000;

/** Keeps the frames that were shown, dropping the oldest first, so that they can be saved later. */
export class Recording {
  #kept: RecordedFrame[] = [];
  /** The newest frame, if it came too soon after the last one kept. */
  #tail: RecordedFrame | undefined;
  #bytes = 0;
  #limit: number;

  constructor(limit = kept.bytes) {
    this.#limit = limit;
  }

  add(frame: RecordedFrame): void {
    const last = this.#kept.at(-1);
    if (last && frame.at - last.at < minIntervalMs) {
      this.#tail = frame;
      return;
    }
    // The last frame before a pause was shown throughout it.
    if (this.#tail && frame.at - this.#tail.at > minIntervalMs) this.#keep(this.#tail);
    this.#tail = undefined;
    this.#keep(frame);
  }

  get frames(): RecordedFrame[] {
    return this.#tail ? [...this.#kept, this.#tail] : [...this.#kept];
  }

  #keep(frame: RecordedFrame): void {
    this.#kept.push(frame);
    this.#bytes += frame.jpeg.byteLength;
    // The second frame tells how long the first one was shown.
    const isOld = () => (this.#kept[1]?.at ?? frame.at) <= frame.at - kept.ms;
    while (this.#kept.length > 1 && (this.#bytes > this.#limit || isOld())) {
      this.#bytes -= this.#kept.shift()?.jpeg.byteLength ?? 0;
    }
  }
}

/** Returns when each frame starts and how long it is shown, in seconds of the video. */
export function timesOf(frames: readonly RecordedFrame[]): { start: number; duration: number }[] {
  let start = 0;
  return frames.map((frame, index) => {
    const next = frames[index + 1];
    const ms = next ? Math.min(Math.max(next.at - frame.at, 1), maxStillMs) : lastFrameMs;
    const time = { start, duration: ms / 1000 };
    start += time.duration;
    return time;
  });
}
