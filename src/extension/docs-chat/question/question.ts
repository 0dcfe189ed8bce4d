import { shorten } from '../../../contract/shorten.ts';
import { isUuid } from '../../ui/text/text.ts';
import { fenced, visibleText } from '../../ui/text/visible-text.ts';

/** The selection or cursor position in the active editor. */
export interface CursorPlace {
  selection: string;
  /** The VS Code language id. */
  language: string;
  /** The message of the error at the cursor. */
  error?: string | undefined;
}

const maxTermLength = 80;
const maxErrorLength = 600;
const maxContextLength = 2_400;

/**
 * Composes a question from an editor: about the selected term or the error at the cursor, or with the selected code as
 * context. Masks likely secrets.
 */
export function questionAbout({ selection, language, error }: CursorPlace): { question: string; context: string } {
  const selected = maskSecrets(visibleText(selection)).trim();
  if (selected !== '' && selected.length <= maxTermLength && !/[\n`]/.test(selected))
    return { question: `What does \`${selected}\` mean?`, context: '' };
  if (selected !== '') {
    const code = shorten(dedented(maskSecrets(visibleText(selection))), maxContextLength);
    return { question: '', context: fenced(code, language === 'plaintext' ? '' : language) };
  }
  if (error !== undefined && error.trim() !== '') {
    const message = shorten(maskSecrets(visibleText(error)).trim(), maxErrorLength);
    return { question: `How do I fix this error: ${message}`, context: '' };
  }
  return { question: '', context: '' };
}

function dedented(code: string): string {
  const lines = code.replace(/^\s*\n|\s+$/g, '').split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const common = Math.min(...indents);
  return lines.map((line) => line.slice(Math.min(common, line.length))).join('\n');
}

const masked = '•••';

/** Masks values that look like keys, tokens and passwords, for text that is put in the question box or saved. */
export function maskSecrets(text: string): string {
  return text
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${masked}`)
    .replace(
      /((?:api[-_ ]?key|secret|token|password|passwd|pwd)["']?\s*[:=]\s*)(?:"[^"\n]+"|'[^'\n]+'|[^\s"',;)}]+)/gi,
      `$1${masked}`,
    )
    .replace(/([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/@:]+:[^\s/@]+@/gi, `$1${masked}@`)
    .replace(/\b(?:sk|pk|fc|ghp|gho|xox[abp]|whsec|AKIA)[-_]?[A-Za-z0-9_-]{16,}/g, masked)
    .replace(/[A-Za-z0-9_-]{32,}/g, (run) => (isUuid(run) || !/\d/.test(run) || !/[A-Za-z]/.test(run) ? run : masked));
}
