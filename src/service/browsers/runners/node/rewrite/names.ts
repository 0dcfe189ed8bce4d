/** Names in rewritten code that no other code has. */
export const own = {
  /** Of the length of what it replaces, which keeps columns. */
  import: '\u0131mport',
  /** Takes the accessors of the variables that the code declares. */
  declare: '\u0131declare',
  /** Returns a function whose declaration has an alias with its name. */
  named: '\u0131named',
  /** Has the variables of the session, of which V8 reads a property faster than a name. */
  session: '\u0131\u0237',
  this: '\u0131this',
  result: '\u0131result',
} as const;

/** What stands around all that rewriting inserts: white space that no code has in this order. */
export const inserted = { start: '\u1680\u205f', end: '\u205f\u1680' } as const;
export const insertions = /\u1680\u205f([^\u205f]*)\u205f\u1680/g;

/** Returns a read of one of the session's variables. */
export function memberOf(name: string): string {
  return `${own.session}.${name}`;
}

/** Makes the source of a function what the snippet has: it may be sent to a page. */
export function showOriginalSource(): void {
  const toSource = Function.prototype.toString;
  const replacement = {
    toString(this: unknown) {
      const source: string = toSource.call(this);
      return source.replace(insertions, '').replaceAll(own.import, 'import');
    },
  };
  Object.defineProperty(Function.prototype, 'toString', { value: replacement.toString });
}

/** Returns an error's text without what rewriting left in it: V8 shows the callee of a call. */
export function originalMessage(text: string): string {
  return text
    .replaceAll(memberOf(''), '')
    .replace(/\(0 , ([\p{ID_Continue}$]+)\)/gu, '$1')
    .replaceAll(own.import, 'import');
}
