import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Connection } from '../connection/connection.ts';
import type { RunTarget } from '../connection/run-target.ts';
import { registerCommand, requireTrust, setContextKey, UserError } from '../ui/commands.ts';
import { commands, documentScheme } from '../ui/ids.ts';
import { cancellable } from '../ui/progress.ts';
import { timeOfDay } from '../ui/text/dates.ts';
import { hostOf, isUuid, label, serverTime, shortAddress, shortId } from '../ui/text/text.ts';
import type { ScrapeSubject, VirtualDocuments } from '../ui/virtual-documents/virtual-documents.ts';
import { scrapeIdIn } from './scrape-ids.ts';

export interface InteractParts {
  connection: Connection;
  target: RunTarget;
  /** Sends a task to the agent of the target's page. The result appears in Run Results. */
  prompt(text: string): Promise<void>;
  documents: VirtualDocuments;
  log: vscode.LogOutputChannel;
}

/** The command's argument: an Activity row, a job ID, or nothing. */
type Argument =
  | { entry?: { endpoint?: string; id?: string; target?: string }; id?: unknown; target?: unknown }
  | undefined;

/** Registers "Interact with Scrape…", "Send Prompt…" and "End Interaction". */
export function registerInteractCommands(parts: InteractParts): vscode.Disposable {
  const { connection, target, log } = parts;
  let server = connection.target;
  return vscode.Disposable.from(
    registerCommand<[Argument]>(commands.interactWithScrape, log, async (argument) => {
      requireTrust();
      const chosen = scrapeOf(argument) ?? inActiveDocument(parts.documents) ?? (await pickScrape(connection));
      if (!chosen) return;
      target.use({ jobId: chosen.jobId, name: nameOf(chosen) });
      void vscode.window.setStatusBarMessage(l10n.t('$(check) Code and prompts now run on {0}', nameOf(chosen)), 5_000);
    }),
    registerCommand(commands.sendPrompt, log, async () => {
      requireTrust();
      if (!target.scrape) await vscode.commands.executeCommand(commands.interactWithScrape);
      const { scrape } = target;
      if (!scrape) return;
      const text = await vscode.window.showInputBox({
        title: l10n.t('What should the agent do on {0}?', scrape.name),
        placeHolder: l10n.t('Order two apples and tell me the total'),
        ignoreFocusOut: true,
        validateInput: (value) => (value.length > 10_000 ? l10n.t('At most 10,000 characters.') : undefined),
      });
      if (text?.trim()) await parts.prompt(text.trim());
    }),
    registerCommand(commands.endInteraction, log, async () => {
      const { scrape } = target;
      if (!scrape) throw new UserError(l10n.t('No active interaction. Run "Interact with Scrape…" first.'));
      target.clear();
      if (!scrape.sessionId) return;
      const { client } = await connection.access();
      await client.stopInteraction({ params: { jobId: scrape.jobId } });
      log.info(l10n.t('Ended the interaction with scrape {0}.', shortId(scrape.jobId)));
    }),
    connection.onDidChange.on(() => {
      // The job doesn't exist on another server.
      if (server !== connection.target) target.clear();
      server = connection.target;
    }),
    target.onDidChange.on(() => setContextKey('scrapeTarget', target.scrape !== undefined)),
  );
}

function nameOf({ url, jobId }: ScrapeSubject): string {
  return label(hostOf(url) ?? shortId(jobId), 60);
}

function scrapeOf(argument: Argument): ScrapeSubject | undefined {
  const id = argument?.entry?.id ?? argument?.id;
  const url = argument?.entry?.target ?? argument?.target;
  if (typeof id !== 'string') return undefined;
  if (!isUuid(id)) throw new UserError(l10n.t("This isn't a valid scrape ID. Expected a UUID."));
  return { jobId: id, url: typeof url === 'string' ? url : undefined };
}

/** Returns the scrape whose record or markdown is in the active editor. */
function inActiveDocument(documents: VirtualDocuments): ScrapeSubject | undefined {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.uri.scheme !== documentScheme) return undefined;
  const scrape = documents.scrapeOf(document.uri);
  if (scrape && isUuid(scrape.jobId)) return scrape;
  return scrapeIdIn(document.getText());
}

async function pickScrape(connection: Connection): Promise<ScrapeSubject | undefined> {
  const { data } = await cancellable(l10n.t('Web Data: Loading scrapes…'), async (signal) => {
    const { client } = await connection.access();
    return await client.listActivity({ query: { endpoint: 'scrape', limit: 50 } }, { signal });
  });
  const items = data.flatMap(({ id, target, created_at }) =>
    id
      ? [
          {
            label: label(shortAddress(target ?? '', 80) || l10n.t('a page'), 80),
            description: timeText(created_at),
            jobId: id,
            url: target ?? undefined,
          },
        ]
      : [],
  );
  const other = { label: l10n.t('$(edit) Enter a scrape ID…'), description: '', jobId: '', url: undefined };
  const picked = await vscode.window.showQuickPick([...items, other], {
    title: l10n.t('Interact with Scrape'),
    placeHolder:
      items.length > 0 ? l10n.t('Choose a scrape from the last 24 hours') : l10n.t('No scrapes in the last 24 hours'),
  });
  if (!picked) return undefined;
  if (picked !== other) return { jobId: picked.jobId, url: picked.url };
  const jobId = await vscode.window.showInputBox({
    title: l10n.t('Scrape ID'),
    prompt: l10n.t('data.metadata.scrapeId in the scrape response'),
    validateInput: (value) => (isUuid(value.trim()) ? undefined : l10n.t('Expected a UUID.')),
  });
  return jobId === undefined ? undefined : { jobId: jobId.trim(), url: undefined };
}

function timeText(createdAt: string | null | undefined): string {
  const ms = serverTime(createdAt, Date.now());
  return ms === undefined ? '' : timeOfDay(ms);
}
