import type { Checked, EventMap, RequestTable, ToExtension, ToView } from './messages.ts';

interface VsCodeApi {
  postMessage(message: ToExtension): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): VsCodeApi;

type Listeners<Events extends EventMap> = { [Name in keyof Events]: (params: Events[Name]) => void };

/** The view's end of the channel to the extension. */
export interface Channel<Requests extends RequestTable> {
  /** Resolves when the extension has done it. */
  request<Name extends keyof Requests & string>(name: Name, params: Checked<Requests[Name]>): Promise<void>;
  /** State saved by `keep`, which survives a reload of the view. */
  readonly state: unknown;
  keep(state: unknown): void;
}

/** Opens the channel and reports that the view is ready. The extension then sends the view's data. */
export function openChannel<Events extends EventMap, Requests extends RequestTable>(
  listeners: Listeners<Events>,
): Channel<Requests> {
  const api = acquireVsCodeApi();
  const pending = new Map<number, PromiseWithResolvers<void>>();
  let lastId = 0;
  window.addEventListener('message', ({ data, origin }: MessageEvent<ToView<Events>>) => {
    // The extension's messages come from the parent frame, which has the same origin. A page in an iframe doesn't.
    if (origin !== window.origin) return;
    if (typeof data !== 'object' || data === null) return;
    if (data.kind === 'event') {
      if (Object.hasOwn(listeners, data.name)) listeners[data.name](data.params);
      return;
    }
    const request = pending.get(data.id);
    pending.delete(data.id);
    if (data.kind === 'answer') request?.resolve();
    else request?.reject(new Error(data.message));
  });
  api.postMessage({ kind: 'ready' });
  return {
    request(name, params) {
      const id = ++lastId;
      const request = Promise.withResolvers<void>();
      pending.set(id, request);
      // The extension has shown the failure. Whoever awaits the request still learns of it.
      request.promise.catch(() => undefined);
      api.postMessage({ kind: 'request', id, name, params });
      return request.promise;
    },
    state: api.getState(),
    keep: (state) => api.setState(state),
  };
}
