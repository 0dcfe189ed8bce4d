import Anser, { type AnserJsonEntry } from 'anser';

/** A piece of output of one look. Colours are class names of the sixteen, or `r, g, b`. */
export interface AnsiPiece {
  text: string;
  color?: string;
  background?: string;
  bold?: boolean;
  italic?: boolean;
  underline?: boolean;
  dim?: boolean;
  strikethrough?: boolean;
}

// OSC, DCS, SOS, PM and APC with all that they carry; CSI that are not colours (SGR); the other escapes; other controls.
const notColours =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what this finds
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-ln-~]|\x1b\[[0-?]*[^0-?m][0-?]*m|\x1b(?!\[)[ -/]*[0-~]?|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]/g;

/** Output cut into pieces by its colours, without any other control sequence. */
export function ansiPieces(text: string): AnsiPiece[] {
  const clean = carriageReturns(text.replace(notColours, ''));
  if (!clean.includes('\x1b')) return clean ? [{ text: clean }] : [];
  return Anser.ansiToJson(clean, { use_classes: true, remove_empty: true }).map(toPiece);
}

function toPiece(entry: AnserJsonEntry): AnsiPiece {
  const has = (name: string) => entry.decorations.includes(name as never);
  return {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape that was cut off at the end
    text: entry.content.replace(/\x1b.*$/s, ''),
    ...(entry.fg && { color: entry.fg_truecolor ?? entry.fg }),
    ...(entry.bg && { background: entry.bg_truecolor ?? entry.bg }),
    ...(has('bold') && { bold: true }),
    ...(has('italic') && { italic: true }),
    ...(has('underline') && { underline: true }),
    ...(has('dim') && { dim: true }),
    ...(has('strikethrough') && { strikethrough: true }),
  };
}

/** A line that was written over (a progress bar) shows what was written last. */
function carriageReturns(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/[^\n]*\r(?=[^\n])/g, '')
    .replaceAll('\r', '');
}
