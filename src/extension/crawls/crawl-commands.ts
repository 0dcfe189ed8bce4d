import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { limits } from '../../contract/limits.ts';
import { inBackground, registerCommand, UserError } from '../ui/commands.ts';
import { chooseFrom, confirmCancel } from '../ui/dialogs.ts';
import { type CommandId, commands, views } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { beyondLimit } from '../ui/text/page-texts.ts';
import { count, shortAddress } from '../ui/text/text.ts';
import { crawlTexts, endedText, isEmpty, pagesText } from './crawl-texts.ts';
import type { Crawl } from './crawls-store.ts';
import { draftCrawl, type StartParts, submitCrawl } from './draft/start-crawl.ts';
import { parentOf } from './draft/wider.ts';

/** The argument of a command: a tree row, of a crawl or of what it left out, a crawl's id from elsewhere, or nothing from the palette. */
type CrawlArgument = { crawlId?: unknown; entry?: { id?: unknown }; job?: { id?: unknown } } | undefined;

export function registerCrawlCommands(parts: StartParts): vscode.Disposable {
  const { crawls, connection, log } = parts;
  const { store } = crawls;
  const disposables = new Disposables();
  const command = <Arguments extends unknown[]>(id: CommandId, run: (...args: Arguments) => unknown) =>
    disposables.add(registerCommand<Arguments>(id, log, run));

  command(commands.startCrawl, (given?: unknown) => draftCrawl(parts, given));
  command(commands.submitCrawl, (target: unknown) => submitCrawl(parts, target));
  command(commands.openCrawl, async (argument: CrawlArgument) => {
    const id = await chooseId(store.crawls, argument, l10n.t('Select a crawl to show'));
    if (id) await vscode.commands.executeCommand(commands.openRecord, { endpoint: 'crawl', id });
  });
  command(commands.cancelCrawl, async (argument: CrawlArgument) => {
    // Rows of Activity are agent jobs; from the palette they are asked for if no crawl is active.
    const isAgentJob = argument === undefined ? store.active.length === 0 : 'entry' in argument;
    if (isAgentJob) return void (await vscode.commands.executeCommand(commands.cancelAgentJob, argument));
    const id = await chooseId(store.active, argument, l10n.t('Select a crawl to cancel'));
    const crawl = id === undefined ? undefined : store.find(id);
    if (!id) return;
    const question = crawl?.url
      ? l10n.t('Cancel the crawl of {0}?', shortAddress(crawl.url, 60))
      : l10n.t('Cancel this crawl?');
    const detail = l10n.t("A canceled crawl can't be continued. Pages that were already crawled are kept.");
    if (!(await confirmCancel(question, l10n.t('Cancel Crawl'), detail))) return;
    const { client } = await connection.access();
    await client.cancelCrawl({ params: { jobId: id } });
    crawls.cancelled(id);
  });
  command(commands.continueCrawl, async (argument: CrawlArgument) => {
    const cut = store.crawls.filter(({ leftOut }) => beyondLimit(leftOut));
    const id = await chooseId(cut, argument, l10n.t('Select a crawl to continue'));
    if (id) await continueCrawl(parts, id);
  });
  command(commands.repeatCrawl, async (given: CrawlArgument) => {
    // A row of the Activity view has an entry.
    const argument = given?.entry ? { crawlId: given.entry.id } : given;
    const ended = store.crawls.filter(({ active }) => !active);
    const id = await chooseId(ended, argument, l10n.t('Select a crawl to repeat'));
    if (id) await repeatCrawl(parts, id);
  });
  disposables.add(store.onEnded.on((crawl) => inBackground('Crawl', notifyEnded(crawl, parts), log)));
  return disposables;
}

/** Asks how many pages more a crawl that ended at its limit may have, and lets it go on. */
async function continueCrawl({ connection, crawls, reveal }: StartParts, id: string): Promise<void> {
  const why = l10n.t("This server can't continue a crawl. Start a new one with a higher limit.");
  const { embedded } = await connection.embedded(why);
  const { client } = await connection.access();
  const { completed, pageLimit } = await client.getCrawl({ params: { jobId: id }, query: { limit: 1 } });
  const crawl = crawls.store.find(id);
  const { max } = limits.crawlPages;
  const before = pageLimit ?? completed ?? 0;
  if (before >= max)
    throw new UserError(l10n.t('The limit of this crawl is {0}, and no crawl can have more.', count(before, 'page')));
  const twice = Math.min(2 * before, max);
  const most = [1_000, 10_000, max].filter((limit) => limit > before && limit !== twice);
  const choice = await vscode.window.showQuickPick(
    [
      {
        label: l10n.t('Twice as many pages'),
        ...(pageLimit && { description: l10n.t('At most {0}', count(twice, 'page')) }),
        limit: undefined,
      },
      ...most.map((limit) => ({ label: l10n.t('At most {0}', count(limit, 'page')), limit })),
    ],
    { title: l10n.t('Continue Crawl'), placeHolder: crawl && pagesText(crawl) },
  );
  if (!choice) return;
  const { limit } = choice;
  await embedded.continueCrawl({ params: { jobId: id }, body: limit === undefined ? {} : { limit } });
  crawls.continued(id);
  await reveal(id);
}

/** Crawls a site again, and shows how its pages differ. */
async function repeatCrawl({ connection, crawls, reveal }: StartParts, id: string): Promise<void> {
  const why = l10n.t("This server can't repeat a crawl. Start a new one.");
  const { embedded } = await connection.embedded(why);
  const started = await embedded.repeatCrawl({ params: { jobId: id }, body: {} });
  crawls.repeated(started.id, started.url, crawls.store.find(id));
  await reveal(started.id);
}

/** Tells that a crawl started by this window has ended. */
async function notifyEnded(crawl: Crawl, { reveal, endings }: StartParts): Promise<void> {
  if (!crawl.own || crawl.status === 'cancelled') return;
  const site = crawl.url ? shortAddress(crawl.url, 60) : crawl.shortId;
  const failed = crawl.status === 'failed' || isEmpty(crawl);
  const hasOutside = crawl.leftOut.some(({ reason }) => reason === 'section');
  const parent = crawl.completed === 1 && hasOutside ? parentOf(crawl.redirectedTo ?? crawl.url) : undefined;
  const resume = l10n.t('Continue…');
  const higher = parent && l10n.t('Start at {0}…', shortAddress(parent, 40));
  const ways = failed ? [] : [beyondLimit(crawl.leftOut) && resume, higher].filter((way) => typeof way === 'string');
  const chosen = await endings.tell(views.activeCrawls, { text: endedText(site, crawl), failed, ways });
  if (chosen === 'open') await reveal(crawl.id, true);
  else if (chosen?.way === resume) await vscode.commands.executeCommand(commands.continueCrawl, { crawlId: crawl.id });
  else if (chosen) await vscode.commands.executeCommand(commands.startCrawl, parent);
}

async function chooseId(crawls: readonly Crawl[], argument: CrawlArgument, title: string): Promise<string | undefined> {
  const id = argument?.crawlId ?? argument?.job?.id;
  if (typeof id === 'string') return id;
  const start = { title: l10n.t('Start Crawl…'), command: commands.startCrawl };
  const none = new UserError(l10n.t('No crawls found.'), [start]);
  const known = crawls.filter(({ hasId }) => hasId);
  const items = known.map((crawl) => {
    const { label, description } = crawlTexts(crawl, Date.now());
    return { label, description, id: crawl.id };
  });
  return (await chooseFrom(items, none, { title }))?.id;
}
