import * as l10n from '@vscode/l10n';

// Control characters except tab and line feed, separators, soft hyphens, bidirectional marks and overrides, zero-width
// characters, fillers, tag characters, and variation selectors that follow nothing they apply to.
const hidden =
  /(?:[[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[\t\n\u200d\ufe0e\ufe0f]]|(?<!\p{Emoji})[\ufe0e\ufe0f]|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d)+/gv;

const maxNamed = 3;

/**
 * Replaces every invisible character of an untrusted text by its name: `⟦U+202E⟧`. Keeps tabs, line feeds and the joiners
 * within emoji; CR LF becomes LF. The result has no invisible characters, and applying the function again doesn't change it.
 */
export function visibleText(text: string): string {
  return text.toWellFormed().replaceAll('\r\n', '\n').replace(hidden, nameOf);
}

function nameOf(run: string): string {
  const names = [...run].map(
    (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
  if (names.length <= maxNamed) return `⟦${names.join(' ')}⟧`;
  return l10n.t('⟦{0} … {1} invisible characters⟧', names.slice(0, maxNamed).join(' '), names.length);
}

/** Where a link of Markdown begins, or of HTML in it, whose address is a command of VS Code, up to the colon. */
const commandLink =
  /((?:\]\(\s*<?|\]:[\t ]*<|\b(?:href|src|placeholder)\s*=(?:\s*["'])?\s*)command|(?:\]:[\t ]*|<)command(?=:[^\s>])):/gi;
/** Where the scheme of a link of HTML begins that is written with references to characters. */
const codedLink = /\b((?:href|src|placeholder)\s*=(?:\s*["'])?\s*[\w.+-]*)&(?=#|colon;)/gi;

/** Returns Markdown of others without links that run commands: in an editor, VS Code follows those of any document. */
export function withoutCommands(markdown: string): string {
  return markdown.replace(commandLink, '$1%3A').replace(codedLink, '$1&amp;');
}

/** Returns code as a block of Markdown. Its fence is longer than any run of backticks in the code, so the code can't end it. */
export function fenced(code: string, language = ''): string {
  const longest = (code.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2);
  const mark = '`'.repeat(longest + 1);
  return `${mark}${language}\n${code}\n${mark}`;
}
