// Controls but tab and line feed, separators, soft hyphens, bidirectional marks and overrides, zero-width characters,
// fillers, tag characters and selectors that stand where there is nothing to select.
const hidden =
  /(?:[[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[\t\n\u200d\ufe0e\ufe0f]]|(?<!\p{Emoji})[\ufe0e\ufe0f]|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d)+/gv;

const mostNamed = 3;

/**
 * A foreign text in which every character that cannot be seen is named: `⟦U+202E⟧`. Tabs, line feeds and the joiners
 * within emoji stay; CR LF becomes LF. What comes out holds no hidden character and stays as it is when it goes in again.
 */
export function visibleText(text: string): string {
  return text.toWellFormed().replaceAll('\r\n', '\n').replace(hidden, named);
}

function named(run: string): string {
  const names = [...run].map((character) => `U+${hex(character)}`);
  if (names.length <= mostNamed) return `⟦${names.join(' ')}⟧`;
  return `⟦${names.slice(0, mostNamed).join(' ')} … ${names.length} invisible characters⟧`;
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
