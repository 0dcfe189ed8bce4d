import type { FromViewer } from '../../../contract/sessions/live-view.ts';
import { viewportLimits } from '../../../contract/sessions/live-view-wire.ts';

const debounceMs = 150;

export interface PaneSizeOptions {
  pane: HTMLElement;
  send(message: FromViewer): void;
}

/** Gives the page the size of the pane, so that its text is shown at 100 %, or leaves it its own size if `fixed` is set. */
export class PaneSize {
  #options: PaneSizeOptions;
  #enabled = false;
  #fixed = false;
  #sent = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PaneSizeOptions) {
    this.#options = options;
    new ResizeObserver(() => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#send(), debounceMs);
    }).observe(options.pane);
  }

  get fixed(): boolean {
    return this.#fixed;
  }

  set fixed(fixed: boolean) {
    this.#fixed = fixed;
    this.#send();
  }

  /** Starts again on a new connection; `enabled` if this viewer can size the page. */
  connected(enabled: boolean): void {
    this.#enabled = enabled;
    this.#sent = '';
    this.#send();
  }

  #send(): void {
    const { clientWidth, clientHeight } = this.#options.pane;
    // A hidden pane has no size.
    if (!this.#enabled || clientWidth === 0 || clientHeight === 0) return;
    const size = this.#fixed ? null : { width: side(clientWidth), height: side(clientHeight) };
    if (JSON.stringify(size) === this.#sent) return;
    this.#sent = JSON.stringify(size);
    this.#options.send({ type: 'viewport', size });
  }
}

function side(pixels: number): number {
  return Math.min(Math.max(pixels, viewportLimits.min), viewportLimits.max);
}
