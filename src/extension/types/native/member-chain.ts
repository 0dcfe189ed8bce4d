const parentheses = /\((?:[^()'"`]|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)*\)/g;
const sessionChain = /(?<![\w$.])(?:page|context|browser)(?:\??\.[\w$]+)*\??\.[\w$]*$/;
const member = /\.[\w$]*$/;

/** What a completion after a text is about. */
export type Completed = 'session member' | 'other member' | 'name';

/** Tells whether a text ends in a member of an object of the session, such as `page.locator('li').fi`. */
export function completedAfter(text: string): Completed {
  if (!member.test(text)) return 'name';
  let chain = text;
  for (let shorter = chain.replace(parentheses, ''); shorter !== chain; shorter = chain.replace(parentheses, ''))
    chain = shorter;
  return sessionChain.test(chain.replace(/(?<!\s)\s+(?=\??\.)/g, '')) ? 'session member' : 'other member';
}

const awaitsSession = /^(?!.*=>).*\bawait[\s(]+page\b/m;
const declaresPage = /\b(?:const|let|var|function|class|import)\b(?:(?!\b(?:of|in|from)\b)[^=;\n])*\bpage\b/;

/** Whether a text awaits a `page` that it doesn't declare, as only a snippet does; any use counts in a buffer without a file. */
export function usesPage(text: string, isUntitled: boolean): boolean {
  return (isUntitled ? /\bpage\s*[.?]/ : awaitsSession).test(text) && !declaresPage.test(text);
}

/** Whether a JavaScript or TypeScript text has cells. */
export function hasCells(text: string): boolean {
  return /^[ \t]*\/\/[ \t]*%%/m.test(text);
}
