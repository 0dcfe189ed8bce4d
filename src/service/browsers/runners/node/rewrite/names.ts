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
  ignored: '\u0131ignored',
} as const;

/** Stands in front of the name that a function is declared under, if its own is a variable of the session. */
export const aliasMark = '\u0237';
const aliases = new Set<string>();

export function aliasOf(name: string): string {
  aliases.add(name);
  return aliasMark + name;
}

/** What stands around a callee, so that a call has no `this`, and before it if the line above may lack a semicolon. */
export const bareCallee = { start: '(0,\ufeff', end: '\ufeff)', lineStart: ';\ufeff(0,\ufeff' } as const;

/** Returns a read of one of the session's variables. */
export function memberOf(name: string): string {
  return `${own.session}.${name}`;
}

/** Returns what stands before a property that is written as its value only. */
export function propertyStart(name: string): string {
  return `${name}:\ufeff`;
}

/** Replaces what rewriting made of a text with the original. */
function original(text: string): string {
  return text
    .replaceAll(own.import, 'import')
    .replace(/[\p{ID_Continue}$]+:\ufeff/gu, '')
    .replaceAll(memberOf(''), '')
    .replace(/(?:;\ufeff)?\(0,\ufeff([^\ufeff]*)\ufeff\)/g, '$1')
    .replace(/\u0237([\p{ID_Continue}$]+)/gu, (all, name: string) => (aliases.has(name) ? name : all));
}

/** Makes the source of a function what the snippet has: it may be sent to a page. */
export function showOriginalSource(): void {
  const toSource = Function.prototype.toString;
  const replacement = {
    toString(this: unknown) {
      const source: string = toSource.call(this);
      return /[\u0131\u0237\ufeff]/.test(source) ? original(source) : source;
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
