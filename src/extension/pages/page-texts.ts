import * as l10n from '@vscode/l10n';
import type { ScrapeDocument } from '../../contract/scrape/scrape.ts';
import { hostOf, label } from '../ui/text/text.ts';
import { withoutCommands } from '../ui/text/visible-text.ts';
import { documentText, heading } from '../ui/virtual-documents/document-text.ts';
import type { PageView } from './page-paths.ts';
import { findingText } from './page-rows.ts';
import type { ReadPage } from './pages-store.ts';

/** Returns the text of a document of a page; undefined if the page has no such part. */
export function pageText({ document, found }: ReadPage, view: Exclude<PageView, 'screenshot'>): string | undefined {
  const { markdown, html, rawHtml, links, metadata } = document;
  switch (view) {
    case 'markdown':
      return withoutCommands(documentText(document) ?? (found ? placeholder(document) : notCrawled(document)));
    case 'html':
      return html ?? rawHtml ?? undefined;
    case 'links':
      return links ? `${links.join('\n')}\n` : markdown ? `${linksIn(markdown).join('\n')}\n` : undefined;
    case 'metadata':
      return metadata ? `${JSON.stringify(metadata, undefined, 2)}\n` : undefined;
    case 'json':
      return `${JSON.stringify(document, undefined, 2)}\n`;
  }
}

/** Returns the absolute links of a page's markdown, without duplicates. */
export function linksIn(markdown: string): string[] {
  const found = [...markdown.matchAll(/(?:\]\(<?|\]: +<?|<)(https?:\/\/(?:[^\s()<>]|\([^\s()<>]*\))+)/g)].map(
    ([, url = '']) => url,
  );
  return [...new Set(found)];
}

function placeholder(document: ScrapeDocument): string {
  const { metadata, html, rawHtml } = document;
  const start = heading(document);
  if (metadata?.error) {
    const failed = l10n.t('**This page failed:** {0}', label(metadata.error, 2_000));
    const { linkedFrom } = metadata;
    const source = typeof linkedFrom === 'string' && hostOf(linkedFrom) ? URL.parse(linkedFrom)?.href : undefined;
    const found = source ? l10n.t('Linked from {0}', `<${source}>`) : findingText({ foundIn: metadata.foundIn });
    return `${[start + failed, found].filter(Boolean).join('\n\n')}\n`;
  }
  const text =
    (html ?? rawHtml)
      ? l10n.t('This page has no Markdown. To see its {0}, run **Open Page As…**.', 'HTML')
      : l10n.t('This page has no Markdown.');
  return `${start}${text}\n`;
}

function notCrawled({ metadata }: ScrapeDocument): string {
  const link = `[${l10n.t('Open it in the browser')}](${metadata?.url ?? ''})`;
  return `# ${l10n.t('Not crawled')}\n\n${l10n.t("This page isn't part of the crawl.")}\n\n${link}\n`;
}
