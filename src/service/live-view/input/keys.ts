import type { ViewerInput } from '../../../contract/live-view.ts';
import { modifierBits } from '../../../contract/live-view-wire.ts';

type KeyInput = Extract<ViewerInput, { type: 'key' }>;

/** Parameters of Input.dispatchKeyEvent for a key as a viewer's browser told it. */
export function keyEvent(input: KeyInput, mac: boolean): Record<string, unknown> {
  const text = input.action === 'down' ? textOf(input) : undefined;
  const commands = mac && input.action === 'down' ? macCommands(input) : undefined;
  return {
    type: input.action === 'up' ? 'keyUp' : text === undefined ? 'rawKeyDown' : 'keyDown',
    key: input.key,
    code: input.code,
    windowsVirtualKeyCode: input.keyCode,
    location: input.location,
    isKeypad: input.location === 3,
    autoRepeat: input.repeat,
    modifiers: isAltGr(input) ? input.modifiers & ~(modifierBits.ctrl | modifierBits.alt) : input.modifiers,
    ...(text !== undefined && { text, unmodifiedText: text }),
    ...(commands && { commands }),
  };
}

function textOf(input: KeyInput): string | undefined {
  if (input.key === 'Enter') return '\r';
  if ([...input.key].length !== 1) return undefined;
  const { alt, ctrl, meta } = modifierBits;
  const held = input.modifiers & (alt | ctrl | meta);
  // Alt alone makes letters of its own on a Mac, and menus elsewhere.
  if (held === 0 || isAltGr(input) || (held === alt && !/^[\x20-\x7e]$/.test(input.key))) return input.key;
  return undefined;
}

/** AltGr arrives as Ctrl and Alt held together, with the character that they make. */
function isAltGr({ key, modifiers }: KeyInput): boolean {
  const { alt, ctrl, meta } = modifierBits;
  const both = alt | ctrl;
  return (modifiers & both) === both && (modifiers & meta) === 0 && /^[^\p{L}\p{N}]$|^[^\x20-\x7e]$/u.test(key);
}

const cmd = 'cmd+';
const option = 'option+';
const shift = 'shift+';
/** What the system, not the page, makes of keys on a Mac: Chrome there is told it by name. */
const macTable: Record<string, string> = {
  [`${cmd}a`]: 'selectAll',
  [`${cmd}z`]: 'undo',
  [`${cmd + shift}z`]: 'redo',
  [`${cmd}Backspace`]: 'deleteToBeginningOfLine',
  [`${option}Backspace`]: 'deleteWordBackward',
  [`${option}Delete`]: 'deleteWordForward',
};
const ways = {
  ArrowLeft: ['moveLeft', 'moveWordLeft', 'moveToLeftEndOfLine'],
  ArrowRight: ['moveRight', 'moveWordRight', 'moveToRightEndOfLine'],
  ArrowUp: ['moveUp', 'moveParagraphBackward', 'moveToBeginningOfDocument'],
  ArrowDown: ['moveDown', 'moveParagraphForward', 'moveToEndOfDocument'],
} as const;
for (const [key, [plain, byWord, toEnd]] of Object.entries(ways)) {
  for (const [held, command] of [
    ['', plain],
    [option, byWord],
    [cmd, toEnd],
  ] as const) {
    macTable[held + key] = command;
    macTable[held + shift + key] = `${command}AndModifySelection`;
  }
}

function macCommands({ key, modifiers }: KeyInput): string[] | undefined {
  const { alt, meta } = modifierBits;
  const name = [
    modifiers & meta && cmd,
    modifiers & alt && option,
    modifiers & modifierBits.shift && shift,
    key.length === 1 ? key.toLowerCase() : key,
  ];
  const command = macTable[name.filter(Boolean).join('')];
  return command === undefined ? undefined : [command];
}
