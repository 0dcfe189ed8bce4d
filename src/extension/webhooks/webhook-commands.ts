import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FeatureParts } from '../connection/connection.ts';
import { registerCommand, UserError } from '../ui/commands.ts';
import { chooseFrom, confirm, openNew, say } from '../ui/dialogs.ts';
import { type CommandId, commands } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { count, label, shortId } from '../ui/text/text.ts';
import { deliveryDocument, requestDocument, responseDocument } from './delivery-documents.ts';
import { timeOf, verificationWords } from './delivery-texts.ts';
import { deleteEdited, editDelivery, isEdited, manageHandler, sendEdited, sendToHandler } from './forward-commands.ts';
import type { StoredDelivery } from './receiver/deliveries.ts';
import { manageSecret } from './verification/secret-commands.ts';
import { insertionFor, type VerificationLanguage, verificationFiles } from './verification/verification-code.ts';
import type { WindowReceiver } from './window-receiver.ts';

interface Parts extends Pick<FeatureParts, 'documents' | 'log'> {
  receiver: WindowReceiver;
  extensionUri: vscode.Uri;
  /** Shows the handler's responses below a delivery. */
  reveal(num: number): Promise<void>;
}

/** The argument of a command: a tree row, or nothing from the palette. */
type RowArgument = { num?: unknown; fact?: unknown } | undefined;

export function registerWebhookCommands({ receiver, documents, extensionUri, reveal, log }: Parts): vscode.Disposable {
  const { store } = receiver;
  const disposables = new Disposables();
  const command = (id: CommandId, run: (argument: RowArgument) => unknown) =>
    disposables.add(registerCommand<[RowArgument]>(id, log, run));
  const forDelivery = (id: CommandId, title: string, run: (num: number) => unknown) =>
    command(id, async (argument) => {
      const num = typeof argument?.num === 'number' ? argument.num : await pickDelivery(receiver, title);
      return num === undefined ? undefined : await run(num);
    });

  command(commands.startWebhookReceiver, () => receiver.start());
  command(commands.stopWebhookReceiver, () => receiver.stop());
  command(commands.copyWebhookUrl, async (argument) => {
    const { url, publicUrl = url } = await receiver.start();
    const { fact } = argument ?? {};
    const copied = fact === 'url' ? url : fact === 'publicUrl' ? publicUrl : (receiver.currentUrl ?? url);
    await vscode.env.clipboard.writeText(copied);
    say(l10n.t('$(check) Webhook URL copied'));
    return copied;
  });
  command(commands.setWebhookSecret, () => manageSecret(receiver));
  command(commands.setWebhookHandler, () => manageHandler(receiver));

  command(commands.filterWebhooks, async (argument) => {
    const given = typeof argument?.num === 'number' ? store.find(argument.num)?.jobId : undefined;
    const chosen = given === undefined ? await pickJob(receiver) : { jobId: given };
    if (!chosen) return;
    store.show(chosen.jobId);
    await receiver.refresh();
  });
  command(commands.loadMoreWebhooks, async () => {
    store.showMore();
    await receiver.refresh();
  });
  command(commands.clearWebhooks, async () => {
    if (!(await confirmClear(receiver))) return;
    await (await receiver.thread()).call('clear', undefined);
    await deleteEdited(receiver);
    store.show(undefined);
    await receiver.refresh();
  });

  const openJson = async (num: number, delivery: StoredDelivery) =>
    void (await documents.open(`delivery ${num} ${delivery.type}.json`, deliveryDocument(delivery)));
  forDelivery(commands.openWebhookDelivery, l10n.t('Select a Delivery to Open'), async (num) =>
    openJson(num, await receiver.delivery(num)),
  );
  forDelivery(commands.openWebhookAs, l10n.t('Select a Delivery to Open'), async (num) => {
    const { markdownPages } = await import('./receiver/parse-delivery.ts');
    const delivery = await receiver.delivery(num);
    const pages = markdownPages(delivery.body);
    const json = { label: l10n.t('$(json) JSON'), description: l10n.t('the body') };
    const request = { label: l10n.t('$(code) HTTP Request'), description: l10n.t('with its headers') };
    const markdown = { label: l10n.t('$(markdown) Markdown'), description: l10n.t('the page in it') };
    const title = l10n.t('Open Delivery As');
    const chosen = await vscode.window.showQuickPick([json, request, ...(pages.length > 0 ? [markdown] : [])], {
      title,
    });
    if (chosen === json) await openJson(num, delivery);
    if (chosen === request) await documents.open(`delivery ${num} ${delivery.type}.http`, requestDocument(delivery));
    const page = chosen === markdown ? (pages.length === 1 ? pages[0] : await pickPage(pages)) : undefined;
    if (page) await documents.open(`delivery ${num} ${label(page.title, 60) || 'page'}.md`, page.markdown);
  });
  command(commands.replayWebhook, async (argument) => {
    const row = typeof argument?.num === 'number' ? argument.num : undefined;
    if (row === undefined && isEdited(vscode.window.activeTextEditor?.document)) {
      const sent = await sendEdited(receiver);
      if (sent) await showResponse(sent.num);
      return sent;
    }
    const num = row ?? (await pickDelivery(receiver, l10n.t('Select a Delivery to Replay')));
    const result = num === undefined ? undefined : await sendToHandler(receiver, num);
    if (num !== undefined && result) await reveal(num);
    return result;
  });
  forDelivery(commands.editWebhook, l10n.t('Select a Delivery to Edit and Replay'), (num) =>
    editDelivery(receiver, num),
  );
  const showResponse = async (num: number) => {
    const forwarding = await (await receiver.thread()).call('forwarding', { num });
    if (!forwarding)
      throw new UserError(l10n.t('This response is no longer stored. Replay the delivery to get a new one.'));
    await documents.open(`handler response ${num}.http`, responseDocument(forwarding));
  };
  command(commands.openWebhookResponse, async (argument) => {
    if (typeof argument?.num === 'number') await showResponse(argument.num);
  });
  command(commands.insertWebhookVerification, () => insertVerificationCode(extensionUri));
  return disposables;
}

async function pickDelivery(receiver: WindowReceiver, title: string): Promise<number | undefined> {
  await receiver.refresh();
  const { deliveries } = receiver.store.shown;
  const start = { title: l10n.t('Start Webhook Receiver'), command: commands.startWebhookReceiver };
  const items = deliveries.map((delivery) => ({
    label: label(delivery.type, 40),
    description: l10n.t(
      '{0} · job {1} · {2}',
      timeOf(delivery.receivedAt, Date.now()),
      shortId(delivery.jobId),
      verificationWords[delivery.verification],
    ),
    detail: delivery.pageUrl && label(delivery.pageUrl, 100),
    num: delivery.num,
  }));
  const options = { title, matchOnDescription: true, matchOnDetail: true };
  return (await chooseFrom(items, new UserError(l10n.t('No deliveries yet.'), [start]), options))?.num;
}

async function pickJob(receiver: WindowReceiver): Promise<{ jobId: string | undefined } | undefined> {
  const jobs = await (await receiver.thread()).call('jobs', undefined);
  const all = { label: l10n.t('All'), description: '', jobId: undefined };
  const ofJobs = jobs.map(({ jobId, count: deliveries, kind, lastAt }) => ({
    label: label(jobId, 60) || l10n.t('no job ID'),
    description: `${label(kind.split('.')[0] ?? '', 30)} · ${count(deliveries, 'delivery')} · ${timeOf(lastAt, Date.now())}`,
    jobId,
  }));
  return await vscode.window.showQuickPick([...(receiver.store.shown.jobId === undefined ? [] : [all]), ...ofJobs], {
    title: l10n.t('Select a Job to Show Its Deliveries'),
  });
}

async function pickPage<Page extends { url: string; title: string }>(pages: readonly Page[]) {
  const picked = await vscode.window.showQuickPick(
    pages.map((page) => ({
      label: label(page.title, 80) || label(page.url, 80),
      description: label(page.url, 100),
      page,
    })),
    { title: l10n.t('Select a Page to Open') },
  );
  return picked?.page;
}

async function confirmClear(receiver: WindowReceiver): Promise<boolean> {
  const { total } = await (await receiver.thread()).call('list', { jobId: undefined, limit: 1 });
  if (total === 0) return false;
  return await confirm(
    total === 1 ? l10n.t('Delete the recorded delivery?') : l10n.t('Delete all {0} recorded deliveries?', total),
    l10n.t('Delete'),
    l10n.t(
      "Your handler's responses are deleted too. Deliveries that are sent again are still recognized as duplicates.",
    ),
  );
}

const names: Record<string, VerificationLanguage> = { TypeScript: 'typescript', Python: 'python', Go: 'go' };

/** Inserts code that verifies deliveries into the active editor; if its language isn't supported, into a new document. */
async function insertVerificationCode(extensionUri: vscode.Uri): Promise<void> {
  const active = vscode.window.activeTextEditor;
  const known = active && !active.document.isClosed && Object.hasOwn(verificationFiles, active.document.languageId);
  const language = known ? (active.document.languageId as VerificationLanguage) : await pickLanguage();
  if (!language) return;
  const editor = known ? active : await openNew(language);
  const file = vscode.Uri.joinPath(extensionUri, 'media', 'webhook-verification', verificationFiles[language]);
  const code = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  const { importLine, imports, code: body } = insertionFor(language, code, editor.document.getText());
  await editor.edit((edit) => {
    if (importLine !== undefined) edit.insert(new vscode.Position(importLine, 0), imports);
    edit.insert(editor.selection.active, body);
  });
}

async function pickLanguage(): Promise<VerificationLanguage | undefined> {
  const picked = await vscode.window.showQuickPick(Object.keys(names), {
    title: l10n.t('Select a Language for the Verification Code'),
  });
  return picked === undefined ? undefined : names[picked];
}
