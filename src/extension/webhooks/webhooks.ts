import type * as vscode from 'vscode';
import type { FeatureParts } from '../connection/connection.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { messageOf } from '../ui/text/text.ts';
import { registerWebhookCommands } from './webhook-commands.ts';
import { WebhooksTree } from './webhooks-tree.ts';
import { WindowReceiver } from './window-receiver.ts';

interface Parts extends FeatureParts {
  context: vscode.ExtensionContext;
}

/** Registers the webhook receiver, its view and its commands. */
export function registerWebhooks({ context, connection, documents, log }: Parts) {
  const { extensionUri } = context;
  const disposables = new Disposables();
  const warn = (error: unknown) => log.warn(`Webhooks: ${messageOf(error)}`);
  const receiver = disposables.add(new WindowReceiver({ context, connection, log }));
  const tree = disposables.add(new WebhooksTree(receiver, warn));
  const reveal = (num: number) => tree.reveal(num);
  disposables.add(registerWebhookCommands({ receiver, documents, extensionUri, reveal, log }));
  void receiver.resume();
  return {
    /** Returns the URL of the receiver while it is listening. */
    url: (): string | undefined => receiver.currentUrl,
    dispose: (): void => disposables.dispose(),
  };
}
