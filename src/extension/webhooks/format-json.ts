const maxIndentDepth = 60;
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

/**
 * Indents JSON, changing only its whitespace: long numbers, duplicate keys and unusual escapes stay as they were sent.
 * Returns text that isn't JSON unchanged.
 */
export function formatJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const found = text.match(tokens) ?? [];
  const parts: string[] = [];
  let depth = 0;
  const line = () => parts.push('\n', '  '.repeat(Math.min(depth, maxIndentDepth)));
  for (const [index, token] of found.entries()) {
    const next = found[index + 1];
    if (token === '{' || token === '[') {
      parts.push(token);
      if (next === '}' || next === ']') continue;
      depth++;
      line();
    } else if (token === '}' || token === ']') {
      const before = found[index - 1];
      if (before !== '{' && before !== '[') {
        depth--;
        line();
      }
      parts.push(token);
    } else if (token === ',') {
      parts.push(token);
      line();
    } else parts.push(token === ':' ? ': ' : token);
  }
  return `${parts.join('')}\n`;
}
