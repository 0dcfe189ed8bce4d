import { type Evidence, type OwnTexts, ownText } from './evidence.ts';

const most = 3;
const fromEach = 2;

/**
 * Questions that our own texts answer beside those of the evidence: the headings that come next, where they are questions.
 * @param asked questions that need not be suggested
 */
export async function followUps(
  evidence: readonly Evidence[],
  asked: Iterable<string>,
  texts: OwnTexts,
): Promise<string[]> {
  const names = await texts.names();
  const known = new Set([...asked].map(plain));
  const found: string[] = [];
  const places = evidence.flatMap(({ pathOrUrl }) => ownText(pathOrUrl) ?? []).filter(({ file }) => names.has(file));
  for (const { file } of places) for (const { text } of await usedHeadings(file)) known.add(plain(text));
  for (const { file, anchor } of places) {
    const headings = await texts.headings(file);
    const at = headings.findIndex((heading) => heading.anchor === anchor);
    const next = [...headings.slice(at + 1), ...headings.slice(0, Math.max(0, at)).reverse()]
      .map(({ text }) => text)
      .filter((text) => text.endsWith('?') && text.length <= 120 && !known.has(plain(text)))
      .slice(0, fromEach);
    for (const question of next) {
      if (found.length >= most) return found;
      known.add(plain(question));
      found.push(question);
    }
  }
  return found;

  async function usedHeadings(file: string) {
    const headings = await texts.headings(file);
    return headings.filter(({ anchor }) => places.some((place) => place.file === file && place.anchor === anchor));
  }
}

function plain(question: string): string {
  return question
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
