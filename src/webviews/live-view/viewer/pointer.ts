import type { FromViewer } from '../../../contract/live-view.ts';
import { modifiersOf } from './keyboard.ts';
import type { Picture } from './picture.ts';

const buttons = ['left', 'middle', 'right', 'back', 'forward'] as const;
/** CSS pixels of a line and of a page, where a wheel counts in these. */
const lineHeight = 16;
const pageHeight = 600;

export interface PointerOptions {
  picture: Picture;
  send(message: FromViewer): void;
  /** Whether the mouse is the page's. */
  active(): boolean;
  /** A button went down on the picture. */
  onPress(event: MouseEvent): void;
}

/** Sends what the mouse does over the picture, moves at most once a drawn frame. */
export function followPointer({ picture, send, active, onPress }: PointerOptions): void {
  const { canvas } = picture;
  let moved: MouseEvent | undefined;

  const sendMove = () => {
    const event = moved;
    moved = undefined;
    if (event && active()) tell('move', event);
  };
  const tell = (action: 'move' | 'down' | 'up', event: MouseEvent) =>
    send({
      type: 'mouse',
      action,
      ...within(picture.place(event)),
      button: action === 'move' ? 'none' : (buttons[event.button] ?? 'left'),
      buttons: event.buttons & 31,
      clicks: action === 'move' ? 0 : Math.min(Math.max(event.detail, 1), 3),
      modifiers: modifiersOf(event),
    });
  const when = <Name extends 'mousedown' | 'mouseup' | 'mousemove' | 'wheel' | 'contextmenu'>(
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
    // A drag that leaves the picture still ends where the button is let go.
    if (active()) canvas.setPointerCapture(event.pointerId);
  });
  when('mousedown', (event) => {
    onPress(event);
    moved = undefined;
    tell('down', event);
  });
  when('mouseup', (event) => {
    moved = undefined;
    tell('up', event);
  });
  when('mousemove', (event) => {
    if (!moved) requestAnimationFrame(sendMove);
    moved = event;
  });
  when('wheel', (event) => {
    const unit = [1, lineHeight, pageHeight][event.deltaMode] ?? 1;
    send({
      type: 'wheel',
      ...within(picture.place(event)),
      dx: event.deltaX * unit,
      dy: event.deltaY * unit,
      modifiers: modifiersOf(event),
    });
  });
  when('contextmenu', () => undefined);
}

/** A place as it may be sent: whole hundredths, not farther than anybody can see. */
function within({ x, y }: { x: number; y: number }): { x: number; y: number } {
  const round = (value: number) => Math.min(Math.max(Math.round(value * 100) / 100, -100_000), 100_000);
  return { x: round(x), y: round(y) };
}
