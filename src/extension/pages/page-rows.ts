import * as l10n from '@vscode/l10n';
import type { JobPage } from '../../contract/crawl/pages.ts';
import type { ReadingReason } from '../../contract/scrape/scrape.ts';
import { changeWord } from '../ui/text/page-texts.ts';
import { capitalized, label, pathAndQuery, type RowTexts } from '../ui/text/text.ts';

/** Returns the ending that most titles of pages share, such as ` | Name of the site`; empty if there is none. */
export function sharedEnding(pages: readonly JobPage[]): string {
  const titles = pages.flatMap(({ title }) => title ?? []);
  const ofEnd = /(?<=\S)\s+[-–—|·•:»]+\s+(?:(?!\s[-–—|·•:»]+\s).)+$/u;
  const endings = Map.groupBy(titles, (title) => ofEnd.exec(title.slice(-200))?.[0] ?? '');
  endings.delete('');
  const [ending = '', own = []] = [...endings].sort(([, one], [, other]) => other.length - one.length)[0] ?? [];
  // Where the starts are the same, the ending says more than they do.
  return own.length > 1 && own.length > pages.length / 2 && new Set(own).size > own.length / 2 ? ending : '';
}

/**
 * Returns the texts of a page's row: title, path below `folder`, and why it failed or what is unusual about it.
 * @param ending what the titles of most pages end with, which says nothing about this one
 */
export function pageRow(page: JobPage, folder: string, ending = ''): RowTexts {
  const path = pathBelow(page.url, folder);
  const whole = page.title ?? '';
  const title = label(whole.endsWith(ending) ? whole.slice(0, whole.length - ending.length) : whole, 80);
  const reason = page.reason ? label(page.reason, 300) : undefined;
  const status = page.statusCode && page.statusCode !== 200 ? String(page.statusCode) : undefined;
  // A row has room for the status, and its hover for the reason.
  const state = page.state === 'ok' ? status : failedText(page, status ?? reason);
  const rendered = page.readAs === 'rendered' && l10n.t('rendered');
  const warned = page.warning && l10n.t('warning');
  const change = page.changeStatus && page.changeStatus !== 'same' && changeWord(page.changeStatus);
  const description = [change, title ? path : undefined, state && label(state, 120), rendered, warned]
    .filter(Boolean)
    .join(' · ');
  const lines = [
    label(whole, 200),
    label(page.url, 500),
    page.statusCode && l10n.t('HTTP status {0}', page.statusCode),
    readingText(page),
    page.warning && label(page.warning, 600),
    change && capitalized([change, reason].filter(Boolean).join(': ')),
    page.state !== 'ok' && capitalized(failedText(page, reason)),
    page.code !== `HTTP_${page.statusCode}` && page.code && l10n.t('Error code {0}', label(page.code, 60)),
    page.state !== 'ok' && findingText(page),
  ];
  return {
    label: title || path,
    description,
    tooltip: lines.filter(Boolean).join('\n'),
    spoken: [l10n.t('Page {0}', title || path), description].filter(Boolean).join(', '),
  };
}

/** Returns where a crawl found a page first, if the server says so. */
export function findingText({ linkedFrom, foundIn }: Record<string, unknown>): string | undefined {
  if (typeof linkedFrom === 'string') return l10n.t('Linked from {0}', label(linkedFrom, 500));
  if (foundIn === 'start') return l10n.t('The start page of the crawl');
  if (foundIn === 'sitemap') return l10n.t('Listed in the sitemap');
  if (foundIn === 'llmsTxt') return l10n.t('Listed in {0}', 'llms.txt');
  if (foundIn === 'feed') return l10n.t('Listed in a feed of the start page');
  return foundIn === 'earlier' ? l10n.t('Known from an earlier scrape or crawl') : undefined;
}

function failedText({ state }: JobPage, why: string | undefined): string {
  if (state === 'blocked') return why ? l10n.t('blocked: {0}', why) : l10n.t('blocked');
  return why ? l10n.t('failed: {0}', why) : l10n.t('failed');
}

function pathBelow(url: string, folder: string): string {
  if (folder !== '' && url.startsWith(folder)) return label(readable(url.slice(folder.length)) || '/', 80);
  return label(URL.canParse(url) ? readable(pathAndQuery(url)) : url, 80);
}

function readable(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** Why pages are fetched or rendered. */
const reasons: Record<ReadingReason, () => string> = {
  noScripts: () => l10n.t('Fetched: the page has no scripts'),
  noContentScripts: () => l10n.t('Fetched: its scripts are only for analytics, ads or consent'),
  sameWithoutScripts: () => l10n.t("Fetched: scripts don't change the content of pages like this"),
  notHtml: () => l10n.t("Fetched: the file isn't a web page"),
  errorStatus: () => l10n.t('Fetched: the page returned an error'),
  fastMode: () => l10n.t('Fetched without running its scripts: fastMode'),
  renderingFailed: () => l10n.t("Fetched without running its scripts: it couldn't be rendered"),
  options: () => l10n.t('Rendered in Chrome: the options require it'),
  scripts: () => l10n.t('Rendered in Chrome: its scripts may write content'),
  frames: () => l10n.t('Rendered in Chrome: its frames may have content'),
  sample: () => l10n.t('Rendered in Chrome: a sample, compared with and without scripts'),
  unlikeSamples: () => l10n.t('Rendered in Chrome: it has parts that the samples lack, which scripts may fill'),
  scriptsWriteContent: () => l10n.t('Rendered in Chrome: scripts change the content of pages like this'),
};

/** Returns how a page was read and why, if the server says so. */
export function readingText(page: {
  readAs?: string | null | undefined;
  readBecause?: string | null | undefined;
}): string | undefined {
  const reason =
    page.readBecause && Object.hasOwn(reasons, page.readBecause) && reasons[page.readBecause as ReadingReason];
  if (reason) return reason();
  return page.readAs === 'rendered'
    ? l10n.t('Rendered in Chrome')
    : page.readAs === 'fetched'
      ? l10n.t('Fetched')
      : undefined;
}
