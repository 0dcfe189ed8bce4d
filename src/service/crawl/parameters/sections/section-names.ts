const listed = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Words that say nothing about which section is meant. */
const fillers = listed(
  'the a an all any every each its it their this that these those of our your my his her both either neither ' +
    'in on under from at within inside below beneath about with for to into onto be is are was were been being by as via per over ' +
    'everything anything nothing something things stuff content contents information info data details material pages page urls url ' +
    'section sections part parts area areas folder folders directory directories subtree path paths link links category categories ' +
    'site sites website websites webpage webpages domain online please too also only just ones one them they there here where ' +
    'related relevant regarding concerning located living found named called whatever else whole entire rest together ' +
    'i we you us me want need like would should could can will may must do does not no and or plus such as well yes more ok okay fine shown ' +
    'so that which what who then than etc crawl crawling scrape scraping fetch get go going visit visited thanks thank hi hello hey ' +
    'make sure ensure when since because let have has lies lie kind crawler crawled scraped agent job task way possible ' +
    'like love prefer wish rather start begin starting however though although but while',
);
/** Words that can describe the content of a section as well as name one: `developer docs`. */
export const descriptive = listed('doc docs documentation material reference');
/** Words for the content of a section; on their own they name it. */
const nouns = listed(
  'posts post articles article entries entry stories story items item documents document results result',
);
/** `about` alone is the name of a section. */
const aboutPages = /^\s*(?:the\s+)?about(?:\s+us)?(?:\s+(?:pages?|section))?\s*$/i;
const sectionWords = /\b(?:sections?|parts?|areas?|folders?|director(?:y|ies)|subtree|categor(?:y|ies))\b/i;
/** Words that start a description of pages rather than the name of a section. */
const qualifiers =
  /\b(?=(?:with|for|since|after|before|published|posted|updated|written|created|modified|that|which|whose|who|where|by|as|using|between|during|older|newer|longer|shorter|larger|bigger|\w+er than|more than|less than|tagged|mentioning|every(?= (?:\d|day|hour|week|month|night|morning|time))|once|per|even|twice|daily|weekly|again|because|so that)\b)/i;
const places =
  /\b(?:in|under|below|beneath|within|inside|from|on|about|at|to|into|regarding|concerning|related\s+to)\b/i;

/** Sections that many sites have; they are assumed even if the site doesn't show them. */
const wellKnown = listed(
  'help-center help-centre blog blogs doc docs documentation guide guides tutorial tutorials news pricing price prices faq faqs help support api apis reference references ' +
    'product products shop store catalog catalogue changelog changelogs releases about career careers jobs forum forums community admin ' +
    'login logout signin signup register account accounts cart checkout basket example examples articles posts press media events event terms ' +
    'legal privacy recipe recipes gallery portfolio projects project team contact services service solutions resources resource learn academy courses course ' +
    'customers case-studies whitepapers webinars podcast podcasts download downloads archive archives tags tag authors author ' +
    'search users user profile profiles wiki knowledge-base handbook manual manuals integrations plugins themes templates status security partners',
);

const languages: Readonly<Record<string, string>> = {
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

/** A phrase of an enumeration that says which pages are meant. */
export interface Phrase {
  text: string;
  /** The words that say which. */
  words: string[];
  /** Whether it is called a section, a folder or similar. */
  isSection: boolean;
  /** Whether it names only the content of sections, such as articles. */
  isBare: boolean;
  /** All words but the fillers. */
  all: string[];
  /** What it says about pages besides naming a section, as `published in May` does; empty if it says nothing. */
  qualifier: string;
}

/** Returns the phrases of an enumeration: `the blog, all guides and API pages with code` has three. */
export function phrasesOf(text: string): Phrase[] {
  return text
    .split(/[,;()[\]]|\s&\s|\b(?:and|or|plus|as\s+well\s+as|nor|along\s+with|together\s+with)\b/i)
    .map((piece) => {
      const at = piece.search(qualifiers);
      if (at < 0) return phraseOf(piece);
      const qualifier = phraseOf(piece.slice(at));
      return { ...phraseOf(piece.slice(0, at)), qualifier: qualifier.words.length > 0 ? qualifier.text : '' };
    })
    .filter(({ words, qualifier }) => words.length > 0 || qualifier !== '');
}

/** Splits a phrase at the words for places: `posts in German from the blog`. */
export function placesIn({ text }: Phrase): Phrase[] {
  const parts = text.split(places);
  return parts.length < 2 ? [] : parts.map(phraseOf).filter(({ words, isBare }) => words.length > 0 && !isBare);
}

function phraseOf(text: string): Phrase {
  const tokens = (text.match(/[\p{L}\p{N}][\p{L}\p{N}_'-]*/gu) ?? []).map((token) => token.toLowerCase());
  const meaning = tokens.filter((token) => !fillers.has(token) && token.length > 1);
  if (meaning.length === 0 && aboutPages.test(text)) meaning.push('about');
  const specific = meaning.filter((token) => !nouns.has(token));
  return {
    text: text.trim(),
    words: specific.length > 0 ? specific : meaning,
    isSection: sectionWords.test(text),
    isBare: specific.length === 0,
    all: meaning,
    qualifier: '',
  };
}

/** Returns whether a name is that of a section that many sites have. */
export function isWellKnown(words: readonly string[]): boolean {
  return wellKnown.has(words.join('-')) || (words.length <= 2 && words.every((word) => wellKnown.has(word)));
}

/** Returns the code that paths use for a language, if the words name one. */
export function languageCode([word = '', ...others]: readonly string[]): string | undefined {
  return others.length === 0 || others.every((other) => /^(?:language|version)$/.test(other))
    ? languages[word]
    : undefined;
}
