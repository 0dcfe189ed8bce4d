import * as vscode from 'vscode';
import { registerCommand, requireTrust, UserError } from '../ui/commands.ts';
import { commands } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { label, shortId } from '../ui/text.ts';
import type { VirtualDocuments } from '../ui/virtual-documents.ts';
import { deliveryDocument, requestDocument, responseDocument } from './delivery-documents.ts';
import { timeOf } from './delivery-texts.ts';
import { askForHandler, editDelivery, sendEdited, sendToHandler } from './forward-commands.ts';
import type { StoredDelivery } from './receiver/deliveries.ts';
import { manageSecret } from './verification/secret-commands.ts';
import { insertVerificationCode } from './verification/verification.ts';
import type { Webhooks } from './window-receiver.ts';

interface Parts {
  webhooks: Webhooks;
  documents: VirtualDocuments;
  extensionUri: vscode.Uri;
  /** Shows the answers of the handler below a delivery. */
  reveal(num: number): Promise<void>;
  log: vscode.LogOutputChannel;
}

/** What a command is given: a row of the tree, or nothing from the palette. */
type RowArgument = { num?: unknown; fact?: unknown } | undefined;

export function registerWebhookCommands({ webhooks, documents, extensionUri, reveal, log }: Parts): vscode.Disposable {
  const { store } = webhooks;
  const disposables = new Disposables();
  const command = (id: Parameters<typeof registerCommand>[0], run: (argument: RowArgument) => unknown) =>
    disposables.add(
      registerCommand<[RowArgument]>(id, log, (argument) => {
        requireTrust();
        return run(argument);
      }),
    );
  const forDelivery = (id: Parameters<typeof registerCommand>[0], title: string, run: (num: number) => unknown) =>
    command(id, async (argument) => {
      const num = typeof argument?.num === 'number' ? argument.num : await pickDelivery(webhooks, title);
      return num === undefined ? undefined : await run(num);
    });

  command(commands.startWebhookReceiver, () => webhooks.start());
  command(commands.stopWebhookReceiver, () => webhooks.stop());
  command(commands.copyWebhookUrl, async (argument) => {
    const { url, publicUrl = url } = await webhooks.start();
    const { fact } = argument ?? {};
    const copied = fact === 'url' ? url : fact === 'publicUrl' ? publicUrl : await webhooks.urlForTarget();
    await vscode.env.clipboard.writeText(copied);
    vscode.window.setStatusBarMessage('$(check) Webhook URL copied', 5000);
    return copied;
  });
  command(commands.setWebhookSecret, () => manageSecret(webhooks));
  command(commands.setWebhookHandler, () => askForHandler(webhooks));
  command(commands.startWebhookForwarding, async () => {
    const handler = store.handler ?? (await askForHandler(webhooks));
    if (handler) await webhooks.setHandler(handler, true);
  });
  command(commands.stopWebhookForwarding, () => webhooks.setHandler(store.handler, false));

  command(commands.filterWebhooks, async (argument) => {
    const given = typeof argument?.num === 'number' ? store.find(argument.num)?.jobId : undefined;
    const jobId = given ?? (await pickJob(webhooks));
    if (jobId === undefined) return;
    store.show(jobId);
    await webhooks.refresh();
  });
  command(commands.clearWebhookFilter, async () => {
    store.show(undefined);
    await webhooks.refresh();
  });
  command(commands.loadMoreWebhooks, async () => {
    store.showMore();
    await webhooks.refresh();
  });
  command(commands.clearWebhooks, async () => {
    if (!(await mayClear(webhooks))) return;
    await (await webhooks.thread()).call('clear', undefined);
    store.show(undefined);
    await webhooks.refresh();
  });

  forDelivery(commands.openWebhookDelivery, 'Open which delivery?', async (num) => {
    const delivery = await fetchDelivery(webhooks, num);
    await documents.open(`delivery ${num} ${delivery.type}.json`, deliveryDocument(delivery));
  });
  forDelivery(commands.openWebhookRequest, 'Show which delivery?', async (num) => {
    const delivery = await fetchDelivery(webhooks, num);
    await documents.open(`delivery ${num} ${delivery.type}.http`, requestDocument(delivery, '/webhooks'));
  });
  forDelivery(commands.openWebhookMarkdown, 'Open the page of which delivery?', async (num) => {
    const { markdownPages } = await import('./receiver/parse-delivery.ts');
    const { body, type } = await fetchDelivery(webhooks, num);
    const pages = markdownPages(body);
    if (pages.length === 0) throw new UserError(`This ${label(type, 40)} holds no markdown.`);
    const page = pages.length === 1 ? pages[0] : await pickPage(pages);
    if (page) await documents.open(`delivery ${num} ${label(page.title, 60) || 'page'}.md`, page.markdown);
  });
  const send = async (num: number) => {
    const result = await sendToHandler(webhooks, num);
    if (result) await reveal(num);
    return result;
  };
  forDelivery(commands.forwardWebhook, 'Forward which delivery to the handler?', send);
  forDelivery(commands.replayWebhook, 'Replay which delivery to the handler?', send);
  forDelivery(commands.editWebhook, 'Edit and replay which delivery?', (num) => editDelivery(webhooks, num));
  command(commands.sendEditedWebhook, async () => {
    const result = await sendEdited(webhooks);
    if (result) await showResponse(result.num);
    return result;
  });
  const showResponse = async (num: number) => {
    const forwarding = await (await webhooks.thread()).call('forwarding', { num });
    if (!forwarding) throw new UserError('That answer is not kept any more.');
    await documents.open(`handler answer ${num}.http`, responseDocument(forwarding));
  };
  command(commands.openWebhookResponse, async (argument) => {
    if (typeof argument?.num === 'number') await showResponse(argument.num);
  });
  command(commands.insertWebhookVerification, () => insertVerificationCode(extensionUri));
  return disposables;
}

async function fetchDelivery(webhooks: Webhooks, num: number): Promise<StoredDelivery> {
  const delivery = await (await webhooks.thread()).call('get', { num });
  if (!delivery) throw new UserError('That delivery is not kept any more.');
  return delivery;
}

async function pickDelivery(webhooks: Webhooks, title: string): Promise<number | undefined> {
  await webhooks.refresh();
  const { deliveries } = webhooks.store;
  if (deliveries.length === 0) {
    throw new UserError('There is no delivery yet.', [
      { title: 'Start Webhook Receiver', command: commands.startWebhookReceiver },
    ]);
  }
  const picked = await vscode.window.showQuickPick(
    deliveries.map((delivery) => ({
      label: label(delivery.type, 40),
      description: `${timeOf(delivery.receivedAt, Date.now())} · job ${shortId(delivery.jobId)} · ${delivery.verification}`,
      detail: delivery.pageUrl && label(delivery.pageUrl, 100),
      num: delivery.num,
    })),
    { title, matchOnDescription: true, matchOnDetail: true },
  );
  return picked?.num;
}

async function pickJob(webhooks: Webhooks): Promise<string | undefined> {
  const jobs = await (await webhooks.thread()).call('jobs', undefined);
  const picked = await vscode.window.showQuickPick(
    jobs.map(({ jobId, count, kind, lastAt }) => ({
      label: label(jobId, 60) || 'no job named',
      description: `${label(kind.split('.')[0] ?? '', 30)} · ${count === 1 ? '1 delivery' : `${count} deliveries`} · ${timeOf(lastAt, Date.now())}`,
      jobId,
    })),
    { title: 'Show the deliveries of which job?' },
  );
  return picked?.jobId;
}

async function pickPage<Page extends { url: string; title: string }>(
  pages: readonly Page[],
): Promise<Page | undefined> {
  const picked = await vscode.window.showQuickPick(
    pages.map((page) => ({
      label: label(page.title, 80) || label(page.url, 80),
      description: label(page.url, 100),
      page,
    })),
    { title: 'Open which page?' },
  );
  return picked?.page;
}

async function mayClear(webhooks: Webhooks): Promise<boolean> {
  const { total } = await (await webhooks.thread()).call('list', { jobId: undefined, limit: 1 });
  if (total === 0) return false;
  const clear = 'Delete';
  const chosen = await vscode.window.showWarningMessage(
    total === 1 ? 'Delete the recorded delivery?' : `Delete all ${total} recorded deliveries?`,
    { modal: true, detail: 'What your handler answered goes with them. Deliveries that come again are still known.' },
    clear,
  );
  return chosen === clear;
}
