import { visibleText } from '../visible-text.ts';
import { maskSecrets } from './mask-secrets.ts';

/** Where the cursor is, in the editor that was used last. */
export interface CursorPlace {
  selection: string;
  /** Language id of VS Code. */
  language: string;
  /** Message of the error under the cursor. */
  error?: string | undefined;
}

const longestTerm = 80;
const longestError = 600;
const longestContext = 2_400;

/**
 * What is put in the box for a place in an editor: a question about a selected term or the error under the cursor, or a
 * selected piece of code for the person to ask about. What looks like a secret is masked.
 */
export function questionAbout({ selection, language, error }: CursorPlace): { question: string; context: string } {
  const selected = maskSecrets(visibleText(selection)).trim();
  if (selected !== '' && selected.length <= longestTerm && !/[\n`]/.test(selected))
    return { question: `What does \`${selected}\` mean?`, context: '' };
  if (selected !== '') {
    const code = cut(withoutIndent(maskSecrets(visibleText(selection))), longestContext);
    const fence = '`'.repeat(Math.max(3, ...[...code.matchAll(/`+/g)].map(([run]) => run.length + 1)));
    return { question: '', context: `${fence}${language === 'plaintext' ? '' : language}\n${code}\n${fence}` };
  }
  if (error !== undefined && error.trim() !== '') {
    const message = cut(maskSecrets(visibleText(error)).trim(), longestError);
    return { question: `What do I do about this error: ${message}`, context: '' };
  }
  return { question: '', context: '' };
}

function withoutIndent(code: string): string {
  const lines = code.replace(/^\s*\n|\s+$/g, '').split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const common = Math.min(...indents);
  return lines.map((line) => line.slice(Math.min(common, line.length))).join('\n');
}

function cut(text: string, most: number): string {
  const points = [...text];
  return points.length > most ? `${points.slice(0, most - 1).join('')}…` : text;
}
