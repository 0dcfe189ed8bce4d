import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { jsonIn } from '../../contract/lenient-texts.ts';
import type { CreatedSession } from '../../contract/sessions/sessions.ts';
import { fieldOf } from '../../webviews/common/messages.ts';
import type { Connection, FeatureParts } from '../connection/connection.ts';
import type { RunTarget } from '../connection/run-target.ts';
import { inBackground, registerCommand, setContextKey, UserError } from '../ui/commands.ts';
import { askText, cancellable, tooLong } from '../ui/dialogs.ts';
import { commands, documentScheme } from '../ui/ids.ts';
import { serverTimeOfDay } from '../ui/text/dates.ts';
import { hostOf, isUuid, label, shortAddress, shortId } from '../ui/text/text.ts';
import type { ScrapeSubject } from '../ui/virtual-documents/virtual-documents.ts';

interface Parts extends FeatureParts {
  target: RunTarget;
  /** Sends a task to the agent of the target's page. The result appears in Run Results. */
  prompt(text: string): Promise<void>;
  sessions: {
    /** Makes a session that was opened for this window the current one. */
    adopt(opened: CreatedSession): void;
    /** Called when this window has ended a session. */
    ended(sessionId: string): void;
  };
}

/** Code that needs the page, and changes nothing. */
const openPage = 'page.url()';

/** The command's argument: an Activity row, a job ID, or nothing. */
type Argument =
  | { entry?: { endpoint?: string; id?: string; target?: string }; id?: unknown; target?: unknown }
  | undefined;

/** Registers "Interact with Scrape…", "Send Prompt…" and what "Destroy Browser Session" does for the session of a scrape. */
export function registerInteractCommands(parts: Parts): vscode.Disposable {
  const { connection, target, log } = parts;
  let server = connection.target;
  return vscode.Disposable.from(
    registerCommand<[Argument]>(commands.interactWithScrape, log, async (argument) => {
      const chosen = scrapeOf(argument) ?? (await inActiveDocument(parts, argument)) ?? (await pickScrape(connection));
      if (!chosen) return;
      await interact(parts, chosen);
      inBackground(commands.interactWithScrape, offerNext(nameOf(chosen)), log);
    }),
    registerCommand(commands.sendPrompt, log, async () => {
      const chosen = target.scrape ? undefined : ((await inActiveDocument(parts)) ?? (await pickScrape(connection)));
      if (chosen) await interact(parts, chosen);
      const { scrape } = target;
      if (!scrape) return;
      const title = l10n.t('What should the agent do on {0}?', scrape.name);
      const placeHolder = l10n.t('Order two apples and tell me the total');
      const text = await askText({ title, placeHolder }, (typed) => tooLong(typed, 10_000));
      if (text) await parts.prompt(text);
    }),
    registerCommand(commands.endInteraction, log, async (sessionId: unknown) => {
      const scrape = target.of(String(sessionId));
      if (!scrape) return false;
      const { client } = await connection.access();
      await client.stopInteraction({ params: { jobId: scrape.jobId } });
      target.clear(scrape.sessionId);
      parts.sessions.ended(scrape.sessionId);
      log.info(l10n.t('Ended the interaction with scrape {0}.', shortId(scrape.jobId)));
      return true;
    }),
    connection.onDidChange.on(() => {
      // The job doesn't exist on another server.
      if (server !== connection.target) target.clear();
      server = connection.target;
    }),
    target.onDidChange.on(() => setContextKey('scrapeTarget', target.scrape !== undefined)),
  );
}

/** Opens the page of a scrape in its session, which becomes the current one. */
async function interact({ connection, target, sessions }: Parts, scrape: ScrapeSubject): Promise<void> {
  const { jobId } = scrape;
  const name = nameOf(scrape);
  const opened = await cancellable(l10n.t('Web Data: Opening the page of {0}…', name), async (signal) => {
    const { client } = await connection.access();
    return await client.interactWithScrape(
      { params: { jobId }, body: { code: openPage, language: 'node' } },
      { signal },
    );
  });
  const { sessionId, cdpUrl, liveViewUrl, interactiveLiveViewUrl } = opened;
  if (!sessionId) throw new UserError(opened.error ?? l10n.t("The server doesn't say which session the page is in."));
  sessions.adopt({ success: true, id: sessionId, cdpUrl, liveViewUrl, interactiveLiveViewUrl });
  target.use({ jobId, name, sessionId });
}

async function offerNext(name: string): Promise<void> {
  const [openLiveView, sendPrompt] = [l10n.t('Open Live View'), l10n.t('Send Prompt…')];
  const chosen = await vscode.window.showInformationMessage(
    l10n.t('Web Data: {0} is open in its own browser session. Code and prompts now run there.', name),
    openLiveView,
    sendPrompt,
  );
  if (chosen === openLiveView) await vscode.commands.executeCommand(commands.openLiveView);
  if (chosen === sendPrompt) await vscode.commands.executeCommand(commands.sendPrompt);
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

/** Returns the scrape of a page's row, or the one whose page, record or Markdown is in the active editor. */
async function inActiveDocument({ documents }: Parts, argument?: Argument): Promise<ScrapeSubject | undefined> {
  const ofPage = scrapeOf(await vscode.commands.executeCommand<Argument>(commands.scrapeOfPage, argument));
  if (ofPage) return ofPage;
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
            description: serverTimeOfDay(created_at),
            jobId: id,
            url: target ?? undefined,
          },
        ]
      : [],
  );
  const other = { label: l10n.t('$(edit) Enter a Scrape ID…'), description: '', jobId: '', url: undefined };
  const picked = await vscode.window.showQuickPick([...items, other], {
    title: l10n.t('Interact with Scrape'),
    placeHolder:
      items.length > 0 ? l10n.t('Choose a scrape from the last 24 hours') : l10n.t('No scrapes in the last 24 hours'),
  });
  if (!picked) return undefined;
  if (picked !== other) return { jobId: picked.jobId, url: picked.url };
  const prompt = l10n.t('data.metadata.scrapeId in the scrape response');
  const jobId = await askText({ title: l10n.t('Scrape ID'), prompt }, (text) =>
    isUuid(text) ? undefined : l10n.t('Expected a UUID.'),
  );
  return jobId === undefined ? undefined : { jobId, url: undefined };
}

/** Returns the ID and URL of the scrape in a JSON record; undefined if the text isn't one. */
export function scrapeIdIn(text: string): { jobId: string; url: string | undefined } | undefined {
  const record = jsonIn(text);
  const data = fieldOf(record, 'data') ?? record;
  const metadata = fieldOf(data, 'metadata');
  const id = fieldOf(metadata, 'scrapeId');
  if (typeof id !== 'string' || !isUuid(id)) return undefined;
  const url = fieldOf(metadata, 'sourceURL') ?? fieldOf(metadata, 'url');
  return { jobId: id, url: typeof url === 'string' ? url : undefined };
}
