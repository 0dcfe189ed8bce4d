import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { JobRef } from '../../../client/job-documents.ts';
import type { FeatureParts } from '../../connection/connection.ts';
import { inBackground, registerCommand, UserError } from '../../ui/commands.ts';
import { askFile, askFolder, cancellable, confirm, withNotification } from '../../ui/dialogs.ts';
import { commands } from '../../ui/ids.ts';
import { withoutContent } from '../../ui/text/page-texts.ts';
import { count, hostOf, label } from '../../ui/text/text.ts';
import { safeFileName } from '../../ui/virtual-documents/file-names.ts';
import type { PagesStore } from '../pages-store.ts';
import { failuresOf } from '../sources/page-source.ts';
import { chooseJob, type JobArgument } from '../which-job.ts';
import type { ExportFormat, ExportPlan } from './export-pages.ts';

interface Parts extends Pick<FeatureParts, 'connection' | 'log'> {
  store: PagesStore;
}

/** Registers "Save Pages As…". Its argument may name a format; otherwise it asks. */
export function registerSaveCommand(parts: Parts): vscode.Disposable {
  return registerCommand<[JobArgument, unknown?]>(commands.savePages, parts.log, async (argument, given) => {
    const job = await chooseJob(parts.connection, argument, l10n.t('Save Pages'));
    const format = job && (given === 'jsonl' ? given : await chooseFormat());
    if (!format) return;
    const all = await makePlan(parts, job, format);
    const plan = await chooseChanges(all);
    if (!plan || !(await confirmMissing(plan))) return;
    if (format === 'files') return await saveFiles(parts, job, plan);
    const fields = format === 'csv' ? await chooseFields(plan) : undefined;
    if (format === 'jsonl' || fields) await saveText(parts, job, plan, fields);
  });
}

async function chooseFormat(): Promise<ExportFormat | undefined> {
  const formats: (vscode.QuickPickItem & { format: ExportFormat })[] = [
    { label: l10n.t('$(files) Files'), description: l10n.t('Markdown, a folder per site'), format: 'files' },
    { label: l10n.t('$(json) JSONL'), description: l10n.t('all fields, a page per line'), format: 'jsonl' },
    { label: l10n.t('$(table) CSV'), description: l10n.t('the columns you select'), format: 'csv' },
  ];
  const picked = await vscode.window.showQuickPick(formats, { title: l10n.t('Save All Pages As') });
  return picked?.format;
}

/** Asks whether to save only what changed, if the crawl repeats another one and something did. */
async function chooseChanges(all: ExportPlan): Promise<ExportPlan | undefined> {
  const { onlyChangesOf } = await import('./export-pages.ts');
  const changes = onlyChangesOf(all);
  if (changes.pages === 0) return all;
  const choices = [
    { label: l10n.t('All Pages'), description: count(all.pages, 'page'), plan: all },
    { label: l10n.t('Only Changes'), description: count(changes.pages, 'page'), plan: changes },
  ];
  return (await vscode.window.showQuickPick(choices, { title: l10n.t('Save Pages') }))?.plan;
}

async function makePlan({ connection }: Parts, job: JobRef, format: ExportFormat): Promise<ExportPlan> {
  const { planExport } = await import('./export-pages.ts');
  const plan = await cancellable(l10n.t('Web Data: Reading the crawl…'), async (signal) => {
    const { client } = await connection.access();
    return await planExport(client, job, format, signal);
  });
  const { errors, robotsBlocked } = plan.errors;
  if (plan.pages === 0 && (format === 'files' || errors.length + robotsBlocked.length === 0)) {
    throw new UserError(l10n.t('There are no pages to save yet.'));
  }
  return plan;
}

/** Says what the export will lack, before anything is written. */
async function confirmMissing({ missing, pages }: ExportPlan): Promise<boolean> {
  if (missing.length === 0) return true;
  const question = l10n.t('Save {0}? Not everything can be saved.', count(pages, 'page'));
  return await confirm(question, l10n.t('Save Anyway'), missing.join('\n'));
}

async function saveFiles({ store, connection, log }: Parts, job: JobRef, plan: ExportPlan): Promise<void> {
  const title = l10n.t('Save {0} as Files: Select a Folder', count(plan.pages, 'page'));
  const folder = await askFolder(title, l10n.t('Save Here'));
  if (!folder) return;
  const [{ exportFiles }, { folderTarget }] = await Promise.all([import('./export-pages.ts'), import('./targets.ts')]);
  const write = folderTarget(folder);
  const saved = await withCount(plan.pages, async (signal, progress) => {
    const { client } = await connection.access();
    const source = await store.source(job);
    return await exportFiles({ client, job, plan, source, signal, progress }, write);
  });
  const failed = failuresOf(plan.errors).length;
  const sentences = [
    l10n.t('Saved {0} as files in {1}.', count(saved.files, 'page'), nameOf(folder)),
    saved.withoutMarkdown > 0 && l10n.t('Left out {0} without Markdown.', count(saved.withoutMarkdown, 'page')),
    failed > 0 && withoutContent(failed),
  ].flatMap((sentence) => sentence || []);
  const reveal = () => vscode.commands.executeCommand('revealInExplorer', folder);
  inBackground(commands.savePages, tellSaved(sentences, job, plan, l10n.t('Reveal in Explorer'), reveal), log);
}

/** Tells what was saved and what is missing, with buttons that open it and that get what is beyond the limit. */
async function tellSaved(
  saved: readonly string[],
  job: JobRef,
  plan: ExportPlan,
  title: string,
  open: () => unknown,
): Promise<void> {
  const text = l10n.t('Web Data: {0}', [...saved, ...plan.unread].join(' '));
  const ways = plan.isCut && job.kind === 'crawl' ? [l10n.t('Continue…')] : [];
  const chosen = await vscode.window.showInformationMessage(text, title, ...ways);
  if (chosen === title) await open();
  else if (chosen) await vscode.commands.executeCommand(commands.continueCrawl, { crawlId: job.id });
}

function nameOf({ path }: vscode.Uri): string {
  return label(path.split('/').at(-1) ?? '', 60);
}

async function saveText({ connection, log }: Parts, job: JobRef, plan: ExportPlan, fields?: string[]): Promise<void> {
  const extension = fields ? 'csv' : 'jsonl';
  const host = hostOf(plan.sample[0]?.metadata?.url ?? plan.sample[0]?.metadata?.sourceURL);
  const uri = await askFile(
    l10n.t('Save Pages as {0}', extension.toUpperCase()),
    `${safeFileName(host, 'pages')}.${extension}`,
    fields ? { CSV: ['csv'] } : { 'JSON Lines': ['jsonl'] },
  );
  if (!uri) return;
  const [{ exportText }, { textTarget }] = await Promise.all([import('./export-pages.ts'), import('./targets.ts')]);
  const target = await textTarget(uri);
  try {
    const { pages, failures } = await withCount(plan.pages, async (signal, progress) => {
      const { client } = await connection.access();
      return await exportText({ client, job, plan, signal, progress, ...(fields && { fields }) }, target.write);
    });
    await target.finish();
    const whole = [count(pages, 'page'), nameOf(uri)] as const;
    const saved =
      failures > 0
        ? l10n.t('Saved {0} to {1}, plus the errors of {2}.', ...whole, count(failures, 'page'))
        : l10n.t('Saved {0} to {1}.', ...whole);
    const open = () => vscode.window.showTextDocument(uri);
    inBackground(commands.savePages, tellSaved([saved], job, plan, l10n.t('Open'), open), log);
  } catch (error) {
    await target.discard().catch(() => undefined);
    throw error;
  }
}

/** Runs a task with a notification that shows the number of pages written, and can be canceled. */
async function withCount<Result>(
  total: number,
  task: (signal: AbortSignal, progress: (written: number) => void) => Promise<Result>,
): Promise<Result> {
  return await withNotification(l10n.t('Web Data: Saving pages…'), async (signal, shown) => {
    let last = 0;
    const progress = (written: number) => {
      const increment = total > 0 ? ((written - last) * 100) / total : 0;
      last = written;
      const message = l10n.t('{0} of {1}', written.toLocaleString('en-US'), count(total, 'page'));
      shown.report({ message, increment });
    };
    return await task(signal, progress);
  });
}

async function chooseFields({ sample }: ExportPlan): Promise<string[] | undefined> {
  const { fieldsOf, usualFields } = await import('./export-pages.ts');
  const picked = await vscode.window.showQuickPick(
    fieldsOf(sample).map((field) => ({ label: label(field, 100), picked: usualFields.includes(field), field })),
    { title: l10n.t('Save Pages as CSV: Select the Columns'), canPickMany: true },
  );
  return picked && picked.length > 0 ? picked.map(({ field }) => field) : undefined;
}
