/** A picture that was watched. */
export interface Watched {
  /** Wall-clock milliseconds. */
  at: number;
  jpeg: Uint8Array;
}

/** Pictures are kept this far apart at least: enough to follow, and minutes of it fit into memory. */
const apartMs = 95;
const mostBytes = 128 * 1024 * 1024;
/** A stretch in which nothing moved is this long in a video. */
const longestStillMs = 3_000;
const lastStillMs = 1_000;

/** Keeps what was watched, the oldest given up first, so that it can be saved after the fact. */
export class Recording {
  #kept: Watched[] = [];
  /** The newest picture, where it came too soon after the last that is kept. */
  #tail: Watched | undefined;
  #bytes = 0;
  #limit: number;

  constructor(limit = mostBytes) {
    this.#limit = limit;
  }

  add(picture: Watched): void {
    const last = this.#kept.at(-1);
    if (last && picture.at - last.at < apartMs) {
      this.#tail = picture;
      return;
    }
    // What stood before a pause is what the person saw through it.
    if (this.#tail && picture.at - this.#tail.at > apartMs) this.#keep(this.#tail);
    this.#tail = undefined;
    this.#keep(picture);
  }

  get pictures(): Watched[] {
    return this.#tail ? [...this.#kept, this.#tail] : [...this.#kept];
  }

  #keep(picture: Watched): void {
    this.#kept.push(picture);
    this.#bytes += picture.jpeg.byteLength;
    while (this.#bytes > this.#limit && this.#kept.length > 1) {
      this.#bytes -= this.#kept.shift()?.jpeg.byteLength ?? 0;
    }
  }
}

/** When each picture begins and how long it is seen, in seconds of the video. */
export function timesOf(pictures: readonly Watched[]): { start: number; duration: number }[] {
  let start = 0;
  return pictures.map((picture, index) => {
    const next = pictures[index + 1];
    const ms = next ? Math.min(Math.max(next.at - picture.at, 1), longestStillMs) : lastStillMs;
    const time = { start, duration: ms / 1000 };
    start += time.duration;
    return time;
  });
}
