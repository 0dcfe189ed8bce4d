import type { FromViewer } from '../../../contract/sessions/live-view.ts';
import { modifiersOf } from './keyboard.ts';
import type { Picture } from './picture.ts';

const buttons = ['left', 'middle', 'right', 'back', 'forward'] as const;
/** CSS pixels of a line and of a page, for wheels that count in these. */
const lineHeight = 16;
const pageHeight = 600;

export interface PointerOptions {
  picture: Picture;
  send(message: FromViewer): void;
  /** Whether mouse events go to the page. */
  active(): boolean;
  /** A button was pressed on the picture. */
  onPress(event: MouseEvent): void;
}

/** Sends mouse events on the picture; moves at most once per animation frame. */
export function followPointer({ picture, send, active, onPress }: PointerOptions): void {
  const { canvas } = picture;
  let moved: MouseEvent | undefined;

  const sendMove = () => {
    const event = moved;
    moved = undefined;
    if (event && active()) sendMouse('move', event);
  };
  const sendMouse = (action: 'move' | 'down' | 'up', event: MouseEvent) =>
    send({
      type: 'mouse',
      action,
      ...clamped(picture.pointAt(event)),
      button: action === 'move' ? 'none' : (buttons[event.button] ?? 'left'),
      buttons: event.buttons & 31,
      clicks: action === 'move' ? 0 : Math.min(Math.max(event.detail, 1), 3),
      modifiers: modifiersOf(event),
    });
  const listen = <Name extends 'mousedown' | 'mouseup' | 'mousemove' | 'wheel' | 'contextmenu'>(
    name: Name,
    listener: (event: HTMLElementEventMap[Name]) => void,
  ) =>
    canvas.addEventListener(
      name,
      (event) => {
        if (!active()) return;
        event.preventDefault();
        listener(event);
      },
      { passive: false },
    );

  canvas.addEventListener('pointerdown', (event) => {
    // A drag that leaves the picture still gets its release.
    if (active()) canvas.setPointerCapture(event.pointerId);
  });
  listen('mousedown', (event) => {
    onPress(event);
    moved = undefined;
    sendMouse('down', event);
  });
  listen('mouseup', (event) => {
    moved = undefined;
    sendMouse('up', event);
  });
  listen('mousemove', (event) => {
    if (!moved) requestAnimationFrame(sendMove);
    moved = event;
  });
  listen('wheel', (event) => {
    const unit = [1, lineHeight, pageHeight][event.deltaMode] ?? 1;
    send({
      type: 'wheel',
      ...clamped(picture.pointAt(event)),
      dx: event.deltaX * unit,
      dy: event.deltaY * unit,
      modifiers: modifiersOf(event),
    });
  });
  listen('contextmenu', () => undefined);
}

/** Returns a point as it can be sent: rounded to hundredths, within the limits of the contract. */
function clamped({ x, y }: { x: number; y: number }): { x: number; y: number } {
  const round = (value: number) => Math.min(Math.max(Math.round(value * 100) / 100, -100_000), 100_000);
  return { x: round(x), y: round(y) };
}
