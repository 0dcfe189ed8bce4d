/**
 * Returns what a handle of Playwright stands for: the beginning of an element's HTML, the text of another node, or the first
 * members of a list or an object. An empty text for anything else, of which Playwright itself has a text.
 *
 * It is run in the page, so it uses nothing from around it. Members that a getter computes are only named.
 */
export function handleText(value: unknown, maxLength: number): string {
  const nameOf = (object: object) => {
    const type: unknown = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(object) ?? {}, 'constructor')?.value;
    return typeof type === 'function' ? type.name : 'Object';
  };
  const show = (member: unknown): string => {
    if (typeof member === 'string') return JSON.stringify(member.slice(0, maxLength));
    if (typeof member === 'function') return 'function';
    if (typeof member !== 'object' || member === null) return String(member);
    return Array.isArray(member) ? `Array(${member.length})` : nameOf(member);
  };
  if (typeof value !== 'object' || value === null) return '';
  const isList = Array.isArray(value);
  let text = '';
  if (typeof Node !== 'undefined' && value instanceof Node) {
    const content = value.textContent ?? (value as Partial<Document>).documentURI ?? '';
    text = value instanceof Element ? value.outerHTML : `${value.nodeName} ${content}`;
  } else if (isList || Object.prototype.toString.call(value) === '[object Object]') {
    const members = Object.keys(value).slice(0, maxLength);
    const texts = members.map((name) => {
      const member = Object.getOwnPropertyDescriptor(value, name);
      const shown = member && 'value' in member ? show(member.value) : 'getter';
      return isList ? shown : `${name}: ${shown}`;
    });
    const name = isList ? '' : nameOf(value).replace(/^Object$/, '');
    text = isList ? `[${texts.join(', ')}]` : `${name} { ${texts.join(', ')} }`;
  }
  // White space of the page's source can be long.
  const line = text
    .slice(0, maxLength * 10)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}

/** That function, the characters of its text, and how long it is waited for: a page that shows a dialog doesn't answer. */
export const handleReading = { source: String(handleText), length: 200, timeoutMs: 500 } as const;
