/** Words that say nothing about which section is meant. */
const fillers = new Set(
  (
    'the a an all any every each its it their this that these those of our your my his her new latest recent other both either ' +
    'in on under from at within inside below beneath about with for to into onto be is are was were been being by as via per ' +
    'everything anything nothing something things stuff content contents information info data details material ' +
    'page pages section sections part parts area areas folder folders directory directories subtree path paths url urls link links ' +
    'site sites website websites webpage webpages domain web online please too also only just ones one them they there here where ' +
    'related relevant regarding concerning containing contains starting start beginning begins named called level levels top ' +
    'crawl crawling scrape scraping fetch get me i we you us want need like would should could can will may must do does not no ' +
    'and or plus well such kind kinds type types sort main entire whole full complete single specific particular certain ' +
    'way possible interested looking look out up over through so that which what who when if then else than etc go going ' +
    'file files html max maximum min limit first last more most less few many much some rest text go easy thanks thank hi hello ' +
    'obey respect honor honour bypass disregard treat same different similar separate distinct allow drop remove strip merge respecting ignoring following using without wait ' +
    'contain containing deeper deep further beyond away ' +
    'behind across around between against during before after since until while because make sure ensure skip ignore include exclude follow use keep let ' +
    'skipped ignored excluded included omitted avoided crawled visited fetched scraped whatever tell'
  ).split(' '),
);
/** Words for the content of a section; on their own they name it. */
const nouns = new Set(
  'posts post articles article entries entry stories story items item documents document results result'.split(' '),
);
const sectionWords =
  /\b(?:sections?|parts?|areas?|folders?|director(?:y|ies)|subtree|paths?|pages?|posts?|articles?|categor(?:y|ies))\b/i;

/** Sections that many sites have; their names count anywhere in a sentence. */
const wellKnown = new Set(
  (
    'blog blogs doc docs documentation guide guides tutorial tutorials news pricing price prices faq faqs help support api apis reference references ' +
    'product products shop store catalog catalogue changelog changelogs releases about career careers jobs forum forums community admin ' +
    'login logout signin signup register account accounts cart checkout basket example examples articles posts press media events event terms ' +
    'legal privacy recipe recipes gallery portfolio projects project team contact services service solutions resources resource learn academy courses course ' +
    'customers case-studies whitepapers webinars podcast podcasts videos video downloads download archive archives tags tag category categories author authors ' +
    'search users user profile profiles wiki knowledge-base handbook manual manuals integrations plugins themes templates features status security partners'
  ).split(' '),
);

const languages: Record<string, string> = {
  english: 'en',
  german: 'de',
  french: 'fr',
  spanish: 'es',
  italian: 'it',
  portuguese: 'pt',
  dutch: 'nl',
  polish: 'pl',
  russian: 'ru',
  japanese: 'ja',
  chinese: 'zh',
  korean: 'ko',
  turkish: 'tr',
  swedish: 'sv',
};

/** A name in a sentence. */
export interface Name {
  words: string[];
  /** Whether it is called a section, a page or similar. */
  isSection: boolean;
  /** Whether it names only the content of sections, such as articles. */
  isBare: boolean;
}

/** Returns the names in an enumeration: `the blog, all guides and API reference pages` has three. */
export function splitNames(text: string): Name[] {
  const names: Name[] = [];
  for (const piece of text.split(
    /[,;()[\]]|\s&\s|\b(?:and|or|plus|as\s+well\s+as|nor|along\s+with|together\s+with)\b/i,
  )) {
    const tokens = piece.match(/[\p{L}\p{N}][\p{L}\p{N}_-]*/gu) ?? [];
    const meaning = tokens
      .map((token) => token.toLowerCase())
      .filter((token) => !fillers.has(token) && token.length > 1);
    const specific = meaning.filter((token) => !nouns.has(token));
    const words = specific.length > 0 ? specific : meaning;
    if (words.length > 0) names.push({ words, isSection: sectionWords.test(piece), isBare: specific.length === 0 });
  }
  return names;
}

/** Returns whether a name is a plural that can name a section: `no comments`, but not `no worries`. */
export function isPlural([word, ...others]: readonly string[]): boolean {
  return (
    others.length === 0 &&
    word !== undefined &&
    /[a-z]{3}s$/.test(word) &&
    !/^(?:worr|problem|limit|restriction|exception|thank|news)/.test(word)
  );
}

/** Returns whether a name is that of a section that many sites have. */
export function isWellKnown(words: readonly string[]): boolean {
  return wellKnown.has(words.join('-')) || (words.length <= 2 && words.some((word) => wellKnown.has(word)));
}

/** Returns the code that paths use for the first language named, if any. */
export function languageCode(words: readonly string[]): string | undefined {
  const codes = words.flatMap((word) => languages[word] ?? []);
  return words.length <= 2 ? codes[0] : undefined;
}
