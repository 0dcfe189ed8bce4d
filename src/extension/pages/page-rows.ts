import * as l10n from '@vscode/l10n';
import type { JobPage } from '../../contract/crawl/pages.ts';
import { label } from '../ui/text/text.ts';

/** The texts of a page's tree row. */
export interface PageRow {
  label: string;
  description: string;
  tooltip: string;
  spoken: string;
}

/** Returns the texts of a page's row: title, path below `folder`, and HTTP status, or why it failed. */
export function pageRow(page: JobPage, folder: string): PageRow {
  const path = pathBelow(page.url, folder);
  const title = label(page.title ?? '', 80);
  const reason = page.reason ? label(page.reason, 300) : undefined;
  const state = page.state === 'ok' ? statusText(page) : failedText(page, reason ?? statusText(page));
  const description = [title ? path : undefined, state && label(state, 120)].filter(Boolean).join(' · ');
  const lines = [
    title,
    label(page.url, 500),
    page.statusCode && l10n.t('HTTP status {0}', page.statusCode),
    page.state !== 'ok' && capitalized(failedText(page, reason)),
    page.code && l10n.t('Error code {0}', label(page.code, 60)),
  ];
  return {
    label: title || path,
    description,
    tooltip: lines.filter(Boolean).join('\n'),
    spoken: [l10n.t('Page {0}', title || path), description].filter(Boolean).join(', '),
  };
}

function failedText({ state }: JobPage, why: string | undefined): string {
  if (state === 'blocked') return why ? l10n.t('blocked: {0}', why) : l10n.t('blocked');
  return why ? l10n.t('failed: {0}', why) : l10n.t('failed');
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function statusText({ statusCode }: JobPage): string | undefined {
  return statusCode ? String(statusCode) : undefined;
}

function pathBelow(url: string, folder: string): string {
  if (folder !== '' && url.startsWith(folder)) return label(readable(url.slice(folder.length)) || '/', 80);
  if (!URL.canParse(url)) return label(url, 80);
  const { pathname, search } = new URL(url);
  return label(readable(pathname + search), 80);
}

function readable(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
