import { stemmer } from 'stemmer';
import { withFewAccents } from '../../../web/crawl/pages/search/words.ts';

/** Words of every English text, which say nothing about what it is about. They are neither indexed nor looked up. */
const ofEveryText = `
  a about above after again all also am an and another any anybody anyone anything are aren't as at be because been before being below between both but by
  can can't cannot could couldn't did didn't do does doesn't doing don't down during each either else even ever every everything for from further get gets getting
  give gives given go goes going got had hadn't happen happens has hasn't have haven't having he help hello her here hers herself hi him himself his how i i'd i'll i'm i've if in into is isn't
  it it's its itself just know let let's lets like may me mean means might mine more most much must my myself need no nor not nothing now of off ok okay on once one only onto or other others our
  ours out over own per please possible put really same shall she should shouldn't show so some somebody someone something still such tell than thanks that that's the their theirs them
  themselves then there there's these they thing things this those though through to too try trying under until up upon us use used uses using very via vs want was wasn't way ways we
  were weren't what what's whatever when where where's whether which while who who's whom whose why will with within without won't work working works would wouldn't
  yet you you'd you'll you're you've your yours yourself
  cant couldnt didnt doesnt dont hasnt havent hows im isnt ive shouldnt thats theres wasnt werent whats wheres whos wont wouldnt`;
const stopWords = new Set(ofEveryText.trim().split(/\s+/));

/** Whether a word is of every English text. */
export function isStopWord(word: string): boolean {
  return stopWords.has(word.toLowerCase().replace(/[’‘]/g, "'"));
}

/** Returns the words of a text: `X-Service-Signature`, `crawl.page`, `v2/browser` and `saveChanges` are one word each, VS Code too, `100,000` is 100000. */
export function wordsOf(text: string): string[] {
  const plain = withFewAccents(text)
    .normalize('NFKC')
    .replace(/\b(?:VS|Visual Studio) Code\b/gi, 'VSCode')
    .replace(/[’‘]/g, "'")
    .replace(/(?<=\d),(?=\d{3}(?!\d))/g, '');
  return plain.match(/[\p{L}\p{N}]+(?:[._\-'/][\p{L}\p{N}]+)*/gu) ?? [];
}

/** Returns the terms that a text is found by, without stop words. */
export function termsOf(text: string): string[] {
  return wordsOf(text).flatMap((word) => (isStopWord(word) ? [] : formsOf(word)));
}

/** Caches the forms: the same words occur again and again. */
const known = new Map<string, readonly string[]>();
const mostKnown = 20_000;

/** Returns the terms of a word: its stem and, for an identifier such as `data.scrapeId`, those of its members and their parts. */
export function formsOf(word: string): readonly string[] {
  let forms = known.get(word);
  if (!forms) {
    const members = word.split(/[._\-'/]/);
    const parts = members.flatMap((member) => member.split(/(?<=\p{Ll}|\d)(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u));
    const all = parts.length > 1 ? [word, ...members, ...parts].filter((form) => form.length > 1) : [word];
    forms = [...new Set(all.map((form) => stemmer(form.toLowerCase())))];
    if (known.size >= mostKnown) known.clear();
    known.set(word, forms);
  }
  return forms;
}
