/** Characters of a text that someone sent, where an error, a warning, a log or a message quotes it. */
const longestQuote = 200;

/**
 * Shortens a text in its middle, so that its start and its end stay: `docs.test/guide/…/install`. Whatever quotes what a
 * caller, a page, a server or a user sent does it with this.
 */
export function shorten(text: string, maxLength = longestQuote): string {
  if (text.length <= maxLength) return text;
  // A character has at most two units: whatever the text's length, only its ends are looked at.
  if (text.length <= maxLength * 2 && [...text].length <= maxLength) return text;
  const end = Math.floor((maxLength - 1) / 2);
  const start = maxLength - 1 - end;
  const first = [...text.slice(0, start * 2)].slice(0, start);
  const last = [...text.slice(text.length - end * 2)];
  return `${first.join('')}…${last.slice(last.length - end).join('')}`;
}

/** Lists the first few of what someone sent, each shortened: `a, b and 998 more`. */
export function listed(texts: readonly string[], most = 5, maxLength = 60): string {
  const list = texts
    .slice(0, most)
    .map((text) => shorten(text, maxLength))
    .join(', ');
  return texts.length > most ? `${list} and ${texts.length - most} more` : list;
}

// Tag characters and other invisible ones of plane 14, overrides of the direction of text, and control characters.
const hidden = /[\u{E0000}-\u{E0FFF}\u202a-\u202e\u2066-\u2069[\p{Cc}--[\t\n\r]]]/gv;

/**
 * Removes what can hide a message from the person who looks at the same text: a model reads it, nobody sees it. Characters
 * that languages and emoji need, such as joiners, stay.
 */
export function withoutHidden(text: string): string {
  return text.replaceAll(hidden, '');
}
