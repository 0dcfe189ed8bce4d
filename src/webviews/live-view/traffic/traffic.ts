import * as l10n from '@vscode/l10n';
import './traffic.css';
import type { ConsoleLine, NetworkEntry } from '../../../contract/sessions/traffic.ts';
import { byteSize } from '../../common/byte-size.ts';
import type { Channel } from '../../common/channel.ts';
import { codicon, element, iconButton, pressable } from '../../common/dom.ts';
import { type Events, type Requests, type TrafficTab, trafficTabs } from '../messages.ts';
import { type Filter, filterLines, filterRequests, hasFailed, mergeEntries, shortUrl } from './entries.ts';
import { EntryList } from './entry-list.ts';

/** The pane below the picture, with the console and the network of the session. */
export class TrafficPane {
  readonly toggle = iconButton('debug-console', l10n.t('Console and network'), () => this.#toggle());
  readonly element: HTMLElement;
  #request: Channel<Requests>['request'];
  #tab: TrafficTab = 'console';
  #lines: readonly ConsoleLine[] = [];
  #requests: readonly NetworkEntry[] = [];
  #state = '';
  #since: string | null | undefined;
  #tabs = trafficTabs.map((tab) => this.#tabButton(tab));
  #text = element('input', { class: 'field traffic-filter', type: 'search', spellcheck: 'false' });
  #kinds = element('select', { class: 'traffic-kind' });
  #failed = element('input', { type: 'checkbox' });
  #save = iconButton('save', l10n.t('Save as HAR…'), () => void this.#request('saveArchive', {}));
  #message = element('p', { class: 'traffic-message quiet', role: 'status' });
  #console: EntryList<ConsoleLine>;
  #network: EntryList<NetworkEntry>;

  constructor(request: Channel<Requests>['request']) {
    this.#request = request;
    this.#console = new EntryList({
      name: l10n.t('Console'),
      draw: lineRow,
      open: (id) => void request('openLine', { id }),
    });
    this.#network = new EntryList({
      name: l10n.t('Network'),
      draw: requestRow,
      open: (id) => void request('openRequest', { id }),
    });
    this.#text.placeholder = l10n.t('Filter');
    this.#text.setAttribute('aria-label', l10n.t('Filter'));
    for (const control of [this.#text, this.#kinds, this.#failed])
      control.addEventListener('input', () => this.#draw());
    this.toggle.setAttribute('aria-pressed', 'false');
    const tabs = element(
      'div',
      { class: 'traffic-tabs', role: 'tablist', 'aria-label': l10n.t('Lists') },
      ...this.#tabs,
    );
    tabs.addEventListener('keydown', ({ key }) => {
      if (key === 'ArrowLeft' || key === 'ArrowRight')
        this.#show(this.#tab === 'console' ? 'network' : 'console', true);
    });
    this.element = element(
      'section',
      { class: 'traffic', 'aria-label': l10n.t('Console and network'), hidden: true },
      element(
        'div',
        { class: 'traffic-bar row' },
        tabs,
        this.#text,
        this.#kinds,
        element('label', { class: 'traffic-failed row' }, this.#failed, l10n.t('Failed only')),
        this.#save,
      ),
      element(
        'div',
        { class: 'traffic-panel', role: 'tabpanel', id: 'traffic-panel' },
        this.#message,
        this.#console.element,
        this.#network.element,
      ),
    );
    this.#select();
  }

  /** Adds what is new or has changed. */
  add({ fresh, lines, requests, recordedSince }: Events['traffic']): void {
    this.#since = recordedSince;
    this.#lines = mergeEntries(fresh ? [] : this.#lines, lines);
    this.#requests = mergeEntries(fresh ? [] : this.#requests, requests);
    this.#draw();
  }

  /** Says why the list isn't up to date; nothing if the text is empty. */
  showState(text: string): void {
    this.#state = text;
    this.#draw();
  }

  close(): void {
    if (!this.element.hidden) this.#toggle();
  }

  #toggle(): void {
    const open = this.element.hidden;
    this.element.hidden = !open;
    this.toggle.setAttribute('aria-pressed', String(open));
    void this.#request('watchTraffic', { tab: open ? this.#tab : null });
    this.#draw();
  }

  #tabButton(tab: TrafficTab): HTMLButtonElement {
    const name = tab === 'console' ? l10n.t('Console') : l10n.t('Network');
    const attributes = {
      class: 'tab-box row traffic-tab',
      role: 'tab',
      'aria-controls': 'traffic-panel',
      id: `traffic-${tab}`,
    };
    return pressable(attributes, () => this.#show(tab), name);
  }

  #show(tab: TrafficTab, focus = false): void {
    if (tab === this.#tab) return;
    this.#tab = tab;
    this.#kinds.value = '';
    this.#select();
    void this.#request('watchTraffic', { tab });
    this.#draw();
    if (focus) this.#tabs[trafficTabs.indexOf(tab)]?.focus();
  }

  #select(): void {
    for (const [index, button] of this.#tabs.entries()) {
      const selected = trafficTabs[index] === this.#tab;
      button.setAttribute('aria-selected', String(selected));
      button.tabIndex = selected ? 0 : -1;
    }
    const panel = this.element.querySelector('#traffic-panel');
    panel?.setAttribute('aria-labelledby', `traffic-${this.#tab}`);
    this.#save.hidden = this.#tab !== 'network';
    const name = this.#tab === 'console' ? l10n.t('Level') : l10n.t('Type');
    this.#kinds.setAttribute('aria-label', name);
  }

  #draw(): void {
    if (this.element.hidden) return;
    const isConsole = this.#tab === 'console';
    this.#drawKinds(isConsole ? this.#lines.map(({ level }) => level) : this.#requests.map(({ type }) => type));
    const filter: Filter = { text: this.#text.value, kind: this.#kinds.value, failed: this.#failed.checked };
    const lines = isConsole ? filterLines(this.#lines, filter) : [];
    const requests = isConsole ? [] : filterRequests(this.#requests, filter);
    this.#console.show(lines);
    this.#network.show(requests);
    const all = isConsole ? this.#lines.length : this.#requests.length;
    const message = this.#state || (lines.length + requests.length > 0 ? '' : this.#emptyText(all));
    if (this.#message.textContent !== message) this.#message.textContent = message;
  }

  #emptyText(all: number): string {
    if (all > 0) return l10n.t('Nothing matches the filter.');
    if (this.#tab === 'console') return l10n.t('Nothing has been logged yet.');
    if (!this.#since) return l10n.t('No requests yet.');
    const time = new Date(this.#since).toLocaleTimeString();
    return l10n.t('No requests since recording began at {0}. Reload the page to see its requests.', time);
  }

  /** Offers the kinds that the list has, without closing an open choice. */
  #drawKinds(there: readonly string[]): void {
    const chosen = this.#kinds.value;
    const kinds = ['', ...[...new Set([...there, ...(chosen ? [chosen] : [])])].sort()];
    const offered = [...this.#kinds.options].map(({ value }) => value);
    if (JSON.stringify(kinds) === JSON.stringify(offered)) return;
    const all = this.#tab === 'console' ? l10n.t('All levels') : l10n.t('All types');
    this.#kinds.replaceChildren(...kinds.map((kind) => element('option', { value: kind }, kind || all)));
    this.#kinds.value = chosen;
  }
}

const icons: Readonly<Record<string, string>> = { error: 'error', warning: 'warning', info: 'info' };

/** Returns the row of a line of the console. */
function lineRow({ level, text, url, line }: ConsoleLine): HTMLElement {
  const at = line ? `:${line}` : '';
  const place = url ? `${url}${at}` : '';
  return element(
    'div',
    {
      class: `traffic-row row level-${level}`,
      title: place ? `${text}\n${place}` : text,
    },
    codicon(icons[level] ?? 'blank'),
    element('span', { class: 'spoken' }, `${level}: `),
    element('span', { class: 'traffic-text clipped' }, text.replaceAll(/\s+/g, ' ')),
    element('span', { class: 'traffic-place quiet clipped' }, url ? `${shortUrl(url)}${at}` : ''),
  );
}

/** Returns the row of a request. */
function requestRow(request: NetworkEntry): HTMLElement {
  const { method, url, type, error, durationMs, state, bytes } = request;
  const [origin = ''] = /^\w+:\/\/[^/?#]*/.exec(url) ?? [];
  const status = statusOf(request);
  const took = typeof durationMs === 'number' ? l10n.t('{0} ms', Math.round(durationMs)) : '';
  return element(
    'div',
    {
      class: hasFailed(request) ? 'traffic-row row failed' : 'traffic-row row',
      title: [`${method} ${url}`, error].filter(Boolean).join('\n'),
    },
    element('span', { class: 'traffic-status clipped' }, status),
    element('span', { class: 'traffic-method clipped' }, method),
    element(
      'span',
      { class: 'traffic-text clipped' },
      // Without room for all of it, the path says more than the origin.
      element('span', { class: 'traffic-origin' }, origin),
      url.slice(origin.length),
    ),
    element('span', { class: 'traffic-type clipped' }, type),
    element('span', { class: 'traffic-number' }, state === 'finished' ? byteSize(bytes) : ''),
    element('span', { class: 'traffic-number' }, took),
  );
}

function statusOf({ state, status }: NetworkEntry): string {
  if (state === 'failed') return l10n.t('failed');
  return typeof status === 'number' ? String(status) : '…';
}
