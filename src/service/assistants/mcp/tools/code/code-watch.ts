import type { PermitKind } from '../../../../../contract/mcp/agent-sessions.ts';
import type { CdpEvents } from '../../../../browsers/chrome/protocol.ts';
import { watchPasswords } from '../../../../browsers/page/password-watch.ts';
import type { BrowserHost } from '../../../../browsers/sessions/host.ts';
import { messageOf } from '../../../../platform/errors.ts';
import { hostOf } from '../../../steering/hosts.ts';
import type { Steering } from '../../../steering/steering.ts';
import { deleteFile } from '../downloads.ts';
import type { ToolCall } from '../tool.ts';

/** What code of an agent does in the browser that the user must allow. */
export function createCodeWatch(steering: Steering, sessionId: string, call: ToolCall) {
  const { caller } = call.agent;
  const downloads: Promise<void>[] = [];
  /** Whether the rules of the agent's key leave something of a kind to the user. */
  const mustAsk = (kind: PermitKind) => !steering.permits({ kind, sessionId, host: '', detail: '' }, caller);

  async function keep(host: BrowserHost, begun: CdpEvents['Browser.downloadWillBegin']): Promise<void> {
    const { guid: id, url, suggestedFilename: name } = begun;
    const from = hostOf(url) ?? hostOf(host.tabs.list().at(-1)?.url ?? '') ?? '';
    try {
      await steering.permit({ kind: 'download', sessionId, host: from, detail: name }, call);
    } catch (error) {
      await host.client.send('Browser.cancelDownload', { guid: id }).catch(() => undefined);
      await deleteFile({ id, name }, host.downloads);
      call.notes.push(`A download was deleted. ${messageOf(error)}`);
    }
  }

  return {
    /** Runs the code. Requests that send a password wait for the user. */
    async during<Result>(host: BrowserHost, run: () => Promise<Result>): Promise<Result> {
      const stopDownloads = mustAsk('download')
        ? host.client.on('Browser.downloadWillBegin', (params) => void downloads.push(keep(host, params)))
        : () => undefined;
      const stopPasswords = mustAsk('password')
        ? await watchPasswords({
            ...{ client: host.client, tabs: host.tabs },
            async allow(url) {
              try {
                await steering.permit({ kind: 'password', sessionId, host: hostOf(url) ?? '', detail: url }, call);
                return true;
              } catch (error) {
                call.notes.push(messageOf(error));
                return false;
              }
            },
          })
        : async () => undefined;
      try {
        return await run();
      } finally {
        await stopPasswords();
        stopDownloads();
      }
    },
    /** Waits for the user's answers about downloads, and deletes what they don't allow. Notes what was denied. */
    finish: async (): Promise<void> => void (await Promise.all(downloads)),
  };
}
