import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ActivityEndpoint } from '../../contract/team/team.ts';
import type { FeatureParts } from '../connection/connection.ts';
import { registerCommand, UserError } from '../ui/commands.ts';
import { askFile, cancellable, saveText, say } from '../ui/dialogs.ts';
import { type CommandId, commands } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { count } from '../ui/text/text.ts';
import type { ActivityEntry } from './activity-store.ts';
import { noRecordReason } from './activity-texts.ts';
import type { RecentActivity } from './recent-activity.ts';
import {
  type ActivityRecord,
  fetchRecord,
  maxCharacters,
  type RecordRequest,
  readWhole,
  recordName,
  sizeOf,
} from './record.ts';
import { jobOf, type Kind, kindOf, kinds } from './requests.ts';

interface Parts extends FeatureParts {
  activity: RecentActivity;
}

/** Kinds of request that the embedded service doesn't have. */
const onlyOthers = new Set(['llmstxt', 'deep_research']);

/** The argument of a command: a tree row, its key, a crawl's row, or a job's kind and id from elsewhere. */
type RecordArgument =
  | { entry?: ActivityEntry; key?: unknown; endpoint?: unknown; id?: unknown; crawlId?: unknown }
  | undefined;

export function registerActivityCommands(parts: Parts): vscode.Disposable {
  const { activity, documents, log } = parts;
  const disposables = new Disposables();
  const command = (id: CommandId, run: (argument: RecordArgument) => unknown) =>
    disposables.add(registerCommand<[RecordArgument]>(id, log, run));

  command(commands.loadMoreActivity, () => activity.loadMore());
  command(commands.filterActivity, () => chooseFilter(parts));
  command(commands.openRecord, async (argument) => {
    const isCrawl = argument === undefined || argument.crawlId !== undefined;
    if (isCrawl) return void (await vscode.commands.executeCommand(commands.openCrawl, argument));
    const found = findRequest(parts, argument);
    const record = await loadRecord(parts, found);
    const text = record ? await wholeJson(parts, found, record) : placeholderRecord(found);
    if (text === undefined) return;
    const editor = await documents.open(`record/${recordName(found)}.json`, text);
    if (record && jobOf(found)) await foldPages(editor);
  });
  command(commands.saveRecord, async (argument) => {
    const found = findRequest(parts, argument);
    const record = await loadRecord(parts, found);
    if (record) await save(recordName(found), record);
  });
  command(commands.copyId, async (argument) => {
    const isPage = argument === undefined || 'job' in argument || 'scrapeId' in argument;
    if (isPage) return void (await vscode.commands.executeCommand(commands.copyPageUrl, argument));
    const { id } = argument?.crawlId === undefined ? findRequest(parts, argument) : { id: String(argument.crawlId) };
    if (!id) throw new UserError(l10n.t("The server didn't return an ID for this request."));
    await vscode.env.clipboard.writeText(id);
    say(l10n.t('$(check) ID copied'));
  });
  return disposables;
}

type Found = RecordRequest & { entry?: ActivityEntry };

function findRequest({ activity }: Parts, argument: RecordArgument): Found {
  const key = argument?.entry?.key ?? argument?.key;
  if (key !== undefined) {
    const entry = activity.store.entries.find((one) => one.key === key);
    if (!entry)
      throw new UserError(l10n.t('This request is no longer in the list. Activity shows only the last 24 hours.'));
    return { ...entry, entry };
  }
  if (typeof argument?.endpoint === 'string' && typeof argument.id === 'string') {
    const { endpoint, id } = argument;
    const entry = activity.store.entries.find((one) => one.id === id && one.endpoint === endpoint);
    return { endpoint, id, target: entry?.target, ...(entry && { entry }) };
  }
  throw new UserError(l10n.t('Select a request in the Activity view first.'));
}

async function loadRecord({ connection }: Parts, found: Found): Promise<ActivityRecord | undefined> {
  const { name, retrieval } = kindOf(found.endpoint);
  if (!found.id || !retrieval) return undefined;
  return await cancellable(l10n.t('Web Data: Loading a record ({0})…', name), async (signal) => {
    const { client } = await connection.access();
    return await fetchRecord(client, found, signal);
  });
}

/** Returns a record with all pages of a crawl or batch; undefined if they are too many for a document and the user chose otherwise. */
async function wholeJson({ connection }: Parts, found: Found, { json, state }: ActivityRecord) {
  const job = jobOf(found);
  if (!job || !state) return json;
  const size = sizeOf(state);
  if (!size) return json;
  if (size.characters > maxCharacters) {
    const open = l10n.t('Open First {0}', count(size.fitting, 'page'));
    const saveAsJsonl = l10n.t('Save as JSONL…');
    const chosen = await vscode.window.showWarningMessage(
      l10n.t('The JSON of {0} is about {1}.', count(size.pages, 'page'), megabytes(size.characters)),
      {
        modal: true,
        detail: l10n.t('An editor can hold about {0}. To get all pages, save them as JSONL.', megabytes(maxCharacters)),
      },
      saveAsJsonl,
      open,
    );
    if (chosen === saveAsJsonl) await vscode.commands.executeCommand(commands.savePages, { entry: found }, 'jsonl');
    if (chosen !== open) return undefined;
  }
  return await cancellable(l10n.t('Web Data: Loading {0}…', count(size.pages, 'page')), async (signal) => {
    const { client } = await connection.access();
    return await readWhole(client, job, state, signal);
  });
}

function megabytes(characters: number): string {
  return `${Math.round(characters / 1_000_000).toLocaleString('en-US')} MB`;
}

/** The document of a request without a record: what the list says of it, and why there is no record. */
function placeholderRecord({ endpoint, id, target, entry }: Found): string {
  const { createdAt, apiVersion } = entry ?? {};
  const note = entry ? noRecordReason(entry) : undefined;
  const created = createdAt === undefined ? undefined : new Date(createdAt).toISOString();
  return JSON.stringify({ note, endpoint, id, target, created_at: created, api_version: apiVersion }, undefined, 2);
}

/** Folds each page of a crawl or batch scrape; what a scrape or an extract job found stays open. */
async function foldPages(editor: vscode.TextEditor): Promise<void> {
  // Folding applies to the active editor, which may be another one by now.
  if (vscode.window.activeTextEditor !== editor) return;
  await vscode.commands.executeCommand('editor.foldLevel3');
}

async function chooseFilter({ activity, connection }: Parts): Promise<void> {
  const { filter } = activity.store;
  const isPossible = ({ id }: Kind) => connection.target.kind !== 'embedded' || !onlyOthers.has(id);
  const picked = await vscode.window.showQuickPick(
    [
      { label: l10n.t('All'), endpoint: undefined, description: filter === undefined ? l10n.t('currently shown') : '' },
      ...kinds.filter(isPossible).map(({ id, plural, icon }) => ({
        label: `$(${icon}) ${plural}`,
        endpoint: id,
        description: filter === id ? l10n.t('currently shown') : '',
      })),
    ],
    { title: l10n.t('Select the Requests to Show') },
  );
  if (picked) activity.filter(picked.endpoint as ActivityEndpoint | undefined);
}

/** Asks for a file and saves to it: the markdown of a scrape, or the whole record, depending on the extension. */
async function save(name: string, { json, markdown }: ActivityRecord): Promise<void> {
  const extension = markdown === undefined ? 'json' : 'md';
  const filters = { ...(markdown !== undefined && { Markdown: ['md'] }), JSON: ['json'] };
  const target = await askFile(l10n.t('Save Record'), `${name}.${extension}`, filters);
  if (!target) return;
  await saveText(target, markdown !== undefined && /\.(?:md|markdown|txt)$/i.test(target.path) ? markdown : json);
}
