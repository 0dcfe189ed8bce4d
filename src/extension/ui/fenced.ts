/** Returns code as a block of Markdown. Its fence is longer than any run of backticks in the code, so the code can't end it. */
export function fenced(code: string, language = ''): string {
  const mark = '`'.repeat(Math.max(3, ...[...code.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${mark}${language}\n${code}\n${mark}`;
}
