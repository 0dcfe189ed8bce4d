import * as l10n from '@vscode/l10n';
import type { LiveDownload } from '../../../contract/sessions/live-view.ts';
import { byteSize } from '../../common/byte-size.ts';
import { codicon, element, iconButton, setChildren, textButton } from '../../common/dom.ts';

/** How many rows are shown: the newest downloads that weren't removed. */
const maxRows = 3;

interface Row {
  element: HTMLElement;
  state: HTMLElement;
  save: HTMLButtonElement;
}

/** The downloads of a session, each with its progress and a button to save it. */
export class DownloadList {
  readonly element = element('section', { class: 'downloads', 'aria-label': l10n.t('Downloads'), hidden: true });
  #save: (download: LiveDownload) => Promise<void>;
  #rows = new Map<string, Row>();
  #removed = new Set<string>();
  #shown: { downloads: readonly LiveDownload[]; canSave: boolean } = { downloads: [], canSave: false };
  #spoken = element('p', { class: 'spoken', role: 'status' });

  constructor(save: (download: LiveDownload) => Promise<void>) {
    this.#save = save;
  }

  show(downloads: readonly LiveDownload[], canSave: boolean): void {
    const ended = downloads.find(
      ({ id, state }) =>
        state !== 'inProgress' && this.#shown.downloads.some((each) => each.id === id && each.state !== state),
    );
    if (ended) this.#spoken.textContent = `${ended.name}: ${stateText(ended)}`;
    this.#shown = { downloads, canSave };
    const listed = downloads.filter(({ id }) => !this.#removed.has(id)).slice(-maxRows);
    const rows = listed.map((download) => this.#update(download));
    for (const id of this.#rows.keys()) if (!listed.some((each) => each.id === id)) this.#rows.delete(id);
    this.element.hidden = rows.length === 0;
    setChildren(this.element, [...rows, this.#spoken]);
  }

  #update(download: LiveDownload): HTMLElement {
    const row = this.#rows.get(download.id) ?? this.#create(download);
    this.#rows.set(download.id, row);
    row.state.textContent = stateText(download);
    row.save.hidden = download.state !== 'completed' || !this.#shown.canSave;
    return row.element;
  }

  #create(download: LiveDownload): Row {
    const { id, name } = download;
    const state = element('span', { class: 'download-state quiet' });
    const onSave = async () => {
      save.disabled = true;
      // The extension has shown why it couldn't be saved.
      await this.#save(download).catch(() => undefined);
      save.disabled = false;
    };
    const save = textButton(l10n.t('Save As…'), onSave, 'button secondary');
    save.setAttribute('aria-label', `${save.textContent} ${name}`);
    const remove = iconButton('close', l10n.t('Remove {0} from the list', name), () => {
      this.#removed.add(id);
      this.show(this.#shown.downloads, this.#shown.canSave);
    });
    const title = element('span', { class: 'download-name clipped', title: name }, name);
    const row = element('div', { class: 'download row' }, codicon('cloud-download'), title, state, save, remove);
    return { element: row, state, save };
  }
}

function stateText({ state, received, total }: LiveDownload): string {
  if (state === 'completed') return byteSize(received);
  if (state === 'canceled') return l10n.t('canceled');
  if (state === 'elsewhere') return l10n.t("{0}, on the browser's machine", byteSize(received));
  if (total === null) return l10n.t('{0} so far', byteSize(received));
  return l10n.t('{0}% of {1}', Math.floor((received / total) * 100), byteSize(total));
}
