import * as l10n from '@vscode/l10n';
import type { JobErrors } from '../../../contract/crawl/crawl-jobs.ts';
import type { JobPage } from '../../../contract/crawl/pages.ts';
import type { ScrapeDocument } from '../../../contract/scrape/scrape.ts';

/**
 * Returns the failed pages of a job, then those that robots.txt disallows: with the server's reason if it gives one for
 * the URL. They come after the given number of other pages.
 */
export function failuresOf({ errors, robotsBlocked }: JobErrors, after = 0): JobPage[] {
  const reasons = new Map(errors.map(({ url, code, error }) => [url, { code, reason: error }]));
  const blocked = new Set(robotsBlocked);
  const failed = [...reasons.keys()].filter((url) => !blocked.has(url));
  return [...failed, ...blocked].map((url, index) => ({
    order: after + index + 1,
    url,
    code: reasons.get(url)?.code,
    reason: reasons.get(url)?.reason || (blocked.has(url) ? l10n.t('Blocked by robots.txt.') : undefined),
    state: blocked.has(url) ? 'blocked' : 'failed',
  }));
}

/** Returns the document of a page that has none: its URL and why it failed. */
export function documentOfFailure({ url, title, statusCode, reason, state }: JobPage): ScrapeDocument {
  const error = reason ?? (state === 'blocked' ? l10n.t('Blocked by robots.txt.') : l10n.t('The page has no content.'));
  return { metadata: { sourceURL: url, url, title, statusCode, error } };
}
