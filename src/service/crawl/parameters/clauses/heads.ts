import { unclear } from '../tokens.ts';

/** What a word that starts a request does to what it is about. */
export type HeadKind = 'not' | 'negative' | 'positive' | 'only' | 'except' | 'but' | 'condition';

export interface Head {
  kind: HeadKind;
  start: number;
  end: number;
  text: string;
}

const verbs = (...names: string[]): string => names.map((name) => name.replace(/ /g, '\\s+')).join('|');

const negative = verbs(
  'skip(?:s|ping)?',
  'ignor(?:es?|ing)',
  'exclud(?:es?|ing)',
  'omit(?:s|ting)?',
  'avoid(?:s|ing)?',
  'leav(?:e|ing) out',
  'drop(?:s|ping)?',
  'remov(?:es?|ing)',
  'strip(?:s|ping)?(?: (?:off|out|away))?',
  'disregard(?:s|ing)?',
  'bypass(?:es|ing)?',
  'overrid(?:e|ing)',
  'forget(?: about)?',
  'miss(?:ing)?',
  'overlook(?:ing)?',
  '(?:stay(?:ing)?|keep(?:ing)?) (?:well )?(?:away from|out of|off|clear of)',
  'stop(?:ping)?(?= \\w+ing\\b)',
  'refus(?:e|ing) to',
  'block(?:ing)?',
  'reject(?:ing)?',
  'disallow(?:ing)?',
  'disabl(?:e|ing)',
  '(?:turn|switch) off',
  'filter(?:ing)? out',
  'discard(?:ing)?',
  'minus',
  'never mind',
  '(?:exclusions?|ignored|skipped|excluded|out of scope|not in scope|(?:block|deny|black)-?list)(?=\\s*:)',
  'regardless of',
  'no matter',
  'despite',
  'rather than',
  'instead of',
  '(?<=\\brather\\b.*)than',
  '(?:get(?:ting)?|be) rid of',
  '(?:leav(?:e|ing)|tak(?:e|ing)|throw(?:ing)?|cut(?:ting)?|rul(?:e|ing)) (?:out|away)',
  'steer(?:ing)? clear of',
  '(?:forbid|prohibit|ban|exempt|prun|eliminat|hid)(?:e|den|ting|ning|ing)?',
);
const positive = verbs(
  'crawl(?:s|ing)?',
  'scrap(?:e|es|ing)',
  'fetch(?:es|ing)?',
  'get(?:ting)?(?! started| rid)',
  'grab(?:bing)?',
  'collect(?:ing)?',
  'gather(?:ing)?',
  'visit(?:s|ing)?',
  'includ(?:es?|ing)',
  'follow(?:s|ing)?',
  'allow(?:s|ing)?',
  'permit(?:ting)?',
  'enabl(?:e|ing)',
  'accept(?:ing)?',
  'us(?:e|ing)',
  'want(?:s|ing)?',
  'need(?:s|ing)?',
  'read(?:ing)?',
  'tak(?:e|ing)',
  'keep(?:ing)?',
  'obey(?:ing)?',
  'respect(?:ing)?',
  'honou?r(?:ing)?',
  'observ(?:e|ing)',
  'heed(?:ing)?',
  'index(?:ing)?',
  'download(?:ing)?',
  'extract(?:ing)?',
  'find(?:ing)?',
  'cover(?:ing)?',
  'captur(?:e|ing)',
  'pull(?:ing)?',
  'consider(?:ing)?',
  'check(?:ing)?',
  'explor(?:e|ing)',
  'look(?:ing)? (?:at|into|for)',
  'go(?:ing)?(?: (?:off to|to|into|through|near))?',
  'enter(?:ing)?',
  'open(?:ing)?',
  'access(?:ing)?',
  'touch(?:ing)?',
  'treat(?:ing)?',
  'show me',
  'leav(?:e|ing) in',
  '(?:scope|in scope|inclusions?|included|(?:allow|white)-?list|targets?)(?=\\s*:)',
  'give me',
  'start(?:ing)? with',
  'sav(?:e|ing)',
  'load(?:ing)?',
  'request(?:ing)?',
  'process(?:ing)?',
  'return(?:ing)?',
  '(?:wander|stray|ventur)(?:e|ing)?(?: off)? (?:in)?to',
  'have',
  'rely on',
  '(?:descend|div|step)(?:e|ing)?(?: (?:down )?(?:to|into))?',
  '(?:am |are |is )?interested in',
  'care (?:about|for)',
  'bother(?:ing)? with',
  '(?:am |are |is )(?:after|looking for)',
  'hit(?:ting)?',
  'harvest(?:ing)?',
  'ingest(?:ing)?',
  'import(?:ing)?',
  'retriev(?:e|ing)',
  'spider(?:ing)?',
  'travers(?:e|ing)',
  'brows(?:e|ing)',
  'scan(?:ning)?',
  'mirror(?:ing)?',
);
const only = verbs(
  'nothing (?:but|except|other than|besides|beyond)',
  'no (?:\\w+ )?pages (?:but|except|other than|outside(?: of)?)',
  'only',
  'alone',
  'just',
  'solely',
  'exclusively',
  'purely',
  'focus(?:ing|ed)? on',
  'concentrat(?:e|ing) on',
  '(?:limit|restrict|confin)(?:e|ed|ing)? (?:\\w+ ){0,3}to',
  '(?:stay|stick|keep|remain)(?:ing)? (?:only )?(?:on|with|within|inside|to|in|under|below|beneath)(?= )',
);
const not = verbs(
  '(?:(?:is|are|was) )?not (?:necessary|required|needed|important|useful|supposed) (?:to|for)',
  '(?:do|does|should|must|can|may|shall|will|would|need|is|are|did|could|had) (?:\\w+ly )?not(?: ever)?',
  'ought not',
  '(?:under|in|on|by) no (?:circumstances?|cases?|account|means|event)',
  'never',
  'there (?:should|must|may|shall|can|do|does|is|are) not(?: be)?(?: any)?',
  'no (?:interest|use|need) (?:in|for|of)',
  'not (?:a single|one|any)(?: of)?',
  'not',
  'no (?:need|reason|point|sense) (?:to|for|in)',
  'nothing',
  'none(?: of)?',
  'no',
  'nor',
  'neither',
  'without',
  'sans',
  'w/o',
  'refrain(?:ing)? from',
);
const except = verbs(
  '(?:that|which|who) (?:is|are|do|does) not(?: (?:in|under|about|belong to|belonging to|part of))?',
  'except(?:ing)?(?: for)?',
  'other than',
  'apart from',
  'aside from',
  'besides',
  '(?:with )?no exceptions? (?:other than|but|besides|except(?: for)?)',
  'exceptions?(?=\\s*:)',
  'barring',
  'bar',
  '(?:with )?the (?:sole |only |one )?exceptions? (?:of|being)',
  'with (?:the )?exceptions? of',
  'save for',
  'outside of',
  '(?<!\\blinks? (?:that )?(?:point|lead|go)(?:s|ing)? (?:to the )?)outside(?= [^a-z]*(?:the |of )?)',
);
const condition = verbs('unless', 'if', 'whenever', 'when', 'until', unclear);

const lexicon: readonly (readonly [HeadKind, string])[] = [
  ['only', only],
  ['negative', negative],
  ['except', except],
  ['not', not],
  ['condition', condition],
  ['positive', positive],
  ['but', 'but(?:\\s+also)?|otherwise|(?<=\\bminus\\b.*)plus|while|whereas|however|though|although|then'],
];
const head = new RegExp(
  `(?<![\\w'-])(?:${lexicon.map(([kind, source]) => `(?<${kind}>${source})`).join('|')})(?![\\w'-])`,
  'gi',
);
/** A word after one of these is a noun: `the index`, `a download`. */
const determiner = /(?:^|\s)(?:the|an?|its|their|our|your|this|these|that)\s+$/i;

/** Returns the words of a sentence that start a request or change one, in order. */
export function headsOf(sentence: string): Head[] {
  const heads: Head[] = [];
  for (const match of sentence.matchAll(head)) {
    const [text] = match;
    const kind = lexicon.find(([name]) => match.groups?.[name] !== undefined)?.[0];
    const before = sentence.slice(0, match.index);
    const isVerb = kind === 'positive' || kind === 'negative';
    if (kind === undefined || (isVerb && determiner.test(before))) continue;
    heads.push({ kind, start: match.index, end: match.index + text.length, text });
  }
  return heads;
}
