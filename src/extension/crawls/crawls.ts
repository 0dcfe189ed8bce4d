import type * as vscode from 'vscode';
import type { FeatureParts } from '../connection/connection.ts';
import type { JobEndings } from '../ui/job-endings.ts';
import { Disposables } from '../ui/lifecycle.ts';
import type { JobPages, WatchNode, WatchRows } from '../ui/tree-rows.ts';
import { ActiveCrawls } from './active-crawls.ts';
import { registerCrawlCommands } from './crawl-commands.ts';
import { CrawlsTree } from './crawls-tree.ts';
import { DraftEstimates } from './draft/draft-estimates.ts';
import type { DraftFiles } from './draft/draft-files.ts';
import { DraftMarks } from './draft/draft-marks.ts';
import { registerWebhookCompletion } from './draft/webhook-completion.ts';
import { registerPageCommands } from './page-commands.ts';

interface Parts extends FeatureParts {
  pages: JobPages;
  watches: WatchRows;
  drafts: DraftFiles;
  endings: JobEndings;
  /** The session that the window uses. */
  session(): { id: string; title: string } | undefined;
  state: vscode.Memento;
  /** Returns the URL of the webhook receiver while it is listening. */
  webhookUrl(): string | undefined;
  /** Called when a crawl that this window started has completed with a page. */
  onCrawled(): void;
}

/** Crawls, for crawls that are started elsewhere in this window. */
export interface Crawls extends vscode.Disposable, Pick<ActiveCrawls, 'started' | 'cancelled'> {
  /** Returns the site of a crawl with its options; undefined for a crawl that this window doesn't know. */
  site(crawlId: string): Promise<{ url: string; crawlOptions: Readonly<Record<string, unknown>> } | undefined>;
  /** Selects and expands the row of a watch. */
  revealWatch(row: WatchNode): Promise<void>;
}

/** Registers the "Crawls" view, the crawl commands, and the commands for single pages and sites. */
export function registerCrawls(parts: Parts): Crawls {
  const { connection, documents, pages, watches, endings, drafts, webhookUrl, onCrawled, session, state, log } = parts;
  const disposables = new Disposables();
  const crawls = disposables.add(new ActiveCrawls({ connection, log }));
  disposables.add(
    crawls.store.onEnded.on(({ own, status, completed = 0 }) => {
      if (own && status === 'completed' && completed > 0) onCrawled();
    }),
  );
  const estimates = disposables.add(new DraftEstimates(drafts, connection, log));
  const marks = disposables.add(new DraftMarks(drafts, estimates, () => connection.languageModel !== undefined));
  disposables.add(registerWebhookCompletion(webhookUrl));
  const tree = disposables.add(new CrawlsTree(crawls, pages, watches));
  const reveal = (crawlId: string, expand?: boolean) => tree.reveal(crawlId, expand);
  disposables.add(registerCrawlCommands({ connection, crawls, drafts, marks, estimates, endings, reveal, log }));
  disposables.add(registerPageCommands({ connection, documents, session, state, log }));
  return {
    started: (...started) => crawls.started(...started),
    cancelled: (id) => crawls.cancelled(id),
    async site(crawlId) {
      const crawl = crawls.store.find(crawlId);
      if (crawl?.url === undefined) return undefined;
      const { optionsToRepeat } = await import('./draft/parameter-names.ts');
      return { url: crawl.url, crawlOptions: optionsToRepeat(crawl.options) };
    },
    revealWatch: (row) => tree.revealWatch(row),
    dispose: () => disposables.dispose(),
  };
}
