import * as vscode from 'vscode';
import { UserError } from '../ui/commands.ts';
import { duration, label } from '../ui/text.ts';
import { deliveryDocument } from './delivery-documents.ts';
import type { ForwardingSummary } from './receiver/deliveries.ts';
import type { Webhooks } from './window-receiver.ts';

/** Asks where the developer's handler listens; undefined when the person gave up. Empty forgets the handler. */
export async function askForHandler(webhooks: Webhooks): Promise<string | undefined> {
  const entered = await vscode.window.showInputBox({
    title: 'Webhook Handler',
    prompt: 'URL of your own handler; deliveries are posted to it with the bytes and headers they came with',
    placeHolder: 'http://localhost:3000/webhooks',
    value: webhooks.store.handler ?? '',
    ignoreFocusOut: true,
    validateInput: (text) => handlerProblem(text.trim()),
  });
  if (entered === undefined) return undefined;
  const url = entered.trim();
  await webhooks.setHandler(url || undefined, url !== '' && webhooks.store.forwardsNew);
  return url;
}

function handlerProblem(text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return 'Expected an http or https URL.';
  if (url.username || url.password) return 'Expected a URL without a user name and password.';
  return undefined;
}

/** Sends a delivery to the handler, asking for it first where none is set. A body in its place is signed anew. */
export async function sendToHandler(
  webhooks: Webhooks,
  num: number,
  body?: Uint8Array,
): Promise<ForwardingSummary | undefined> {
  const url = webhooks.store.handler ?? (await askForHandler(webhooks));
  if (!url) return undefined;
  const thread = await webhooks.thread();
  const call = `${num} ${Date.now()} ${Math.random()}`;
  const result = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: `Web Data: waiting for ${label(url, 60)}`, cancellable: true },
    (_progress, token) => {
      token.onCancellationRequested(() => void thread.call('giveUp', { call }));
      return thread.call('forward', { num, url, body, call });
    },
  );
  await webhooks.refresh();
  const outcome = result.error ?? `${result.status}, ${duration(result.ms)}`;
  vscode.window.setStatusBarMessage(`$(arrow-right) Handler: ${label(outcome, 80)}`, 5000);
  return result;
}

const editedName = /delivery-(\d+)\.webhook\.json$/;

/** Opens the body of a delivery as a document of the person's own, to be changed and sent. */
export async function editDelivery(webhooks: Webhooks, num: number): Promise<void> {
  const delivery = await (await webhooks.thread()).call('get', { num });
  if (!delivery) throw new UserError('That delivery is not kept any more.');
  const uri = vscode.Uri.from({ scheme: 'untitled', path: `delivery-${num}.webhook.json` });
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, { preview: false });
  // One that is open already holds the person's changes.
  if (document.getText() !== '') return;
  const edit = new vscode.WorkspaceEdit();
  edit.insert(uri, new vscode.Position(0, 0), deliveryDocument(delivery));
  await vscode.workspace.applyEdit(edit);
}

/** Sends the edited delivery in the active editor to the handler. */
export async function sendEdited(webhooks: Webhooks): Promise<ForwardingSummary | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  const num = Number(editedName.exec(document?.uri.path ?? '')?.[1]);
  if (!document || !Number.isInteger(num)) {
    throw new UserError('Open a delivery with Edit and Replay first; this editor holds none.');
  }
  return await sendToHandler(webhooks, num, new TextEncoder().encode(document.getText()));
}
