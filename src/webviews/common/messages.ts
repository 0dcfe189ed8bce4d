/**
 * Messages between a webview and the extension. Each view has two maps: requests from the view, which the extension
 * answers, and events from the extension, which have no answer.
 */
export type EventMap = object;
export type RequestMap = Record<keyof never, { params: unknown; result: unknown }> | object;

export type ToView<Events extends EventMap> =
  | { [Name in keyof Events]: { kind: 'event'; name: Name; params: Events[Name] } }[keyof Events]
  | { kind: 'answer'; id: number; result: unknown }
  | { kind: 'failure'; id: number; message: string };

export type ToExtension = { kind: 'ready' } | { kind: 'request'; id: number; name: string; params: unknown };

/** Returns the message if it is a valid message from a view, else undefined. */
export function readToExtension(message: unknown): ToExtension | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const { kind, id, name, params } = message as Record<string, unknown>;
  if (kind === 'ready') return { kind };
  if (kind !== 'request' || typeof name !== 'string' || !Number.isSafeInteger(id)) return undefined;
  return { kind, id: id as number, name, params };
}
