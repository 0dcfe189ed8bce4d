import type { CdpClient } from '../../chrome/cdp-client.ts';
import type { CdpEvents } from '../../chrome/protocol.ts';
import { PageProblem } from './element.ts';

/** How long a page may take to ask for files, in milliseconds. */
const chooserMs = 3_000;

/**
 * Gives a page files when it asks for them.
 * @param open acts on the element `ref`, so that its page asks
 * @param check throws once nothing may act on the page any more
 */
export async function giveFiles(
  { client, sessionId, check }: { client: CdpClient; sessionId: string; check(): void },
  { ref, files, open }: { ref: string; files: readonly string[]; open(): Promise<void> },
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<CdpEvents['Page.fileChooserOpened'] | undefined>();
  const stop = client.on('Page.fileChooserOpened', (params, from) => {
    if (from === sessionId) resolve(params);
  });
  const timer = setTimeout(resolve, chooserMs, undefined);
  await client.send('Page.setInterceptFileChooserDialog', { enabled: true }, sessionId);
  try {
    await open();
    const chooser = await promise;
    check();
    if (!chooser) throw new PageProblem(`${ref} doesn't ask for files when it is clicked.`);
    if (chooser.mode === 'selectSingle' && files.length > 1) throw new PageProblem(`${ref} takes only one file.`);
    const { backendNodeId } = chooser;
    await client.send('DOM.setFileInputFiles', { files: [...files], backendNodeId }, sessionId);
  } finally {
    clearTimeout(timer);
    stop();
    await client.send('Page.setInterceptFileChooserDialog', { enabled: false }, sessionId).catch(() => undefined);
  }
}
