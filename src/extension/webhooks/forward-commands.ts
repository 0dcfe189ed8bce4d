import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { UserError } from '../ui/commands.ts';
import { askText, cancellable, exists, say } from '../ui/dialogs.ts';
import { duration, label } from '../ui/text/text.ts';
import { deliveryDocument } from './delivery-documents.ts';
import type { ForwardingSummary } from './receiver/deliveries.ts';
import type { WindowReceiver } from './window-receiver.ts';

/** Asks for the handler, or whether new deliveries are forwarded to the one that is set. */
export async function manageHandler(receiver: WindowReceiver): Promise<void> {
  const { handler, forwardsNew } = receiver.store.shown;
  if (!handler) return void (await askForHandler(receiver));
  const forward = forwardsNew
    ? { label: l10n.t('$(debug-pause) Stop Forwarding New Deliveries'), description: '' }
    : { label: l10n.t('$(forward) Forward New Deliveries'), description: l10n.t('each one as it arrives') };
  const change = { label: l10n.t('$(edit) Change URL…'), description: l10n.t('leave empty to remove the handler') };
  const chosen = await vscode.window.showQuickPick([forward, change], {
    title: l10n.t('Handler {0}', label(handler, 100)),
  });
  if (chosen === forward) await receiver.setHandler(handler, !forwardsNew);
  if (chosen === change) await askForHandler(receiver);
}

/** Asks for the URL of the user's handler and saves it; empty removes the handler. Returns undefined if canceled. */
async function askForHandler(receiver: WindowReceiver): Promise<string | undefined> {
  const options = {
    title: l10n.t('Webhook Handler'),
    prompt: l10n.t('URL of your webhook handler. Deliveries are forwarded to it with their original body and headers.'),
    placeHolder: 'http://localhost:3000/webhooks',
    value: receiver.store.shown.handler ?? '',
  };
  const url = await askText(options, handlerProblem);
  if (url === undefined) return undefined;
  await receiver.setHandler(url || undefined, url !== '' && receiver.store.shown.forwardsNew);
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
  const url = receiver.store.shown.handler ?? (await askForHandler(receiver));
  if (!url) return undefined;
  const thread = await receiver.thread();
  const call = `${num} ${Date.now()} ${Math.random()}`;
  const result = await cancellable(l10n.t('Web Data: Waiting for {0}…', label(url, 60)), async (signal) => {
    // If the thread has ended, the call that waits fails too.
    const cancel = () => void thread.call('cancelForward', { call }).catch(() => undefined);
    signal.addEventListener('abort', cancel);
    try {
      return await thread.call('forward', { num, url, body, call });
    } finally {
      await receiver.refresh();
    }
  });
  const outcome = result.error ?? `${result.status}, ${duration(result.ms)}`;
  say(l10n.t('$(arrow-right) Handler: {0}', label(outcome, 80)));
  return result;
}

const editedName = /delivery-(\d+)\.webhook\.json$/;

/** Opens the body of a delivery, with edits that were saved, as a file in the extension's storage to edit and send. */
export async function editDelivery(receiver: WindowReceiver, num: number): Promise<void> {
  const delivery = await receiver.delivery(num);
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
  if (await exists(directory)) await vscode.workspace.fs.delete(directory, { recursive: true });
}

function editedDirectory({ directory }: WindowReceiver): vscode.Uri {
  return vscode.Uri.joinPath(directory, 'edited');
}

/** Whether a document is a delivery that was opened for editing. */
export function isEdited(document: vscode.TextDocument | undefined): boolean {
  return editedName.test(document?.uri.path ?? '');
}

/** Saves the edited delivery in the active editor, so that it survives a reload, and sends it to the handler. */
export async function sendEdited(receiver: WindowReceiver): Promise<ForwardingSummary | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  if (!document || !isEdited(document)) return undefined;
  const num = Number(editedName.exec(document.uri.path)?.[1]);
  if (!(await document.save()))
    throw new UserError(l10n.t("The edited delivery couldn't be saved, so it wasn't sent."));
  return await sendToHandler(receiver, num, new TextEncoder().encode(document.getText()));
}
