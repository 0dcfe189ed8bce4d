import * as l10n from '@vscode/l10n';

const longestKey = 4096;
/** Shorter keys could be ordinary words in any text. */
const shortestRedacted = 6;
/** A prefix of this length already identifies a key. */
const identifyingPrefix = 8;

/** Returns a message to show for an invalid key, without the key in it; undefined when the key is valid. */
export function apiKeyProblem(key: string): string | undefined {
  if (key === '') return l10n.t('The API key is empty.');
  if (key.length > longestKey)
    return l10n.t('The API key is too long: expected at most {0} characters.', longestKey.toLocaleString('en-US'));
  if (/[\s\p{Cc}]/u.test(key)) {
    return l10n.t('The API key contains a space, a line break or a control character. Copy only the key.');
  }
  if (!/^[\x21-\x7e]+$/.test(key))
    return l10n.t('The API key contains invalid characters: expected printable ASCII. Copy it again.');
  return undefined;
}

/** Returns a function that masks a key, its encoded forms and its prefix in a text. */
export function keyRedactor(key: string | undefined): (text: string) => string {
  if (key === undefined || key.length < shortestRedacted) return (text) => text;
  const forms = [
    key,
    encodeURIComponent(key),
    Buffer.from(key).toString('base64').replace(/=+$/, ''),
    Buffer.from(key).toString('hex'),
  ];
  const patterns = forms.map(escapePattern);
  if (key.length >= identifyingPrefix * 2)
    patterns.push(`${escapePattern(key.slice(0, identifyingPrefix))}[\\x21-\\x7e]*`);
  const anyForm = new RegExp(patterns.join('|'), 'g');
  return (text) => text.replace(anyForm, '[API key]');
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
