import type { CdpMessage } from './messages.ts';
import type { CdpPipe } from './pipe.ts';

/** Commands that act on the default context unless they name another. */
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

interface TargetInfo {
  targetId: string;
  type: string;
  browserContextId?: string;
}

/**
 * Shows one context of a shared browser as if it were the whole browser: commands go to that context unless they
 * name one made on this connection, and targets of other contexts are never seen. So sessions that share
 * a remote browser keep their tabs, cookies and downloads apart.
 */
export function confinePipe(pipe: CdpPipe, contextId: string): CdpPipe {
  const contexts = new Set([contextId]);
  const foreignTargets = new Set<string>();
  const asked = new Map<number, string>();
  /** Ids of commands of our own, which nobody waits for: far from those of a relay. */
  let ownId = 2 ** 31 - 1;

  const isForeign = (info: TargetInfo | undefined) =>
    info !== undefined && info.type !== 'browser' && !contexts.has(info.browserContextId ?? '');

  /** What is passed on of a message from the browser: the message, another text, or nothing. */
  function filter(message: CdpMessage, text: string): { message: CdpMessage; text: string } | undefined {
    if (message.id !== undefined) return filterReply(message, text, message.id);
    const info = message.params?.targetInfo as TargetInfo | undefined;
    if (isForeign(info)) {
      foreignTargets.add(info?.targetId ?? '');
      // Attached by auto-attach, a foreign tab may wait for us before it starts: let go of it at once.
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

  function filterReply(message: CdpMessage, text: string, id: number): { message: CdpMessage; text: string } {
    const method = asked.get(id);
    asked.delete(id);
    const { result } = message;
    if (!result) return { message, text };
    if (method === 'Target.createBrowserContext') contexts.add(String(result.browserContextId));
    if (method === 'Target.getTargets') {
      return rewritten({
        ...message,
        result: { ...result, targetInfos: (result.targetInfos as TargetInfo[]).filter((info) => !isForeign(info)) },
      });
    }
    if (method === 'Target.getBrowserContexts') {
      const own = (result.browserContextIds as string[]).filter((each) => each !== contextId && contexts.has(each));
      return rewritten({ ...message, result: { ...result, browserContextIds: own } });
    }
    return { message, text };
  }

  return {
    send(message) {
      const { id, method = '', params = {} } = message;
      if (id !== undefined && method.startsWith('Target.')) asked.set(id, method);
      const named = params.browserContextId !== undefined || params.targetId !== undefined;
      pipe.send(
        contextual.has(method) && !named ? { ...message, params: { ...params, browserContextId: contextId } } : message,
      );
    },
    onMessage: (listener) =>
      pipe.onMessage((message, text) => {
        const passed = filter(message, text);
        if (passed) listener(passed.message, passed.text);
      }),
    onClose: (listener) => pipe.onClose(listener),
  };
}

function rewritten(message: CdpMessage): { message: CdpMessage; text: string } {
  return { message, text: JSON.stringify(message) };
}
