import * as l10n from '@vscode/l10n';
import type { ChangeTracking } from '../../../contract/scrape/change-tracking.ts';
import type { ScrapeDocument } from '../../../contract/scrape/scrape.ts';
import { dateAndTime, dateOnly } from '../text/dates.ts';
import { label, shortAddress } from '../text/text.ts';
import { fenced } from '../text/visible-text.ts';

/**
 * Returns the readable parts of a document as Markdown: the page first, so that its lines keep their numbers, then what
 * was found in it. Undefined if it has none.
 */
export function documentText(document: ScrapeDocument): string | undefined {
  const text = contentOf(document);
  return text === undefined ? undefined : noticeOf(document) + withFooter(text, document);
}

/**
 * Returns what stands above a page: who wrote it and when, if its text doesn't say it, that it is an error page, and what is
 * missing from it; empty if nothing is to be said.
 */
export function noticeOf(document: ScrapeDocument): string {
  const failure = errorStatusText(document);
  const warning = document.warning ? escaped(label(document.warning, 1_000)) : undefined;
  const said = [failure && `**${failure}**`, warning && l10n.t('**Warning:** {0}', warning)];
  const lines = [bylineOf(document), ...said].filter(Boolean);
  return lines.length === 0 ? '' : `> ${lines.join('\n>\n> ')}\n\n`;
}

/** Returns the author and the date of a text that lacks its author; empty if they aren't known. */
function bylineOf({ metadata, markdown }: ScrapeDocument): string {
  const author = typeof metadata?.author === 'string' ? metadata.author : '';
  if (author !== '' && markdown?.includes(author)) return '';
  // What is no date of a calendar isn't guessed. Its day is that of its author, wherever the reader is.
  const [, year, month, day] = /^((?:19|20)\d\d)-(\d\d)-(\d\d)/.exec(String(metadata?.publishedTime)) ?? [];
  const at = new Date(Number(year), Number(month) - 1, Number(day)).getTime();
  return [escaped(label(author, 200)), Number.isNaN(at) ? '' : dateOnly(at)].filter(Boolean).join(' · ');
}

/** Returns a text with what its main content leaves out below it. */
function withFooter(text: string, { markdown, leftOut }: ScrapeDocument): string {
  const parts = leftOut?.parts?.slice(0, 10).map((part) => escaped(label(part)));
  if (!markdown || !parts || parts.length === 0) return text;
  const share = Math.round((leftOut?.share ?? 0) * 100);
  const footer = l10n.t("Not in the main content, {0}% of the page's text: {1}", share, parts.join(' · '));
  return `${text.trimEnd()}\n\n---\n\n*${footer}*\n`;
}

/** Says that a site answered with an error, so that the page is its error page; undefined if it didn't. */
export function errorStatusText({ metadata }: ScrapeDocument): string | undefined {
  const status = metadata?.statusCode ?? 0;
  return status < 400 ? undefined : siteErrorText(status);
}

/** Says that a site answered with an error. */
export function siteErrorText(status: number): string {
  return l10n.t('The site answered with HTTP status {0}. This is its error page.', status);
}

function contentOf(document: ScrapeDocument): string | undefined {
  const { markdown, summary, answer, highlights, json, changeTracking } = document;
  const sections = [
    section(l10n.t('Summary'), summary),
    section(l10n.t('Answer'), answer),
    section(l10n.t('Highlights'), highlights),
    section(l10n.t('Changes'), changeTracking ? changesText(changeTracking) : undefined),
    section('JSON', json === undefined ? undefined : jsonText(json)),
  ].filter((text) => text !== undefined);
  if (sections.length === 0) return markdown ?? undefined;
  if (markdown) return `${markdown.trimEnd()}\n\n---\n\n${sections.join('\n')}`;
  return `${heading(document)}${sections.join('\n')}`;
}

function escaped(text: string): string {
  return text.replace(/[\\`*_[<]/g, '\\$&');
}

/** Returns a page's title and URL as Markdown. */
export function heading({ metadata }: ScrapeDocument): string {
  const url = metadata?.url ?? metadata?.sourceURL ?? '';
  const address = escaped(shortAddress(url, 200));
  const title = label(metadata?.title ?? '', 200) || address || l10n.t('Page');
  return `# ${title}\n\n${url && `<${url}>\n\n`}`;
}

function section(title: string, text: string | null | undefined): string | undefined {
  return text ? `## ${title}\n\n${text.trimEnd()}\n` : undefined;
}

function changesText({ changeStatus, previousScrapeAt, visibility, diff, json }: ChangeTracking): string {
  return [
    statusText(changeStatus, previousScrapeAt),
    ...(visibility === 'hidden' ? [l10n.t('No page of the crawl links to it anymore.')] : []),
    ...(diff?.text ? [fenced(diff.text, 'diff')] : []),
    ...(json === undefined || json === null ? [] : [jsonText(json)]),
  ].join('\n\n');
}

function statusText(status: string, previous: string | null): string {
  const at = Date.parse(previous ?? '');
  const since = Number.isNaN(at) ? undefined : dateAndTime(at);
  switch (status) {
    case 'new':
      return l10n.t('This is the first version.');
    case 'same':
      return since ? l10n.t('Unchanged since {0}.', since) : l10n.t('Unchanged.');
    case 'changed':
      return since ? l10n.t('Changed since {0}.', since) : l10n.t('Changed.');
    case 'removed':
      return since ? l10n.t('The page is gone. Its last version is from {0}.', since) : l10n.t('The page is gone.');
    default:
      return label(status, 100);
  }
}

function jsonText(value: unknown): string {
  return fenced(JSON.stringify(value, undefined, 2), 'json');
}
