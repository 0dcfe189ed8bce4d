/**
 * What goes between a webview and the extension. Each view has two maps: what the view asks of the extension
 * (requests, answered) and what the extension tells the view (events, not answered).
 */
export type EventMap = object;
export type RequestMap = Record<keyof never, { params: unknown; result: unknown }> | object;

export type ToView<Events extends EventMap> =
  | { [Name in keyof Events]: { kind: 'event'; name: Name; params: Events[Name] } }[keyof Events]
  | { kind: 'answer'; id: number; result: unknown }
  | { kind: 'failure'; id: number; message: string };

export type ToExtension = { kind: 'ready' } | { kind: 'request'; id: number; name: string; params: unknown };

/** The message if it is one that a view may send, else undefined. */
export function readToExtension(message: unknown): ToExtension | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const { kind, id, name, params } = message as Record<string, unknown>;
  if (kind === 'ready') return { kind };
  if (kind !== 'request' || typeof name !== 'string' || !Number.isSafeInteger(id)) return undefined;
  return { kind, id: id as number, name, params };
}
