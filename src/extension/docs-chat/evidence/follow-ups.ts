import { type BundledDocs, type Evidence, parseBundledAddress } from './evidence.ts';

const maxQuestions = 3;
const maxPerSource = 2;

/**
 * Suggests questions from the bundled docs: the headings nearest to the evidence that are questions.
 * @param asked questions to leave out
 */
export async function followUps(
  evidence: readonly Evidence[],
  asked: Iterable<string>,
  docs: BundledDocs,
): Promise<string[]> {
  const names = await docs.names();
  const known = new Set([...asked].map(normalized));
  const found: string[] = [];
  const places = evidence
    .flatMap(({ pathOrUrl }) => parseBundledAddress(pathOrUrl) ?? [])
    .filter(({ file }) => names.has(file));
  for (const { file } of places) for (const { text } of await usedHeadings(file)) known.add(normalized(text));
  for (const { file, anchor } of places) {
    const headings = await docs.headings(file);
    const at = headings.findIndex((heading) => heading.anchor === anchor);
    const next = [...headings.slice(at + 1), ...headings.slice(0, Math.max(0, at)).reverse()]
      .map(({ text }) => text)
      .filter((text) => text.endsWith('?') && text.length <= 120 && !known.has(normalized(text)))
      .slice(0, maxPerSource);
    for (const question of next) {
      if (found.length >= maxQuestions) return found;
      known.add(normalized(question));
      found.push(question);
    }
  }
  return found;

  async function usedHeadings(file: string) {
    const headings = await docs.headings(file);
    return headings.filter(({ anchor }) => places.some((place) => place.file === file && place.anchor === anchor));
  }
}

function normalized(question: string): string {
  return question
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
