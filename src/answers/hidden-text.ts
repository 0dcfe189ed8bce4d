// Tag characters and other invisible ones of plane 14, overrides of the direction of text, and control characters.
const hidden = /[\u{E0000}-\u{E0FFF}\u202a-\u202e\u2066-\u2069[\p{Cc}--[\t\n\r]]]/gv;

/**
 * Removes what can hide a message from the person who looks at the same text: a model reads it, nobody sees it. Characters
 * that languages and emoji need, such as joiners, stay.
 */
export function withoutHidden(text: string): string {
  return text.replaceAll(hidden, '');
}
