const parentheses = /\((?:[^()'"`]|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)*\)/g;
const sessionChain = /(?<![\w$.])(?:page|context|browser)(?:\??\.[\w$]+)*\??\.[\w$]*$/;
const member = /\.[\w$]*$/;

/** What a completion after a text is about. */
export type Completed = 'session member' | 'other member' | 'name';

/** Characters that a chain of calls may have, and parentheses within each other. */
const most = { length: 100_000, depth: 50 };

/** Tells whether a text ends in a member of an object of the session, such as `page.locator('li').fi`. */
export function completedAfter(text: string): Completed {
  if (!member.test(text)) return 'name';
  let chain = text.slice(-most.length);
  for (let depth = 0; depth < most.depth; depth++) {
    const shorter = chain.replace(parentheses, '');
    if (shorter === chain) break;
    chain = shorter;
  }
  return sessionChain.test(chain.replace(/(?<!\s)\s+(?=\??\.)/g, '')) ? 'session member' : 'other member';
}

const awaitsSession = /^(?!.*=>).*\bawait[\s(]+page\b/m;
const ofDeclarations = /[=;\n]|\b(?:const|let|var|function|class|import|of|in|from|page)\b/g;

/** Whether a declaration has the name `page` before its value. */
function declaresPage(text: string): boolean {
  let isDeclared = false;
  for (const [word] of text.matchAll(ofDeclarations)) {
    if (word === 'page' && isDeclared) return true;
    if (word !== 'page') isDeclared = /^(?:const|let|var|function|class|import)$/.test(word);
  }
  return false;
}

/** Whether a text awaits a `page` that it doesn't declare, as only a snippet does; any use counts in a buffer without a file. */
export function usesPage(text: string, isUntitled: boolean): boolean {
  return (isUntitled ? /\bpage\s*[.?]/ : awaitsSession).test(text) && !declaresPage(text);
}

/** Whether a JavaScript or TypeScript text has cells. */
export function hasCells(text: string): boolean {
  return /^[ \t]*\/\/[ \t]*%%/m.test(text);
}
