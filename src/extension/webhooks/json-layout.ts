const deepestIndent = 60;
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

/**
 * JSON laid out over lines with nothing but its white space changed: numbers of any length, keys that come twice and
 * odd spellings stay as they were sent. What is no JSON is given back as it is.
 */
export function layOutJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const found = text.match(tokens) ?? [];
  const parts: string[] = [];
  let depth = 0;
  const line = () => parts.push('\n', '  '.repeat(Math.min(depth, deepestIndent)));
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
