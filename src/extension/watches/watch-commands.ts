import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import type { Connection, FeatureParts } from '../connection/connection.ts';
import { registerCommand, UserError } from '../ui/commands.ts';
import { askText, cancellable, chooseFrom, confirm } from '../ui/dialogs.ts';
import { type CommandId, commands } from '../ui/ids.ts';
import { label, serverTime } from '../ui/text/text.ts';
import { isWatchNode, type WatchNode } from '../ui/tree-rows.ts';
import type { Matter, Subject, Told } from './ask-watch.ts';
import type { WatchNotices } from './notices.ts';
import type { ChangeArgument } from './open-change.ts';
import { scheduleText, toldText, watchTexts, windowTimeZone } from './watch-texts.ts';
import type { PolledWatches, Watch } from './watches-store.ts';
import type { WatchesTree } from './watches-tree.ts';

export interface WatchParts extends FeatureParts {
  watches: PolledWatches;
  tree: WatchesTree;
  notices: WatchNotices;
  /** Returns the URL of the webhook receiver while it is listening. */
  webhookUrl(): string | undefined;
  /** Returns the site of a crawl with its options, as far as this window knows them. */
  crawl(id: string): Promise<{ url: string; crawlOptions: Readonly<Record<string, unknown>> } | undefined>;
  /** Selects the row of a watch and expands it. */
  reveal(row: WatchNode): Promise<void>;
}

/** The argument of a command: a row of a watch, or nothing from the palette. */
type WatchArgument = { watchId?: unknown } | undefined;

export function registerWatchCommands(parts: WatchParts): vscode.Disposable {
  const { connection, watches, notices, tree, log } = parts;
  const command = <Argument>(id: CommandId, run: (argument: Argument) => unknown) =>
    registerCommand<[Argument]>(id, log, run);
  const onWatch = (id: CommandId, title: string, run: (watch: Watch) => Promise<unknown>) =>
    command<WatchArgument>(id, async (argument) => {
      const watch = await chooseWatch(parts, argument, title);
      if (watch) await run(watch);
    });

  return vscode.Disposable.from(
    command<unknown>(commands.watchForChanges, async (argument) => {
      const { askSubject } = await import('./subjects.ts');
      await askSubject(parts, argument, (subject) => createWatch(parts, subject));
    }),
    onWatch(commands.checkWatch, l10n.t('Select a watch to check'), async ({ id }) => {
      const { client } = await connection.access();
      await client.runMonitor({ params: { monitorId: id } });
      watches.changed();
    }),
    onWatch(commands.pauseWatch, l10n.t('Select a watch to pause or resume'), async ({ id, paused }) => {
      const { client } = await connection.access();
      await client.updateMonitor({ params: { monitorId: id }, body: { status: paused ? 'active' : 'paused' } });
      watches.changed();
    }),
    onWatch(commands.editWatch, l10n.t('Select a watch to edit'), (watch) => editWatch(parts, watch)),
    onWatch(commands.deleteWatch, l10n.t('Select a watch to delete'), async (watch) => {
      const question = l10n.t('Delete the watch {0}?', label(watch.name, 60));
      if (!(await confirm(question, l10n.t('Delete Watch'), l10n.t('Its checks are deleted too.')))) return;
      const { client } = await connection.access();
      await client.deleteMonitor({ params: { monitorId: watch.id } });
      await notices.set(watch.id, false, 0);
      watches.changed();
    }),
    command<ChangeArgument>(commands.openChange, async (change) => {
      const { openChange } = await import('./open-change.ts');
      await openChange(parts, change);
    }),
    command<WatchNode>(commands.loadMoreChecks, (node) => {
      if (isWatchNode(node)) tree.loadMore(node);
    }),
  );
}

async function createWatch(parts: WatchParts, subject: Subject): Promise<void> {
  const { connection, watches, tree, notices, reveal } = parts;
  const { askMatter, askSchedule, askTold, nameOf, watchTitle } = await import('./ask-watch.ts');
  const cron = await askSchedule(watchTitle(l10n.t('How Often')));
  if (cron === undefined) throw new vscode.CancellationError();
  const matter = await askMatter(watchTitle(l10n.t('What Matters')), subject, hasModel(connection));
  if (!matter) throw new vscode.CancellationError();
  const told = await askTold(watchTitle(l10n.t('Notifications')), parts.webhookUrl());
  if (!told) throw new vscode.CancellationError();
  const id = await cancellable(l10n.t('Web Data: Creating the watch…'), async (signal) => {
    const { client } = await connection.access();
    const body = {
      name: nameOf(subject),
      schedule: { cron, timezone: windowTimeZone() },
      targets: [targetOf(subject, matter)],
      ...(matter.goal !== undefined && { goal: matter.goal }),
      ...(told.by === 'webhook' && { webhook: { url: told.url } }),
    };
    const { data: monitor } = await client.createMonitor({ body }, { signal });
    // What is there now is what later checks are compared with.
    const { data: check } = await client.runMonitor({ params: { monitorId: monitor.id } });
    const first = serverTime(check.createdAt) ?? Date.now();
    await notices.set(monitor.id, told.by === 'notice', first);
    return monitor.id;
  });
  await watches.readNow();
  await reveal(tree.row(id));
}

function hasModel({ target, languageModel }: Connection): boolean {
  // Whether another server has one isn't known.
  return target.kind === 'server' || languageModel !== undefined;
}

type Target = Parameters<Client['createMonitor']>[0]['body']['targets'][number];

function targetOf(subject: Subject, { selector, fields }: Matter): Target {
  const read =
    (selector !== undefined && { scrapeOptions: { includeTags: [selector] } }) ||
    (fields !== undefined && { scrapeOptions: { formats: [{ type: 'json' as const, schema: schemaOf(fields) }] } });
  switch (subject.kind) {
    case 'page':
      return { type: 'scrape', urls: [subject.url], ...read };
    case 'site':
      return {
        type: 'crawl',
        url: subject.url,
        ...(subject.crawlOptions && { crawlOptions: subject.crawlOptions }),
        ...read,
      };
    case 'search':
      return { type: 'search', queries: [subject.query] };
  }
}

/** A JSON schema of fields whose values are texts. */
function schemaOf(fields: readonly string[]) {
  return { type: 'object', properties: Object.fromEntries(fields.map((name) => [name, { type: 'string' }])) };
}

/** Asks what to change of a watch, and changes it. */
async function editWatch(parts: WatchParts, watch: Watch): Promise<void> {
  const { connection, watches, notices, tree } = parts;
  const { askGoal, askSchedule, askTold } = await import('./ask-watch.ts');
  const often = {
    label: l10n.t('$(clock) How Often…'),
    ...(watch.cron !== undefined && { description: scheduleText(watch.cron) }),
  };
  const who = { label: l10n.t('$(bell) Notifications…'), description: toldText(watch, notices.has(watch.id)) };
  const what = {
    label: l10n.t('$(comment) What Matters…'),
    description: watch.goal === undefined ? l10n.t('any change') : label(watch.goal, 100),
  };
  const name = { label: l10n.t('$(edit) Name…'), description: label(watch.name, 100) };
  const choices = [often, who, ...(watch.goal !== undefined || hasModel(connection) ? [what] : []), name];
  const title = label(watch.name, 100);
  const chosen = await vscode.window.showQuickPick(choices, { title, ignoreFocusOut: true });
  const change = async (body: Parameters<Client['updateMonitor']>[0]['body']) => {
    const { client } = await connection.access();
    await client.updateMonitor({ params: { monitorId: watch.id }, body });
    watches.changed();
  };
  if (chosen === often) {
    const cron = await askSchedule(title, watch.cron);
    if (cron !== undefined) await change({ schedule: { cron, timezone: windowTimeZone() } });
  }
  if (chosen === who) {
    const told: Told | undefined = await askTold(title, watch.webhookUrl ?? parts.webhookUrl());
    if (!told) return;
    if ((told.by === 'webhook' ? told.url : undefined) !== watch.webhookUrl) {
      await change({ webhook: told.by === 'webhook' ? { url: told.url } : null });
    }
    await notices.set(watch.id, told.by === 'notice', watch.lastRunAt ?? Date.now());
    watches.changed();
    tree.redraw([watch.id]);
  }
  if (chosen === what) {
    const goal = await askGoal(title, watch.goal);
    if (goal !== undefined) await change({ goal });
  }
  if (chosen === name) {
    const text = await askText({ title, value: watch.name });
    if (text) await change({ name: text });
  }
}

async function chooseWatch({ watches }: WatchParts, argument: WatchArgument, title: string) {
  const { store } = watches;
  if (typeof argument?.watchId === 'string') {
    const watch = store.find(argument.watchId);
    if (watch) return watch;
    throw new UserError(l10n.t('This watch no longer exists. Refresh the view, then choose another one.'));
  }
  await watches.readNow();
  const create = { title: l10n.t('Watch for Changes…'), command: commands.watchForChanges };
  const items = store.watches.map((watch) => {
    const { label, description } = watchTexts(watch, false, Date.now());
    return { label, description, watch };
  });
  return (await chooseFrom(items, new UserError(l10n.t('No watches found.'), [create]), { title }))?.watch;
}
