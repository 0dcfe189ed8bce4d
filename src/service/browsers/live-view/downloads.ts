import { constants, createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { LiveDownload } from '../../../contract/sessions/live-view.ts';
import type { CapabilityFile } from '../../platform/http/capabilities.ts';
import { keepLast } from '../../platform/maps.ts';
import type { CdpClient } from '../chrome/cdp-client.ts';

/** How many downloads of a session are listed: the newest. */
const maxListed = 20;

type Listed = LiveDownload & { file: string };

/** What a session's browser downloads, and the files of it. */
export class Downloads {
  #folder: string;
  #listed = new Map<string, Listed>();

  /**
   * @param client its events are those of the whole browser
   * @param folder where the browser saves them
   */
  constructor(client: CdpClient, folder: string, onChange: () => void) {
    this.#folder = folder;
    client.on('Browser.downloadWillBegin', ({ guid, suggestedFilename }) => {
      const name = suggestedFilename.slice(0, 255).toWellFormed();
      const begun: Listed = { id: guid, name, received: 0, total: null, state: 'inProgress', file: guid };
      keepLast(this.#listed, guid, begun, maxListed);
      onChange();
    });
    client.on('Browser.downloadProgress', ({ guid, totalBytes, receivedBytes, state, filePath }) => {
      const download = this.#listed.get(guid);
      if (!download) return;
      download.received = receivedBytes;
      download.total = totalBytes > 0 ? totalBytes : null;
      if (filePath !== undefined) download.file = basename(filePath);
      download.state = state;
      if (state !== 'completed') return onChange();
      const looked = this.#isHere(download).then((here) => {
        if (!here) download.state = 'elsewhere';
        onChange();
      });
      looked.catch(client.fault);
    });
  }

  get list(): LiveDownload[] {
    return [...this.#listed.values()].map(({ file: _, ...shown }) => shown);
  }

  /** Opens the file of a completed download; undefined if there is none. */
  async open(id: string): Promise<CapabilityFile | undefined> {
    const download = this.#listed.get(id);
    if (download?.state !== 'completed') return undefined;
    const file = await this.#openFile(download);
    if (!file) return undefined;
    const { size } = await file.stat();
    return { name: download.name, size, stream: createReadStream('', { fd: file }) };
  }

  async #isHere(download: Listed): Promise<boolean> {
    const file = await this.#openFile(download);
    await file?.close();
    return file !== undefined;
  }

  /** A snippet can put anything in the folder: neither a link nor a pipe is opened. */
  async #openFile({ file, id, name }: Listed): Promise<FileHandle | undefined> {
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    // Which of these names it has is decided by the client that set the browser's behavior last.
    for (const each of new Set([file, id, basename(name)])) {
      const opened = await open(join(this.#folder, each), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
      if ((await opened?.stat())?.isFile()) return opened;
      await opened?.close();
    }
    return undefined;
  }
}
