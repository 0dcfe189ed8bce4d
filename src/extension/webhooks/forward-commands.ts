import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { UserError } from '../ui/commands.ts';
import { duration, label } from '../ui/text/text.ts';
import { deliveryDocument } from './delivery-documents.ts';
import type { ForwardingSummary } from './receiver/deliveries.ts';
import type { WindowReceiver } from './window-receiver.ts';

/** Asks for the URL of the user's handler and saves it; empty removes the handler. Returns undefined if canceled. */
export async function askForHandler(receiver: WindowReceiver): Promise<string | undefined> {
  const entered = await vscode.window.showInputBox({
    title: l10n.t('Webhook Handler'),
    prompt: l10n.t('URL of your webhook handler. Deliveries are forwarded to it with their original body and headers.'),
    placeHolder: 'http://localhost:3000/webhooks',
    value: receiver.store.handler ?? '',
    ignoreFocusOut: true,
    validateInput: (text) => handlerProblem(text.trim()),
  });
  if (entered === undefined) return undefined;
  const url = entered.trim();
  await receiver.setHandler(url || undefined, url !== '' && receiver.store.forwardsNew);
  return url;
}

function handlerProblem(text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return l10n.t('Enter an http or https URL.');
  if (url.username || url.password) return l10n.t('Enter a URL without a user name or password.');
  return undefined;
}

/** Sends a delivery to the handler, asking for a handler if none is set. If `body` replaces the original, it is signed again. */
export async function sendToHandler(
  receiver: WindowReceiver,
  num: number,
  body?: Uint8Array,
): Promise<ForwardingSummary | undefined> {
  const url = receiver.store.handler ?? (await askForHandler(receiver));
  if (!url) return undefined;
  const thread = await receiver.thread();
  const call = `${num} ${Date.now()} ${Math.random()}`;
  const result = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Window,
      title: l10n.t('Web Data: waiting for {0}', label(url, 60)),
      cancellable: true,
    },
    (_progress, token) => {
      token.onCancellationRequested(() => void thread.call('cancelForward', { call }));
      return thread.call('forward', { num, url, body, call });
    },
  );
  await receiver.refresh();
  const outcome = result.error ?? `${result.status}, ${duration(result.ms)}`;
  vscode.window.setStatusBarMessage(l10n.t('$(arrow-right) Handler: {0}', label(outcome, 80)), 5000);
  return result;
}

const editedName = /delivery-(\d+)\.webhook\.json$/;

/** Opens the body of a delivery, with edits that were saved, as a file in the extension's storage to edit and send. */
export async function editDelivery(receiver: WindowReceiver, num: number): Promise<void> {
  const delivery = await (await receiver.thread()).call('get', { num });
  if (!delivery) throw new UserError(l10n.t('This delivery is no longer stored.'));
  const uri = vscode.Uri.joinPath(editedDirectory(receiver), `delivery-${num}.webhook.json`);
  // An older file is of another delivery: numbers start again when the file of recorded deliveries was moved aside.
  const isSaved = await vscode.workspace.fs.stat(uri).then(
    ({ mtime }) => mtime >= delivery.receivedAt,
    () => false,
  );
  if (!isSaved) await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(deliveryDocument(delivery)));
  await vscode.window.showTextDocument(uri, { preview: false });
}

/** Deletes the edits of all deliveries. */
export async function deleteEdited(receiver: WindowReceiver): Promise<void> {
  const directory = editedDirectory(receiver);
  const exists = await vscode.workspace.fs.stat(directory).then(
    () => true,
    () => false,
  );
  if (exists) await vscode.workspace.fs.delete(directory, { recursive: true });
}

function editedDirectory({ directory }: WindowReceiver): vscode.Uri {
  return vscode.Uri.joinPath(directory, 'edited');
}

/** Saves the edited delivery in the active editor, so that it survives a reload, and sends it to the handler. */
export async function sendEdited(receiver: WindowReceiver): Promise<ForwardingSummary | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  const num = Number(editedName.exec(document?.uri.path ?? '')?.[1]);
  if (!document || !Number.isInteger(num)) {
    throw new UserError(l10n.t("This editor doesn't contain a delivery. Open one with Edit and Replay first."));
  }
  if (!(await document.save()))
    throw new UserError(l10n.t("The edited delivery couldn't be saved, so it wasn't sent."));
  return await sendToHandler(receiver, num, new TextEncoder().encode(document.getText()));
}
