import type { ViewerInput } from '../../../../contract/sessions/live-view.ts';
import { modifierBits } from '../../../../contract/sessions/live-view-wire.ts';
import type { Protocol } from '../../chrome/protocol.ts';

type KeyInput = Extract<ViewerInput, { type: 'key' }>;

/** Returns the parameters of Input.dispatchKeyEvent for a key event from a viewer. */
export function keyEvent(input: KeyInput, mac: boolean): Protocol.Input.DispatchKeyEventRequest {
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
  // Alt alone types special characters on a Mac and opens menus elsewhere.
  if (held === 0 || isAltGr(input) || (held === alt && !/^[\x20-\x7e]$/.test(input.key))) return input.key;
  return undefined;
}

/** Whether AltGr is held: it is reported as Ctrl+Alt with the resulting character. */
function isAltGr({ key, modifiers }: KeyInput): boolean {
  const { alt, ctrl, meta } = modifierBits;
  const both = alt | ctrl;
  return (modifiers & both) === both && (modifiers & meta) === 0 && /^[^\p{L}\p{N}]$|^[^\x20-\x7e]$/u.test(key);
}

const cmd = 'cmd+';
const option = 'option+';
const shift = 'shift+';
/** Editing commands that macOS, not the page, assigns to keys: Chrome needs their names. */
const macCommandsByKey: Record<string, string> = {
  [`${cmd}a`]: 'selectAll',
  [`${cmd}z`]: 'undo',
  [`${cmd + shift}z`]: 'redo',
  [`${cmd}Backspace`]: 'deleteToBeginningOfLine',
  [`${option}Backspace`]: 'deleteWordBackward',
  [`${option}Delete`]: 'deleteWordForward',
};
const arrowCommands = {
  ArrowLeft: ['moveLeft', 'moveWordLeft', 'moveToLeftEndOfLine'],
  ArrowRight: ['moveRight', 'moveWordRight', 'moveToRightEndOfLine'],
  ArrowUp: ['moveUp', 'moveParagraphBackward', 'moveToBeginningOfDocument'],
  ArrowDown: ['moveDown', 'moveParagraphForward', 'moveToEndOfDocument'],
} as const;
for (const [key, [plain, byWord, toEnd]] of Object.entries(arrowCommands)) {
  for (const [held, command] of [
    ['', plain],
    [option, byWord],
    [cmd, toEnd],
  ] as const) {
    macCommandsByKey[held + key] = command;
    macCommandsByKey[held + shift + key] = `${command}AndModifySelection`;
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
  const command = macCommandsByKey[name.filter(Boolean).join('')];
  return command === undefined ? undefined : [command];
}
