import { Script } from 'node:vm';

/** Where the last statement of a script may begin: so many places are tried, of a script of so many characters. */
const tried = { places: 10, characters: 10_000 };

/**
 * Returns an expression with the value of a script, which V8 decides how to read: as a script, whose value is that of its
 * last statement; as one that awaits, with the same value; or as the body of an async function, with `return`.
 */
export function scriptValue(script: string): string {
  const awaiting = () => [asyncBody(returningLast(script)), asyncBody(script)].find(compiles);
  // What can't be read at all fails in the page, with the error of its own text.
  const source = compiles(script) ? script : (awaiting() ?? script);
  return `(0, eval)(${JSON.stringify(source)})`;
}

const asyncBody = (body: string) => `(async () => {\n${body}\n})()`;

/** Returns a script that awaits so that it returns the value of its last statement, if that is an expression. */
function returningLast(script: string): string {
  const isShort = script.length <= tried.characters;
  const places = isShort ? [...script.matchAll(/[;\n]/g)].map(({ index }) => index + 1).slice(-tried.places) : [];
  // The longest expression is the statement: a line break ends one only where it can't go on.
  for (const place of [0, ...places]) {
    const [before, last] = [script.slice(0, place), script.slice(place).replace(/(?<![;\s])[;\s]+$/, '')];
    const isComment = compiles(asyncBody(`${before})`));
    const fits = !isComment && [before, `(\n${last}\n)`].map(asyncBody).every(compiles);
    if (fits) return `${before}return (\n${last}\n)`;
  }
  return script;
}

/** Whether V8 can compile a text. Nothing of it runs. */
function compiles(text: string): boolean {
  try {
    new Script(text);
    return true;
  } catch {
    return false;
  }
}
