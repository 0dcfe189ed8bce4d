/** Fields of the published API and its clients that change nothing here, with the paths of endpoints and the reason. */
interface IgnoredFields {
  /** Field names from the body on, without the indexes of lists. */
  fields: RegExp;
  endpoints?: RegExp;
  /** Which values of the field are meant; all by default. */
  values?: readonly unknown[];
  why: string;
}

const agents = /^\/v2\/agent$/;
const searches = /^\/v2\/search$/;
const rules: readonly IgnoredFields[] = [
  { fields: /^(scrapeOptions\.)?formats\.checkPromptInjection$/, why: 'models always get pages as untrusted data' },
  { fields: /^(scrapeOptions\.)?auditMetadata$/, why: 'no audit log is kept' },
  { fields: /^(scrapeOptions\.)?threatProtection$/, why: 'this service has no list of malicious sites' },
  {
    fields: /^(scrapeOptions\.)?proxy$/,
    values: ['stealth', 'enhanced'],
    why: 'pages are fetched directly or through the proxy of the service',
  },
  { fields: /^(scrapeOptions\.)?parsers\.pageMarkdown$/, why: 'the pages of a PDF are returned as one text' },
  { fields: /^(scrapeOptions\.)?parsers\.mode$/, values: ['ocr'], why: "text in images isn't read" },
  {
    fields: /^(scrapeOptions\.)?(__experimental_\w+|__searchPreviewToken|__agentInterop|useMock)$/,
    why: 'this service has no experimental features',
  },
  { fields: /^(domainTools|toolDetail)$/, endpoints: searches, why: 'this service finds pages, not tools' },
  { fields: /^highlights$/, endpoints: searches, why: 'descriptions come from the search engine' },
  { fields: /^safe$/, endpoints: searches, why: 'the settings of the search engine say what it filters' },
  {
    fields: /^sources(\.type)?$/,
    endpoints: searches,
    values: ['alexandria'],
    why: 'this service has no index of its own',
  },
  { fields: /^ignoreSitemap$/, endpoints: /^\/v2\/extract$/, why: 'sitemaps are read only for URLs that end in /*' },
  { fields: /^(mode|effort)$/, endpoints: agents, why: 'it depends on the language model that is set up' },
  {
    fields: /^(rationale|jobId|context)$/,
    endpoints: /^\/v2\/support\/ask$/,
    why: 'answers come from the documentation alone',
  },
  { fields: /^(threadId|exchange)$/, endpoints: agents, why: 'each job is independent' },
];

/** What users name themselves: it isn't searched for fields. */
const named = new Set(['schema', 'headers', 'metadata', 'webhook']);
/** Deep enough for the options of formats in `scrapeOptions`. */
const maxDepth = 4;

/**
 * Takes out of a request's body what changes nothing here, so that a client's default is never an error. Returns the body
 * and a sentence for each such field that turns something on.
 */
export function withoutIgnored(path: string, body: unknown): { body: unknown; warnings: string[] } {
  const warnings = new Set<string>();
  const relevant = rules.filter(({ endpoints }) => endpoints?.test(path) ?? true);

  function isIgnored(field: string, value: unknown): boolean {
    const rule = relevant.find(({ fields, values }) => fields.test(field) && (values?.includes(value) ?? true));
    if (!rule) return false;
    const shown = rule.values ? `${field} "${value}"` : field;
    if (value !== undefined && value !== null && value !== false) warnings.add(`${shown} has no effect: ${rule.why}.`);
    return true;
  }

  function visit(value: unknown, at: string, depth: number): unknown {
    if (typeof value !== 'object' || value === null || depth > maxDepth) return value;
    if (Array.isArray(value)) {
      const kept = value.filter((item) => !isIgnored(at, item) && !isIgnored(`${at}.type`, item?.type));
      return kept.map((item) => visit(item, at, depth + 1));
    }
    const entries = Object.entries(value).flatMap(([key, item]) => {
      const field = at === '' ? key : `${at}.${key}`;
      if (!Array.isArray(item) && isIgnored(field, item)) return [];
      const kept = named.has(key) ? item : visit(item, field, depth + 1);
      // A list of nothing else is as good as none.
      if (Array.isArray(item) && item.length > 0 && Array.isArray(kept) && kept.length === 0) return [];
      return [[key, kept]];
    });
    return Object.fromEntries(entries);
  }

  return { body: visit(body, '', 0), warnings: [...warnings] };
}
