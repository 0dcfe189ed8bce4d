import { type CdpMessage, type CdpText, unreadable } from '../messages.ts';
import type { CdpPipe } from '../pipe.ts';
import type { Protocol } from '../protocol.ts';

/** Commands that act on the default browser context unless they name another. */
const contextual = new Set([
  'Target.createTarget',
  'Storage.getCookies',
  'Storage.setCookies',
  'Storage.clearCookies',
  'Browser.grantPermissions',
  'Browser.resetPermissions',
  'Browser.setPermission',
  'Browser.setDownloadBehavior',
  'Browser.cancelDownload',
]);

/** Commands that nothing confines: with the first, a page reaches the whole browser, and the second wraps any command. */
const unconfined = new Set(['Target.exposeDevToolsProtocol', 'Target.sendMessageToTarget']);

type TargetInfo = Protocol.Target.TargetInfo;

/**
 * Limits a pipe to one context of a shared browser: commands go to that context unless they name another one created on
 * this connection, and targets of other contexts are hidden. Sessions that share a remote browser therefore have
 * separate tabs, cookies and downloads.
 */
export function confinePipe(pipe: CdpPipe, contextId: string): CdpPipe {
  const contexts = new Set([contextId]);
  const foreignTargets = new Set<string>();
  const pending = new Map<number, string>();
  /** IDs of commands sent here, whose replies are ignored: far from the IDs that a relay uses. */
  let ownId = 2 ** 31 - 1;

  const isForeign = (info: TargetInfo | undefined) =>
    info !== undefined && info.type !== 'browser' && !contexts.has(info.browserContextId ?? '');

  /** Returns the message to forward, possibly rewritten, or undefined to drop it. */
  function filter(message: CdpMessage, text: CdpText): { message: CdpMessage; text: CdpText } | undefined {
    if (message.id !== undefined) return filterReply(message, text, message.id);
    const params = message.method?.startsWith('Target.') ? message.params : {};
    // Whose target it is about isn't known of one that is too long.
    if (!params) return undefined;
    const info = params.targetInfo as TargetInfo | undefined;
    if (isForeign(info)) {
      foreignTargets.add(info?.targetId ?? '');
      // An auto-attached foreign tab may be paused until it is detached: detach at once.
      if (message.method === 'Target.attachedToTarget') {
        const { sessionId } = message.params ?? {};
        pipe.send({
          id: ownId--,
          method: 'Target.detachFromTarget',
          params: { sessionId },
          ...(message.sessionId && { sessionId: message.sessionId }),
        });
      }
      return undefined;
    }
    if (message.method === 'Target.targetDestroyed' && foreignTargets.delete(String(message.params?.targetId)))
      return undefined;
    if (message.method === 'Target.detachedFromTarget' && foreignTargets.has(String(message.params?.targetId)))
      return undefined;
    return { message, text };
  }

  function filterReply(message: CdpMessage, text: CdpText, id: number): { message: CdpMessage; text: CdpText } {
    const method = pending.get(id);
    pending.delete(id);
    const result = method === undefined ? undefined : message.result;
    if (!result) {
      const { error, sessionId } = message;
      // A list of all targets that is too long to be read isn't passed on.
      return method && error === unreadable
        ? rewritten({ id, error, ...(sessionId && { sessionId }) })
        : { message, text };
    }
    if (method === 'Target.createBrowserContext') contexts.add(String(result.browserContextId));
    if (method === 'Target.getTargets') {
      return rewritten({
        ...message,
        result: { ...result, targetInfos: (result.targetInfos as TargetInfo[]).filter((info) => !isForeign(info)) },
      });
    }
    if (method === 'Target.getBrowserContexts') {
      const own = (result.browserContextIds as string[]).filter((each) => each !== contextId && contexts.has(each));
      const told: typeof result = { ...result, browserContextIds: own };
      if (result.defaultBrowserContextId !== undefined) told.defaultBrowserContextId = contextId;
      return rewritten({ ...message, result: told });
    }
    return { message, text };
  }

  return {
    send(message) {
      const { id, method = '' } = message;
      if (id !== undefined && method.startsWith('Target.')) pending.set(id, method);
      // The browser says that there is no such command, target or context.
      if (unconfined.has(method)) return pipe.send({ ...message, method: 'Target.isConfined' });
      // A client may send null.
      const params = message.params ?? {};
      if (!contextual.has(method)) {
        const isHidden = foreignTargets.has(params.targetId as string);
        return pipe.send(isHidden ? { ...message, params: { ...params, targetId: 'unknown' } } : message);
      }
      const { browserContextId: named = contextId } = params;
      pipe.send({
        ...message,
        params: { ...params, browserContextId: contexts.has(named as string) ? named : 'unknown' },
      });
    },
    onMessage: (listener) =>
      pipe.onMessage((message, text) => {
        const forwarded = filter(message, text);
        if (forwarded) listener(forwarded.message, forwarded.text);
      }),
    onClose: (listener) => pipe.onClose(listener),
    pause: pipe.pause,
    backlog: pipe.backlog,
    fault: pipe.fault,
  };
}

function rewritten(message: CdpMessage): { message: CdpMessage; text: string } {
  return { message, text: JSON.stringify(message) };
}
