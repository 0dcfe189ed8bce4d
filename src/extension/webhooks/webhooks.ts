import type * as vscode from 'vscode';
import type { Connection } from '../connection/connection.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { messageOf } from '../ui/text.ts';
import type { VirtualDocuments } from '../ui/virtual-documents.ts';
import { registerWebhookCommands } from './webhook-commands.ts';
import { WebhooksTree } from './webhooks-tree.ts';
import { Webhooks } from './window-receiver.ts';

interface Parts {
  context: vscode.ExtensionContext;
  connection: Connection;
  documents: VirtualDocuments;
  log: vscode.LogOutputChannel;
}

/** The webhook receiver, its view and its commands. */
export function registerWebhooks({ context, connection, documents, log }: Parts): vscode.Disposable {
  const { extensionUri } = context;
  const disposables = new Disposables();
  const warn = (error: unknown) => log.warn(`Webhooks: ${messageOf(error)}`);
  const webhooks = disposables.add(new Webhooks({ context, connection, log }));
  const tree = disposables.add(new WebhooksTree(webhooks, warn));
  const reveal = (num: number) => tree.reveal(num);
  disposables.add(registerWebhookCommands({ webhooks, documents, extensionUri, reveal, log }));
  void webhooks.resume();
  return disposables;
}
