import * as l10n from '@vscode/l10n';
import type { LiveField } from '../../../contract/sessions/live-view.ts';
import { readFrame } from '../../../contract/sessions/live-view-wire.ts';
import { element } from '../../common/dom.ts';

/** A position on the page, in CSS pixels of the page. */
export interface Point {
  x: number;
  y: number;
}

export interface PictureOptions {
  /** A frame was processed, drawn or not. */
  acknowledge(seq: number): void;
  /** A frame was drawn. */
  onDrawn(jpeg: Uint8Array, at: number): void;
  /** The picture or its pane changed size. @param fits whether all of it fits in the pane at its actual size */
  onLaidOut(fits: boolean): void;
}

type Box = LiveField['box'];
type WireFrame = NonNullable<ReturnType<typeof readFrame>>;

/** Draws the newest frame, scaled to the pane or at 1:1. */
export class Picture {
  readonly canvas = element('canvas', { class: 'picture' });
  readonly pane = element('div', { class: 'pane' }, this.canvas);
  #options: PictureOptions;
  #context = this.canvas.getContext('2d', { alpha: false, desynchronized: true });
  #decoding = false;
  #next: WireFrame | undefined;
  #size = { width: 0, height: 0 };
  #actualSize = false;
  #drawnAt: number[] = [];

  constructor(options: PictureOptions) {
    this.#options = options;
    new ResizeObserver(() => this.#layOut()).observe(this.pane);
  }

  get isEmpty(): boolean {
    return this.#size.width === 0;
  }

  get actualSize(): boolean {
    return this.#actualSize;
  }

  set actualSize(actual: boolean) {
    this.#actualSize = actual;
    this.#layOut();
  }

  /** Frames drawn in the last second. */
  get framesPerSecond(): number {
    const since = performance.now() - 1000;
    this.#drawnAt = this.#drawnAt.filter((at) => at > since);
    return this.#drawnAt.length;
  }

  /** Accepts a frame as received. While one is being decoded, only the newest waits. */
  take(bytes: Uint8Array): void {
    const frame = readFrame(bytes);
    if (!frame) return;
    if (this.#decoding) {
      if (this.#next) this.#options.acknowledge(this.#next.seq);
      this.#next = frame;
    } else void this.#draw(frame);
  }

  /** Whether there is nothing to see: no picture yet, or one color alone. */
  get isPlain(): boolean {
    const { width, height } = this.canvas;
    if (this.isEmpty || !this.#context) return true;
    const pixels = new Uint32Array(this.#context.getImageData(0, 0, width, height).data.buffer);
    return pixels.every((pixel) => pixel === pixels[0]);
  }

  /** Returns the position on the page of a mouse event. */
  pointAt(event: MouseEvent): Point {
    const box = this.canvas.getBoundingClientRect();
    return {
      x: ((event.clientX - box.left) / Math.max(box.width, 1)) * this.#size.width,
      y: ((event.clientY - box.top) / Math.max(box.height, 1)) * this.#size.height,
    };
  }

  /** Returns where a box on the page is shown, in pixels from the start of the pane's content. */
  placeOf(box: Box) {
    const scale = this.canvas.offsetWidth / Math.max(this.#size.width, 1);
    const { offsetLeft, offsetTop } = this.canvas;
    return {
      left: offsetLeft + box.x * scale,
      top: offsetTop + box.y * scale,
      width: box.width * scale,
      height: box.height * scale,
    };
  }

  /** Puts an element of the pane below a box on the page, or above it if there is more room, within the pane in any case. */
  putBeside(shown: HTMLElement, box: Box, gap = 0): void {
    const { left, top, height } = this.placeOf(box);
    const { clientWidth, clientHeight } = this.pane;
    const below = top + height + gap;
    const fits = below + shown.offsetHeight <= clientHeight;
    const above = Math.min(top - gap, clientHeight) - shown.offsetHeight;
    shown.style.top = `${fits ? below : Math.max(0, above)}px`;
    shown.style.left = `${Math.max(0, Math.min(left, clientWidth - shown.offsetWidth))}px`;
  }

  /** Returns the current picture as PNG. */
  async png(): Promise<Uint8Array<ArrayBuffer>> {
    const blob = await new Promise<Blob | null>((resolve) => this.canvas.toBlob(resolve, 'image/png'));
    if (!blob) throw new Error(l10n.t('No picture yet.'));
    return new Uint8Array(await blob.arrayBuffer());
  }

  async #draw(frame: WireFrame): Promise<void> {
    this.#decoding = true;
    try {
      const bitmap = await createImageBitmap(new Blob([frame.jpeg as BlobPart], { type: 'image/jpeg' }));
      const { canvas } = this;
      if (canvas.width !== bitmap.width || canvas.height !== bitmap.height) {
        canvas.width = bitmap.width;
        canvas.height = bitmap.height;
      }
      this.#context?.drawImage(bitmap, 0, 0);
      bitmap.close();
      if (this.#size.width !== frame.width || this.#size.height !== frame.height) {
        this.#size = { width: frame.width, height: frame.height };
        this.#layOut();
      }
      this.#drawnAt.push(performance.now());
      this.#options.onDrawn(frame.jpeg, frame.at);
    } catch {
      // A frame that can't be decoded is skipped; the next one replaces it anyway.
    }
    this.#options.acknowledge(frame.seq);
    this.#decoding = false;
    const next = this.#next;
    this.#next = undefined;
    if (next) void this.#draw(next);
  }

  /** Scales the picture to the pane, but never beyond 1:1, where it would blur. */
  #layOut(): void {
    const { width, height } = this.#size;
    if (width === 0) return;
    const available = { width: this.pane.clientWidth, height: this.pane.clientHeight };
    const fitted = Math.min(1, available.width / width, available.height / height);
    const scale = this.#actualSize ? 1 : fitted;
    this.#options.onLaidOut(fitted === 1);
    this.canvas.style.width = `${Math.max(1, Math.floor(width * scale))}px`;
    this.canvas.style.height = `${Math.max(1, Math.floor(height * scale))}px`;
    this.pane.classList.toggle('scrolls', this.#actualSize);
  }
}
