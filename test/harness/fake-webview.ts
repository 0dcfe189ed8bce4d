import { registerHooks } from 'node:module';
import { parseHTML } from 'linkedom';

registerHooks({
  load: (url, context, next) =>
    url.endsWith('.css') ? { format: 'module', source: '', shortCircuit: true } : next(url, context),
});

/** Sets up the globals of a webview's page, without layout, until `close`. Import the view's code afterwards. */
export function openFakeWebview() {
  const { document } = parseHTML('<!doctype html><html><body><main id="app"></main></body></html>');
  const nothing = () => undefined;
  const window = Object.assign(new EventTarget(), {
    origin: 'webview',
    innerHeight: 800,
    scrollY: 0,
    scrollTo: nothing,
    scrollBy: nothing,
  });
  const posted: { kind: string; name?: string; params?: unknown }[] = [];
  let kept: unknown;
  const globals = {
    document,
    window,
    CSS: { escape: (text: string) => text },
    ResizeObserver: class {
      observe = nothing;
      unobserve = nothing;
    },
    requestAnimationFrame: (draw: () => void) => setImmediate(draw),
    acquireVsCodeApi: () => ({
      postMessage: (message: (typeof posted)[number]) => posted.push(message),
      getState: () => kept,
      setState: (state: unknown) => {
        kept = state;
      },
    }),
  };
  const before = Object.keys(globals).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  return {
    document: document as unknown as Document,
    posted,
    get kept() {
      return kept;
    },
    /** Sends an event of the extension. */
    send(name: string, params: object): void {
      const message = Object.assign(new Event('message'), {
        data: { kind: 'event', name, params },
        origin: 'webview',
      });
      window.dispatchEvent(message);
    },
    close(): void {
      for (const [name, property] of before) {
        if (property) Object.defineProperty(globalThis, name, property);
        else Reflect.deleteProperty(globalThis, name);
      }
    },
  };
}
