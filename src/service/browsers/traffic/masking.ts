/** What stands for a secret. */
export const mask = '•••';

const secretHeader = /^(?:proxy-)?authorization$|cookie|token|api-?key|secret|password/i;
/** Bounded, like all that repeats here: a page decides what is matched, and must not make it slow. */
const named =
  '[^"&=?\\s]{0,60}(?:passw|passphrase|kennwort|secret|token|api_?key|(?<![a-z])(?:pwd|pass)(?![a-z]))[^"&=?\\s]{0,60}';
const inForm = new RegExp(`((?:^|[&?])${named}=)[^&#]+`, 'gi');
const inJson = new RegExp(`("${named}"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)+"`, 'gi');
const inParts = new RegExp(`(name="${named}"(?:\\r\\n[^\\r]{1,500}){0,10}\\r\\n\\r\\n)[^\\r]+`, 'gi');

/** A type and not an interface, so that it may have further fields in responses. */
export type Header = {
  name: string;
  value: string;
};

/** Masks what logs a person in: the header stays, so that one sees that it was sent. */
export function maskHeaders(headers: readonly Header[]): Header[] {
  return headers.map(({ name, value }) => ({
    name,
    value: secretHeader.test(name) ? mask : /^(?:location|referer)$/i.test(name) ? maskUrl(value) : value,
  }));
}

/** Masks passwords and tokens in a body: of a form, in JSON or in parts. */
export function maskText(text: string): string {
  return text.replace(inJson, `$1"${mask}"`).replace(inParts, `$1${mask}`).replace(inForm, `$1${mask}`);
}

/** Masks passwords and tokens in a URL. */
export function maskUrl(url: string): string {
  return url.replace(/^(\w+:\/\/)[^/?#@]*@/, `$1${mask}@`).replace(inForm, `$1${mask}`);
}
