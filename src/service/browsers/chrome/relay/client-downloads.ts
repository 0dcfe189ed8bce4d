import { constants } from 'node:fs';
import { copyFile, link, mkdir, realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, parse, resolve, sep } from 'node:path';
import { keepLast } from '../../../platform/maps.ts';
import type { CdpMessage } from '../messages.ts';

/** Files of the same name in a folder. */
const maxAlike = 100;
/** Downloads whose names are remembered. */
const maxBegun = 1000;

/**
 * Downloads of clients on this machine. All of a session's go to its own folder, and are put into the temporary folder that a
 * client has named as well: clients such as Playwright and Puppeteer look for them there.
 */
export class ClientDownloads<Client extends object> {
  readonly #folder: string;
  readonly #isShared: boolean;
  /** Where clients look for downloads, and whether they expect them under the names that the browser gives or under those of the site. */
  readonly #named = new Map<Client, { folder: string; byId: boolean }>();
  /** The client that was the last to ask for files under their own names: as in Chrome, the others no longer get them. */
  #byName: Client | undefined;
  /** The names of downloads as the site gives them. */
  readonly #begun = new Map<unknown, string>();
  /** Downloads that were put into the folder of `#byName`. */
  readonly #put = new Map<unknown, Promise<void>>();

  /**
   * @param folder where the browser saves them
   * @param isShared whether clients may name other folders. Code in a sandbox could have files put outside of it that way.
   */
  constructor(folder: string, isShared: boolean) {
    this.#folder = resolve(folder);
    this.#isShared = isShared;
  }

  /** Returns a client's command as the browser gets it. */
  command(client: Client, { method, params }: CdpMessage): CdpMessage['params'] {
    if (method !== 'Browser.setDownloadBehavior' && method !== 'Page.setDownloadBehavior') return params;
    const named = params?.downloadPath;
    if (this.#isShared && typeof named === 'string' && isAbsolute(named) && resolve(named) !== this.#folder) {
      const byId = params?.behavior === 'allowAndName';
      this.#named.set(client, { folder: resolve(named), byId });
      if (!byId) this.#byName = client;
    }
    return { ...params, downloadPath: this.#folder };
  }

  /** Forgets a client. */
  left(client: Client): void {
    this.#named.delete(client);
    if (this.#byName === client) this.#byName = undefined;
  }

  /**
   * Puts a download that has ended where its client looks for it, then calls `deliver`. Returns false for all other events.
   * @param isService whether the event is the service's own: clients that ask for no events get their files with it
   */
  ended(client: Client, event: CdpMessage, isService: boolean, deliver: () => void): boolean {
    const { method } = event;
    if (!method?.startsWith('Browser.')) return false;
    const { params } = event;
    if (method === 'Browser.downloadWillBegin') {
      keepLast(this.#begun, params?.guid, basename(String(params?.suggestedFilename)), maxBegun);
    }
    if (method !== 'Browser.downloadProgress' || params?.state !== 'completed') return false;
    const named = this.#named.get(client);
    const id = String(params.guid);
    const files = [params.filePath, id, this.#begun.get(params.guid)].flatMap((file) =>
      typeof file === 'string' ? basename(file) : [],
    );
    const waits: Promise<void>[] = [];
    if (named?.byId && /^[\w-]{1,100}$/.test(id)) waits.push(this.#putInto(named.folder, files, id, true));
    const { folder } = (this.#byName && this.#named.get(this.#byName)) ?? {};
    if (folder !== undefined && (isService || client === this.#byName)) {
      const put = this.#put.get(id) ?? this.#putInto(folder, files, this.#begun.get(params.guid) ?? id, false);
      keepLast(this.#put, id, put, maxBegun);
      if (client === this.#byName) waits.push(put);
    }
    if (waits.length === 0) return false;
    void Promise.all(waits).then(deliver);
    return true;
  }

  /** Puts a file into a folder, under a name that no other file has. A client that finds nothing there says so itself. */
  async #putInto(folder: string, files: readonly string[], name: string, isUnique: boolean): Promise<void> {
    if (!(await isOwnTemporary(folder))) return;
    const made = await mkdir(folder, { recursive: true }).then(
      () => true,
      () => false,
    );
    if (!made) return;
    const { name: stem, ext } = parse(name);
    for (let count = 0; count < (isUnique ? 1 : maxAlike); count++) {
      const to = join(folder, count === 0 ? name : `${stem} (${count})${ext}`);
      for (const file of new Set(files)) {
        const from = join(this.#folder, file);
        // The folder may be on another disk.
        const failure = await link(from, to)
          .catch((error: NodeJS.ErrnoException) => {
            if (error.code === 'EEXIST' || error.code === 'ENOENT') throw error;
            return copyFile(from, to, constants.COPYFILE_EXCL);
          })
          .catch(({ code }: NodeJS.ErrnoException) => code);
        if (failure === undefined) return;
        if (failure === 'EEXIST') break;
      }
    }
  }
}

/** Whether a folder is a temporary one of the service's own user, or would be: nothing else is written for whoever has a cdpUrl. */
async function isOwnTemporary(folder: string): Promise<boolean> {
  for (let existing = folder; ; existing = dirname(existing)) {
    const found = await Promise.all([realpath(existing), realpath(tmpdir()), stat(existing)]).catch(() => undefined);
    if (!found) {
      if (dirname(existing) === existing) return false;
      continue;
    }
    const [real, parent, { uid }] = found;
    if (real === parent) return existing !== folder;
    return real.startsWith(parent + sep) && (process.getuid === undefined || uid === process.getuid());
  }
}
