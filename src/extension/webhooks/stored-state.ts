import type * as vscode from 'vscode';

export const receivingKey = 'webdata.webhooks.receiving';
/** Whether the last list had deliveries, which can be told without opening the store. */
export const storedKey = 'webdata.webhooks.stored';
export const handlerKey = 'webdata.webhooks.handler';

/** Returns what this workspace has stored about its receiver, without loading the receiver. */
export function storedWebhooks(state: vscode.Memento): {
  /** The receiver was listening when the window closed. */
  receiving: boolean;
  hasDeliveries: boolean;
  handler: string | undefined;
  forwardsNew: boolean;
} {
  const handler = state.get<{ url?: unknown; forwardsNew?: unknown }>(handlerKey);
  return {
    receiving: state.get(receivingKey) === true,
    hasDeliveries: state.get(storedKey) === true,
    handler: typeof handler?.url === 'string' ? handler.url : undefined,
    forwardsNew: handler?.forwardsNew === true,
  };
}
