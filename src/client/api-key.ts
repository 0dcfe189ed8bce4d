const longestKey = 4096;
/** Keys shorter than this are words that may stand in any text. */
const shortestRedacted = 6;
/** This much of a key's start already gives it away. */
const tellingPrefix = 8;

/** What is wrong with a key, as a sentence that does not hold it; undefined when it may be sent. */
export function apiKeyProblem(key: string): string | undefined {
  if (key === '') return 'The API key is empty.';
  if (key.length > longestKey)
    return `The API key is too long: expected at most ${longestKey.toLocaleString('en-US')} characters.`;
  if (/[\s\p{Cc}]/u.test(key)) {
    return 'The API key holds a space, a line break or a control character. Copy it again, without what stands around it.';
  }
  if (!/^[\x21-\x7e]+$/.test(key))
    return 'The API key holds characters that no key has: expected printable ASCII. Copy it again.';
  return undefined;
}

/** A function that takes a key, its encoded forms and its telling beginning out of a text. */
export function keyRedactor(key: string | undefined): (text: string) => string {
  if (key === undefined || key.length < shortestRedacted) return (text) => text;
  const forms = [
    key,
    encodeURIComponent(key),
    Buffer.from(key).toString('base64').replace(/=+$/, ''),
    Buffer.from(key).toString('hex'),
  ];
  const patterns = forms.map(escapePattern);
  if (key.length >= tellingPrefix * 2) patterns.push(`${escapePattern(key.slice(0, tellingPrefix))}[\\x21-\\x7e]*`);
  const anyForm = new RegExp(patterns.join('|'), 'g');
  return (text) => text.replace(anyForm, '[API key]');
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
