type Attributes = Readonly<Record<string, string>>;

const prefixed =
  /(?:^|\s)(?:(?:language|lang|highlight-source|highlight-text|highlight|code)-|brush:\s*)([A-Za-z][\w+#.-]{0,30})(?=[\s;]|$)/;
/** Class names that mark code without saying its language. */
const noLanguage = new Set([
  'none',
  'text',
  'plaintext',
  'plain',
  'block',
  'default',
  'highlight',
  'wrapper',
  'line',
  'lines',
  'container',
  'inline',
  'notranslate',
  'nohighlight',
  'hljs',
  'sourcecode',
  'snippet',
  'box',
  'toolbar',
  'example',
  'area',
]);

/** The language that an element's classes or data attributes name for the code in it. */
export function codeLanguage(attributes: Attributes): string | undefined {
  const data = attributes['data-lang'] ?? attributes['data-language'];
  if (data !== undefined && /^[A-Za-z][\w+#.-]{0,30}$/.test(data)) return meaningful(data);
  const { class: classes } = attributes;
  if (classes === undefined) return undefined;
  const [, named] = prefixed.exec(classes) ?? [];
  if (named !== undefined) return meaningful(named);
  // highlight.js and pandoc put the bare name beside their own.
  const tokens = classes.split(/\s+/);
  if (!tokens.includes('hljs') && !tokens.includes('sourceCode')) return undefined;
  return tokens.filter((token) => /^[a-z][\w+#-]{0,20}$/.test(token)).find((token) => meaningful(token) !== undefined);
}

function meaningful(language: string): string | undefined {
  const lower = language.toLowerCase();
  return noLanguage.has(lower) ? undefined : lower;
}
