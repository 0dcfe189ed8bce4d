import { ownNames } from '../../platform/own-names.ts';
import type { CdpSend } from '../chrome/protocol.ts';

/** The parameters of `Input.dispatchKeyEvent` that describe a key. */
interface KeyStroke {
  key: string;
  code: string;
  windowsVirtualKeyCode: number;
  text?: string;
}

const named: Record<string, [code: number, text?: string]> = ownNames({
  Enter: [13, '\r'],
  Tab: [9],
  Escape: [27],
  Backspace: [8],
  Delete: [46],
  Insert: [45],
  Home: [36],
  End: [35],
  PageUp: [33],
  PageDown: [34],
  ArrowLeft: [37],
  ArrowUp: [38],
  ArrowRight: [39],
  ArrowDown: [40],
  Shift: [16],
  Control: [17],
  Alt: [18],
  Meta: [91],
  CapsLock: [20],
  ...Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`F${index + 1}`, [112 + index]])),
});
const aliases: Record<string, string> = ownNames({
  esc: 'Escape',
  return: 'Enter',
  del: 'Delete',
  up: 'ArrowUp',
  down: 'ArrowDown',
  left: 'ArrowLeft',
  right: 'ArrowRight',
  space: ' ',
  ctrl: 'Control',
  cmd: 'Meta',
});
const modifiers: Record<string, number> = ownNames({ Alt: 1, Control: 2, Meta: 4, Shift: 8 });

interface Key {
  stroke: KeyStroke;
  modifiers: number;
}

/** Parses a key or key combination, such as `Control+A`; returns undefined for an unknown key. */
export function parseKey(name: string): Key | undefined {
  const parts =
    name === '+' || name.endsWith('++') ? [...name.slice(0, -1).split('+').filter(Boolean), '+'] : name.split('+');
  const last = canonical(parts.pop() ?? '');
  let held = 0;
  for (const part of parts) {
    const bit = modifiers[canonical(part)];
    if (bit === undefined) return undefined;
    held |= bit;
  }
  const stroke = strokeOf(last, held !== 0 && held !== 8);
  return stroke && { stroke, modifiers: held };
}

/** Presses a key and lets it go. */
export async function pressKey(send: CdpSend, { stroke, modifiers: held }: Key): Promise<void> {
  const { text, ...silent } = stroke;
  const type = text === undefined ? 'rawKeyDown' : 'keyDown';
  await send('Input.dispatchKeyEvent', { type, ...stroke, modifiers: held });
  await send('Input.dispatchKeyEvent', { type: 'keyUp', ...silent, modifiers: held });
}

function canonical(name: string): string {
  const alias = aliases[name.toLowerCase()];
  if (alias !== undefined) return alias;
  return Object.keys(named).find((key) => key.toLowerCase() === name.toLowerCase()) ?? name;
}

function strokeOf(key: string, silent: boolean): KeyStroke | undefined {
  const known = named[key];
  if (known) {
    const [windowsVirtualKeyCode, text] = known;
    return { key, code: key, windowsVirtualKeyCode, ...(text !== undefined && { text }) };
  }
  if ([...key].length !== 1) return undefined;
  const upper = key.toUpperCase();
  const isLetter = /^[A-Z]$/.test(upper);
  const isDigit = /^[0-9]$/.test(key);
  const code = isLetter ? `Key${upper}` : isDigit ? `Digit${key}` : key === ' ' ? 'Space' : '';
  const windowsVirtualKeyCode = isLetter || isDigit || key === ' ' ? upper.charCodeAt(0) : 0;
  return { key, code, windowsVirtualKeyCode, ...(!silent && { text: key }) };
}
