import { type Draft, phraseAt } from './phrases.ts';
import { type Derived, parametersByRules } from './rules.ts';
import { lemmaOf, tokensOf } from './tokens.ts';
import { unitsOf } from './units.ts';

/**
 * Checks what a language model made of a sentence. An amount, a path or a user agent has to be in the sentence, and an
 * option has to be named in it; what isn't, or what the rules read in the opposite way, is `guessed`.
 */
export function checked(
  parameters: Draft,
  prompt: string,
  start: URL,
  siteUrls: readonly string[],
): Pick<Derived, 'parameters' | 'sources' | 'guessed'> {
  const byRules = parametersByRules(prompt, start, siteUrls);
  const tokens = tokensOf(prompt, start.hostname);
  const numbers = unitsOf(tokens).flatMap((unit) => (unit.is === 'number' ? [unit.value] : []));
  const words = new Set(tokens.flatMap(({ text }) => lemmasOf(text)));
  const named = new Set<string>(
    tokens.flatMap((_, index) => {
      const meaning = phraseAt(tokens.slice(index))?.meaning;
      if (meaning?.is !== 'option' && meaning?.is !== 'all') return [];
      return Object.keys({ ...meaning.wanted, ...meaning.only, ...meaning.denied });
    }),
  );
  const isNamed = (name: keyof Draft, value: unknown): boolean => {
    if (typeof value === 'number') return numbers.some((one) => sameAmount(one, value)) || named.has(name);
    if (typeof value === 'boolean' || name === 'sitemap') return named.has(name);
    // A language stands in a path with its code.
    const texts = Array.isArray(value) ? value : [value];
    return texts.every((text) => lemmasOf(String(text)).some((word) => words.has(word)));
  };
  const entries = Object.entries(parameters) as [keyof Draft, unknown][];
  const same = (name: keyof Draft, value: unknown) =>
    JSON.stringify(byRules.parameters[name]) === JSON.stringify(value);
  const differs = (name: keyof Draft, value: unknown) =>
    typeof value !== 'object' && byRules.parameters[name] !== undefined && !same(name, value);
  return {
    parameters,
    sources: Object.fromEntries(
      Object.entries(byRules.sources).filter(([name]) => same(name as keyof Draft, parameters[name as keyof Draft])),
    ),
    guessed: entries
      .filter(([name, value]) => !same(name, value) && (differs(name, value) || !isNamed(name, value)))
      .map(([name]) => name),
  };
}

function lemmasOf(text: string): string[] {
  return (text.toLowerCase().match(/\p{L}[\p{L}\p{N}]+/gu) ?? []).map(lemmaOf);
}

/** Whether a number of a sentence can be this amount, with the units and rates that sentences use. */
function sameAmount(written: number, value: number): boolean {
  return [written, written / 1000, written * 60, written * 3600, 1 / written, 60 / written, 3600 / written].some(
    (one) => Math.abs(one - value) < 0.001,
  );
}
