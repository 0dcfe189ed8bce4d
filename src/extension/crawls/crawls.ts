import * as vscode from 'vscode';
import type { Connection } from '../connection/connection.ts';
import { mayPoll, vscodeTrust } from '../connection/polling/window-polling.ts';
import { views } from '../ui/ids.ts';
import type { JobPages } from '../ui/job-pages.ts';
import { Disposables } from '../ui/lifecycle.ts';
import type { VirtualDocuments } from '../ui/virtual-documents/virtual-documents.ts';
import { ActiveCrawls } from './active-crawls.ts';
import { registerCrawlCommands } from './crawl-commands.ts';
import { CrawlsTree } from './crawls-tree.ts';
import type { DraftFiles } from './draft/draft-files.ts';
import { DraftMarks } from './draft/draft-marks.ts';
import { registerWebhookCompletion } from './draft/webhook-completion.ts';
import { registerPageCommands } from './page-commands.ts';

interface Parts {
  connection: Connection;
  documents: VirtualDocuments;
  pages: JobPages;
  drafts: DraftFiles;
  /** Returns the URL of the webhook receiver while it is listening. */
  webhookUrl(): string | undefined;
  /** Called when a crawl that this window started has completed with a page. */
  onCrawled(): void;
  log: vscode.LogOutputChannel;
}

/** Active Crawls, for crawls that are started elsewhere in this window. */
export interface Crawls extends vscode.Disposable, Pick<ActiveCrawls, 'started' | 'cancelled'> {}

/** Registers the "Active Crawls" view, the crawl commands, and the commands for single pages and sites. */
export function registerCrawls({ connection, documents, pages, drafts, webhookUrl, onCrawled, log }: Parts): Crawls {
  const disposables = new Disposables();
  const crawls = disposables.add(
    new ActiveCrawls({
      connection,
      trust: vscodeTrust,
      log,
      mayPoll,
      showProgress: (task) => void vscode.window.withProgress({ location: { viewId: views.activeCrawls } }, () => task),
    }),
  );
  disposables.add(
    crawls.store.onEnded.on(({ own, status, completed = 0 }) => {
      if (own && status === 'completed' && completed > 0) onCrawled();
    }),
  );
  const marks = disposables.add(new DraftMarks(drafts));
  disposables.add(registerWebhookCompletion(webhookUrl));
  const tree = disposables.add(new CrawlsTree(crawls, pages));
  const reveal = (crawlId: string, expand?: boolean) => tree.reveal(crawlId, expand);
  disposables.add(registerCrawlCommands({ connection, crawls, drafts, marks, reveal, log }));
  disposables.add(registerPageCommands({ connection, documents, log }));
  return {
    started: (...started) => crawls.started(...started),
    cancelled: (id) => crawls.cancelled(id),
    dispose: () => disposables.dispose(),
  };
}
