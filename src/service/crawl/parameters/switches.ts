import type { Draft, Sentence } from './draft.ts';

const not =
  "(?:do\\s+not|don['’]?t|dont|never|no|not|without|exclud(?:e|ing)|skip(?:ping)?|ignor(?:e|ing)|avoid(?:ing)?|leave\\s+out|leaving\\s+out|omit(?:ting)?|except(?:\\s+for)?|disallow|disable|stay\\s+off|stay\\s+away\\s+from|rather\\s+than|instead\\s+of|no\\s+need\\s+(?:to|for))";
/** The rest of a clause after a negation. */
const within = '(?:(?!\\b(?:but|and\\s+(?:do|follow|include|use|crawl|allow|skip|ignore))\\b)[^.;,!])';

/** Consumes the phrase about `subject` and returns whether it is wanted; undefined if it isn't mentioned. */
function polarity(sentence: Sentence, subject: string): boolean | undefined {
  const denied = sentence.take(new RegExp(`(?<![\\w'])${not}\\b${within}{0,40}?\\b(?:${subject})`, 'i'));
  if (denied)
    return /(?:do\s+not|don['’]?t|dont|never)\s+(?:skip|ignore|exclude|avoid|omit|leave\s+out)/i.test(denied[0]);
  const meant = sentence.take(
    new RegExp(
      `(?:\\b(?:also\\s+)?(?:includ(?:e|ing)|allow(?:ing)?|follow(?:ing)?|with|use|using|crawl|and|go\\s+to|visit|on|to|into|across)\\b\\s+)*(?:(?:all|any|the|its|their|every)\\s+)*(?:${subject})(?:\\s+(?:too|as\\s+well|also|(?:are|is)\\s+(?:ok(?:ay)?|fine|allowed|included)))?`,
      'i',
    ),
  );
  if (!meant) return undefined;
  return true;
}

/** Reads where a crawl may go: subdomains, other sites, the whole domain. */
export function readReach(sentence: Sentence, draft: Draft): void {
  const external =
    '(?:external|outside|outbound|outgoing|off-?site|third[- ]party|foreign)\\s+(?:web\\s?)?(?:links?|sites?|pages?|domains?|urls?|content)|(?:links?|pages?)\\s+(?:to|on|of)\\s+(?:other|external|different)\\s+(?:web\\s?)?(?:sites?|domains?|hosts?)|(?:other|different)\\s+(?:web\\s?)?(?:sites?|domains?|hosts?)|externals|off-?site|leav(?:e|ing)\\s+(?:the|this)\\s+(?:site|domain|website|host)';
  if (
    sentence.take(
      /\b(?:only\s+)?(?:stay|stick|keep|remain)(?:ing)?\s+(?:only\s+)?(?:on|within|inside|to|in)\s+(?:the|this|that|one)\s+(?:same\s+)?(?:web\s?site|site|domain|host)\b(?:\s+only)?|\b(?:only\s+)?(?:the\s+)?(?:same|this)\s+domain\s+only\b|\bonly\s+(?:follow\s+)?(?:internal|same-domain)\s+links\b|\binternal\s+links\s+only\b/i,
    )
  )
    draft.allowExternalLinks = false;
  const links = polarity(sentence, external);
  if (links !== undefined) draft.allowExternalLinks = links;

  const subdomains = polarity(sentence, 'sub-?\\s?domains?');
  if (subdomains !== undefined) draft.allowSubdomains = subdomains;

  if (
    sentence.take(
      /\b(?:only\s+)?(?:stay|keep|remain)(?:ing)?\s+(?:under|below|within|inside|in)\s+(?:the|this)\s+(?:start(?:ing)?\s+)?(?:url(?:['’]s\s+path)?|path|section|folder|directory)\b|\bonly\s+(?:pages\s+)?(?:under|below)\s+(?:the|this)\s+(?:start(?:ing)?\s+)?(?:url|path|section|folder|directory)\b/i,
    )
  )
    draft.crawlEntireDomain = false;
  const whole = polarity(
    sentence,
    '(?:whole|entire|full|complete)\\s+(?:web\\s?)?(?:site|domain|website|host)|(?:all|every(?:thing)?|each)(?:\\s+(?:the\\s+)?(?:pages?|urls?|links?|content))?\\s+(?:of|on|from|in|under)\\s+(?:the|this)\\s+(?:whole\\s+|entire\\s+)?(?:web\\s?)?(?:site|domain|website)|site-?wide|every\\s+page|all\\s+(?:the\\s+)?pages|crawl\\s+everything(?!\\s+(?:in|under|on|from|about|below|but)\\b)',
  );
  if (whole !== undefined) draft.crawlEntireDomain = whole;
}

/** Consumes a subject and returns the part of the clause about it: up to the nearest commas, or all if that says nothing more. */
function about(sentence: Sentence, subject: RegExp): string | undefined {
  const clause = sentence.text.split(';').find((part) => subject.test(part));
  const match = sentence.take(subject);
  if (clause === undefined || !match) return undefined;
  const part = clause.split(',').find((piece) => subject.test(piece)) ?? clause;
  const bare = part.replace(subject, '').replace(/\b(?:and|or|also|the|its|any|all|a|in)\b/gi, '');
  return bare.trim() === '' ? clause : part;
}

/** Reads the options for sitemaps, robots.txt and its user agent. */
export function readSources(sentence: Sentence, draft: Draft): void {
  readUserAgent(sentence, draft);
  const robots = about(sentence, /\brobots(?:\.txt)?\b(?:\s+(?:files?|rules?|directives?|txt|restrictions?))?/i);
  if (robots !== undefined) {
    const negated =
      /\b(?:do\s+not|don['’]?t|dont|never)\s+(?:ignore|bypass|skip|override|disregard)\b|\bwithout\s+(?:ignoring|bypassing|skipping|overriding|disregarding)\b/i.test(
        robots,
      );
    const ignored =
      /\b(?:ignor(?:e|ing)|disregard(?:ing)?|bypass(?:ing)?|skip(?:ping)?|overrid(?:e|ing)|regardless|without|no\s+matter|despite|don['’]?t\s+care)\b|\b(?:do\s+not|don['’]?t|dont|never|not)\s+(?:obey|respect|follow|honou?r|check|consider|use|read|heed)/i.test(
        robots,
      );
    draft.ignoreRobotsTxt = ignored && !negated;
  }
  const sitemap = about(
    sentence,
    /\bsite-?\s?maps?(?:\.xml)?\b(?:\s+(?:urls?|files?|entries|pages?))?(?:\s+(?:only|alone|exclusively))?/i,
  );
  if (sitemap !== undefined) {
    const only =
      /\b(?:only|just|solely|exclusively|nothing\s+but|alone|purely)\b/i.test(sitemap) &&
      !/\bnot\s+(?:only|just)\b/i.test(sitemap);
    const skipped =
      /\b(?:skip(?:ping)?|ignor(?:e|ing)|without|exclud(?:e|ing)|disregard|no|not|don['’]?t|dont|never|avoid|bypass|omit)\b/i.test(
        sitemap,
      );
    const kept = /\b(?:do\s+not|don['’]?t|dont|never)\s+(?:skip|ignore|exclude|disregard|bypass|avoid|omit)\b/i.test(
      sitemap,
    );
    draft.sitemap = only ? 'only' : skipped && !kept ? 'skip' : 'include';
  }
}

function readUserAgent(sentence: Sentence, draft: Draft): void {
  const name = '["\'“‘`]([^"\'”’`]{1,200})["\'”’`]|([A-Za-z][\\w./-]*[\\w])';
  const asked =
    sentence.take(
      new RegExp(
        `(?:\\b(?:use|using|with|set|as)\\s+)*(?:\\b(?:the|a)\\s+)?(?:robots(?:\\.txt)?\\s+)?\\buser[\\s-]?agent\\b(?:\\s+(?:string|name|for\\s+robots(?:\\.txt)?))*(?:\\s+(?:is|of|named|called|as|to|should\\s+be|be))*\\s*[:=]?\\s*(?:${name})(?:\\s+(?:for|in)\\s+(?:the\\s+)?robots(?:\\.txt)?)?`,
        'i',
      ),
    ) ??
    sentence.take(
      new RegExp(
        `\\b(?:identify(?:ing)?\\s+(?:yourself\\s+)?as|pretend(?:ing)?\\s+to\\s+be|act(?:ing)?\\s+as|crawl(?:ing)?\\s+as|posing\\s+as)\\s+(?:an?\\s+|the\\s+)?(?:${name})`,
        'i',
      ),
    ) ??
    sentence.take(
      /\b(?:follow|obey|respect|use|apply)\s+(?:the\s+)?(?:robots(?:\.txt)?\s+)?rules\s+(?:for|of)\s+(?:["'“‘`]([^"'”’`]{1,200})["'”’`]|([A-Za-z][\w-]*bot))\b/i,
    ) ??
    sentence.take(/\bas\s+(?:["'“‘`]([^"'”’`]{1,200})["'”’`]|([A-Za-z][\w-]*bot(?:\/[\w.]+)?))(?![\w-])/i);
  const agent = asked?.[1] ?? asked?.[2];
  if (agent) draft.robotsUserAgent = agent;
}

/** Reads which URLs count as the same page. */
export function readUrlIdentity(sentence: Sentence, draft: Draft): void {
  const query = about(
    sentence,
    /\b(?:different\s+)?(?:(?:query|url|get|search|tracking|utm)[\s-]*(?:strings?|param(?:eter)?s?)|quer(?:y|ies)\s+in\s+(?:the\s+)?urls?|utm\s+tags?)\b/i,
  );
  if (query !== undefined) {
    const kept =
      /\b(?:keep(?:ing)?|respect(?:ing)?|distinguish|separate(?:ly)?|distinct|(?:do\s+not|don['’]?t|dont|never)\s+(?:ignore|strip|drop|remove)|matter|consider|includ(?:e|ing)|with)\b/i.test(
        query,
      );
    const dropped =
      /\b(?:without|regardless|no\s+matter|(?:do\s+not|don['’]?t|dont|never)\s+(?:keep|consider|include|matter|respect|distinguish)|as\s+(?:one|the\s+same|equal|identical))\b/i.test(
        query,
      );
    draft.ignoreQueryParameters = dropped || !kept;
  }
  const similar = about(
    sentence,
    /\b(?:(?:skip|remove|drop|merge|collapse|no|avoid|ignore)\s+)?(?:similar(?:-looking)?\s+(?:urls?|pages?|links?)|near-?\s?duplicates?|duplicated?\s+(?:urls?|pages?|links?)|duplicates?|de-?dup\w*(?:\s+similar\s+(?:urls?|pages?))?)\b/i,
  );
  if (similar !== undefined) {
    const kept =
      /\b(?:keep|allow|include|with|(?:do\s+not|don['’]?t|dont|never|no|without)\s+(?:de-?dup\w*|skip|remove|merge|drop|collapse)|as\s+(?:different|separate|distinct))\b/i.test(
        similar,
      );
    draft.deduplicateSimilarURLs = !kept;
  }
}
