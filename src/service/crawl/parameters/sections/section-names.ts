const listed = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Words that say nothing about which section is meant, and never whether it is wanted. */
export const fillers = listed(
  'the a an all any every each its it their this that these those of our your my his her both either ' +
    'in on under from at within inside below beneath about with for to into onto be is am are was were being by as via per over ' +
    'everything anything something things stuff details pages page urls url subtree path paths link links ' +
    'site sites website websites webpage webpages domain online please pls plz kindly too also only just ones one them they there here where ' +
    'related relevant regarding concerning located living listed found named called whatever else whole entire rest together ' +
    'i we you us me want need like would should could can will may must do does and or plus such as well yes more ok okay fine shown ' +
    'so that which what who then than etc crawl crawling scrape scraping fetch get go going visit visited thanks thank hi hello hey ' +
    'make sure ensure when since because let have has lies lie kind crawler crawled scraped agent job task way possible ' +
    'like love prefer wish rather start begin starting however though tho although but while simply really actually same max maximum tops completely entirely altogether fully ever always totally absolutely strictly u s t ' +
    'first mainly mostly primarily careful especially particularly specifically now again',
);
/** Words for a section or its content that seldom are a part of its name, as `directory` in `staff directory` is. */
export const generic = listed(
  'content contents information info data material section sections part parts area areas folder folders ' +
    'directory directories category categories chapter chapters version versions edition editions',
);
/** Words that can describe the content of a section as well as name one: `developer docs`, `migration guides`. */
export const descriptive = listed('doc docs documentation material reference guide guides tutorial tutorials');
/** Words for the content of a section; on their own they name it. */
export const nouns = listed(
  'posts post pieces piece coverage articles article entries entry stories story items item documents document results result',
);
export const sectionWords = /\b(?:sections?|parts?|areas?|folders?|director(?:y|ies)|subtree|categor(?:y|ies))\b/i;

/** Sections that many sites have; they are assumed even if the site doesn't show them. */
const wellKnown = listed(
  'help-center help-centre blog blogs doc docs documentation guide guides tutorial tutorials news pricing price prices faq faqs help support api apis reference references ' +
    'product products shop store catalog catalogue changelog changelogs releases about career careers jobs forum forums community admin ' +
    'login logout signin signup register account accounts cart checkout basket example examples articles posts press media events event terms ' +
    'legal privacy recipe recipes gallery portfolio projects project team contact services service solutions resources resource learn academy courses course ' +
    'customers case-studies whitepapers webinars podcast podcasts download downloads archive archives tags tag authors author ' +
    'search users user profile profiles wiki knowledge-base handbook manual manuals integrations plugins themes templates status security partners',
);

const languages = new Map(
  Object.entries({
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
  }),
);

/** Returns whether a name is that of a section that many sites have. */
export function isWellKnown(words: readonly string[]): boolean {
  return wellKnown.has(words.join('-'));
}

/** Returns the code that paths use for a language, if the words name one. */
export function languageCode([word = '', ...others]: readonly string[]): string | undefined {
  return others.every((other) => other === 'language') ? languages.get(word) : undefined;
}
