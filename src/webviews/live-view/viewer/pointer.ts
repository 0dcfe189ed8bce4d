import type { FromViewer } from '../../../contract/sessions/live-view.ts';
import { modifiersOf } from './keyboard.ts';
import type { Picture } from './picture.ts';

const buttons = ['left', 'middle', 'right', 'back', 'forward'] as const;
/** CSS pixels of a line and of a page, for wheels that count in these. */
const lineHeight = 16;
const pageHeight = 600;
/** Least time between messages of moves and wheels, in milliseconds: some screens draw more often than the service takes messages. */
const messageMs = 6;

export interface PointerOptions {
  picture: Picture;
  send(message: FromViewer): void;
  /** Whether mouse events go to the page. */
  active(): boolean;
  /** A button was pressed on the picture. */
  onPress(event: MouseEvent): void;
}

/** Sends mouse events on the picture; moves and wheels at most once per animation frame. */
export function followPointer({ picture, send, active, onPress }: PointerOptions): void {
  const { canvas } = picture;
  let moved: MouseEvent | undefined;
  /** How far wheels have turned since that was sent. */
  let turned: Extract<FromViewer, { type: 'wheel' }> | undefined;
  let isAwaited = false;
  let sentAt = 0;

  const sendSoon = () => {
    if (!isAwaited) requestAnimationFrame(sendFrame);
    isAwaited = true;
  };
  const sendFrame = (now: number) => {
    isAwaited = false;
    if (now - sentAt < messageMs) return sendSoon();
    sentAt = now;
    if (moved && active()) sendMouse('move', moved);
    moved = undefined;
    sendTurned();
  };
  const sendTurned = () => {
    if (turned && active()) send(turned);
    turned = undefined;
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
    sendTurned();
    sendMouse('down', event);
  });
  listen('mouseup', (event) => {
    moved = undefined;
    sendTurned();
    sendMouse('up', event);
  });
  listen('mousemove', (event) => {
    moved = event;
    sendSoon();
  });
  listen('wheel', (event) => {
    const unit = [1, lineHeight, pageHeight][event.deltaMode] ?? 1;
    const modifiers = modifiersOf(event);
    // With another key held, a wheel may zoom.
    if (turned?.modifiers !== modifiers) sendTurned();
    turned = {
      type: 'wheel',
      ...clamped(picture.pointAt(event)),
      dx: (turned?.dx ?? 0) + event.deltaX * unit,
      dy: (turned?.dy ?? 0) + event.deltaY * unit,
      modifiers,
    };
    sendSoon();
  });
  listen('contextmenu', () => undefined);
}

/** Returns a point as it can be sent: rounded to hundredths, within the limits of the contract. */
function clamped({ x, y }: { x: number; y: number }): { x: number; y: number } {
  const round = (value: number) => Math.min(Math.max(Math.round(value * 100) / 100, -100_000), 100_000);
  return { x: round(x), y: round(y) };
}
