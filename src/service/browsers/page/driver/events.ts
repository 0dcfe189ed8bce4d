import { shorten } from '../../../../contract/shorten.ts';
import type { CdpClient } from '../../chrome/cdp-client.ts';
import type { Tab } from '../tab.ts';
import { plain } from './plain.ts';

/** A file that a page has sent. */
export interface Download {
  id: string;
  url: string;
  /** As the site names it. */
  name: string;
  /** `inProgress`, `completed` or `canceled`. */
  state: string;
  /** Where it was saved, if the browser says so. */
  path?: string;
}

/** Maximum number of dialogs whose messages are kept; the others are counted. */
const keptDialogs = 5;

/** Notes the downloads of a browser until `stop` is called. */
export function noteDownloads(client: CdpClient) {
  const downloads = new Map<string, Download>();
  const stops = [
    client.on('Browser.downloadWillBegin', ({ guid, url, suggestedFilename }) => {
      downloads.set(guid, { id: guid, url, name: plain(suggestedFilename), state: 'inProgress' });
    }),
    client.on('Browser.downloadProgress', ({ guid, state, filePath }) => {
      const download = downloads.get(guid);
      if (!download) return;
      download.state = state;
      if (filePath !== undefined) download.path = filePath;
    }),
  ];
  return {
    list: (): Download[] => [...downloads.values()],
    stop(): void {
      for (const stop of stops) stop();
    },
  };
}

/** Notes the messages of the dialogs that tabs open, and how they are answered: `accepts` says so when one opens. */
export function noteDialogs(accepts: () => boolean): { readonly notes: readonly string[]; follow(tab: Tab): void } {
  const notes: string[] = [];
  let more = 0;
  return {
    notes,
    follow(tab) {
      tab.on('Page.javascriptDialogOpening', ({ type, message }) => {
        const answered = accepts() ? 'accepted' : 'dismissed';
        if (notes.length < keptDialogs) notes.push(`${answered}: ${plain(type)}: ${shorten(plain(message), 300)}`);
        else notes[keptDialogs] = `answered: and ${++more} more`;
      });
    },
  };
}
