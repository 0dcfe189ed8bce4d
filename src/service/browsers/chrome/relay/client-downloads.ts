import { copyFile, link, realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import type { CdpMessage } from '../messages.ts';

/**
 * Downloads of clients on this machine. All of a session's go to its own folder; clients such as Playwright read them
 * from a temporary folder that they have named.
 */
export class ClientDownloads<Client extends object> {
  readonly #folder: string;
  readonly #named = new WeakMap<Client, string>();

  /** @param folder where the browser saves them */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns a client's command as the browser gets it. */
  command(client: Client, { method, params }: CdpMessage): CdpMessage['params'] {
    if (method !== 'Browser.setDownloadBehavior') return params;
    const named = params?.downloadPath;
    // Only names that the browser chooses can't replace files of others.
    if (params?.behavior === 'allowAndName' && typeof named === 'string') this.#named.set(client, named);
    return { ...params, downloadPath: this.#folder };
  }

  /** Puts a download that has ended where its client looks for it, then calls `deliver`. Returns false for all other events. */
  ended(client: Client, { method, params }: CdpMessage, deliver: () => void): boolean {
    if (method !== 'Browser.downloadProgress' || params?.state !== 'completed') return false;
    const named = this.#named.get(client);
    const name = String(params.guid);
    if (named === undefined || !/^[\w-]{1,100}$/.test(name)) return false;
    // A client that finds nothing there says so itself.
    void this.#put(name, named)
      .catch(() => undefined)
      .then(deliver);
    return true;
  }

  async #put(name: string, named: string): Promise<void> {
    if (!(await isOwnTemporary(named))) return;
    const [from, to] = [join(this.#folder, name), join(named, name)];
    // The folder may be on another disk.
    await link(from, to).catch(() => copyFile(from, to));
  }
}

/** Whether a folder is a temporary one of the service's own user: nothing else is written for whoever has a cdpUrl. */
async function isOwnTemporary(folder: string): Promise<boolean> {
  const [real, parent] = await Promise.all([realpath(folder), realpath(tmpdir())]);
  const { uid } = await stat(real);
  return real.startsWith(parent + sep) && (process.getuid === undefined || uid === process.getuid());
}
