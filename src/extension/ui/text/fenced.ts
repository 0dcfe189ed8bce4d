/** Returns code as a block of Markdown. Its fence is longer than any run of backticks in the code, so the code can't end it. */
export function fenced(code: string, language = ''): string {
  const longest = (code.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2);
  const mark = '`'.repeat(longest + 1);
  return `${mark}${language}\n${code}\n${mark}`;
}
