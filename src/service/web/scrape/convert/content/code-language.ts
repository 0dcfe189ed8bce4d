type Attributes = Readonly<Record<string, string>>;

const prefixed =
  /(?:^|\s)(?:(?:language|lang|highlight-source|highlight-text|highlight|code)-|brush:\s*)([A-Za-z][\w+#.-]{0,30})(?=[\s;]|$)/;
/** Class names that mark code but don't name its language. */
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

/** Returns the code language in an element's classes or data attributes. */
export function codeLanguage(attributes: Attributes): string | undefined {
  const data = attributes['data-lang'] ?? attributes['data-language'];
  if (data !== undefined && /^[A-Za-z][\w+#.-]{0,30}$/.test(data)) return normalized(data);
  const { class: classes } = attributes;
  if (classes === undefined) return undefined;
  const [, named] = prefixed.exec(classes) ?? [];
  if (named !== undefined) return normalized(named);
  // highlight.js and pandoc add the bare language name to their own class.
  const tokens = classes.split(/\s+/);
  if (!tokens.includes('hljs') && !tokens.includes('sourceCode')) return undefined;
  return tokens.filter((token) => /^[a-z][\w+#-]{0,20}$/.test(token)).find((token) => normalized(token) !== undefined);
}

function normalized(language: string): string | undefined {
  const lower = language.toLowerCase();
  return noLanguage.has(lower) ? undefined : lower;
}
