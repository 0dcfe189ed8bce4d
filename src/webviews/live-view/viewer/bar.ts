import * as l10n from '@vscode/l10n';
import type { FromViewer, LiveTab, ToViewer } from '../../../contract/sessions/live-view.ts';
import { element, iconButton, pressable } from '../../common/dom.ts';
import { isBlank } from './blank-page.ts';

export interface BarOptions {
  send(message: FromViewer): void;
  onActualSize(): void;
  onFixedSize(): void;
  /** The user chose the address field without being in control. */
  onAddress(): void;
  /** Additional buttons at the end. */
  extra: readonly HTMLElement[];
}

type State = Extract<ToViewer, { type: 'state' }>;

/** The bar above the picture: history buttons, address and tabs. */
export class Bar {
  readonly element: HTMLElement;
  readonly address = element('input', {
    class: 'field address',
    type: 'text',
    'aria-label': l10n.t('Address'),
    spellcheck: 'false',
    autocomplete: 'off',
    readonly: true,
    placeholder: l10n.t('Type an address'),
  });
  #options: BarOptions;
  #control = false;
  #state: State = { type: 'state', canGoBack: false, canGoForward: false, loading: false, sizedBy: 'page' };
  #canResize = false;
  #fixed = false;
  /** What was entered, until the tab shows another page than it did then. */
  #entered: { text: string; instead: string } | undefined;
  /** Whether the field has text that was typed and not entered. */
  #typing = false;
  #tabs: { tabs: LiveTab[]; shown: string | null } = { tabs: [], shown: null };
  #back = iconButton('arrow-left', l10n.t('Back'), () => this.#go('back'));
  #forward = iconButton('arrow-right', l10n.t('Forward'), () => this.#go('forward'));
  #reload = iconButton('refresh', l10n.t('Reload'), () => this.#go(this.#state.loading ? 'stop' : 'reload'));
  #fit = iconButton('screen-normal', l10n.t('Fixed page size'), () => this.#options.onFixedSize());
  #actual = iconButton('zoom-in', l10n.t('Actual size'), () => this.#options.onActualSize());
  #tabList = element('div', { class: 'tabs', role: 'tablist', 'aria-label': l10n.t('Tabs') });
  #newTab = iconButton('add', l10n.t('New tab'), () => this.#options.send({ type: 'new-tab' }));
  #progress = element('div', { class: 'progress', hidden: true });

  constructor(options: BarOptions) {
    this.#options = options;
    this.address.addEventListener('keydown', (event) => this.#addressKey(event));
    this.address.addEventListener('mousedown', () => {
      if (!this.#control) this.#options.onAddress();
    });
    this.address.addEventListener('input', () => {
      this.#typing = true;
    });
    this.address.addEventListener('blur', () => this.#showAddress(true));
    this.#tabList.addEventListener('keydown', (event) => this.#tabKey(event));
    this.element = element(
      'header',
      { class: 'bar' },
      element(
        'div',
        { class: 'bar-line row', role: 'toolbar', 'aria-label': l10n.t('Live view') },
        this.#back,
        this.#forward,
        this.#reload,
        this.address,
        this.#fit,
        this.#actual,
        ...options.extra,
      ),
      element('div', { class: 'tab-line row' }, this.#tabList, this.#newTab),
      this.#progress,
    );
    this.#draw();
  }

  /** Address of the shown tab; undefined before the service has listed the tabs. */
  get url(): string | undefined {
    return this.#shown?.url;
  }

  get title(): string {
    return this.#shown?.title || this.#shown?.url || '';
  }

  setControl(control: boolean): void {
    this.#control = control;
    this.address.readOnly = !control;
    this.#draw();
    this.#drawTabs();
  }

  setState(state: State): void {
    this.#state = state;
    this.#draw();
  }

  /** Shows whether this viewer can size the page, and whether it leaves the page its own size. */
  setSizing(canResize: boolean, fixed: boolean): void {
    this.#canResize = canResize;
    this.#fixed = fixed;
    this.#draw();
  }

  setTabs(tabs: LiveTab[], shown: string | null): void {
    this.#tabs = { tabs, shown };
    this.#drawTabs();
    this.#showAddress();
  }

  setActualSize(actual: boolean): void {
    this.#actual.setAttribute('aria-pressed', String(actual));
  }

  /** Shows whether the picture fits at its actual size, so that there is nothing to switch. */
  setFits(fits: boolean): void {
    this.#actual.disabled = fits;
    this.#actual.title = fits ? l10n.t('Actual size: the page fits in the view') : l10n.t('Actual size');
  }

  get #shown(): LiveTab | undefined {
    return this.#tabs.tabs.find(({ id }) => id === this.#tabs.shown);
  }

  #go(to: 'back' | 'forward' | 'reload' | 'stop'): void {
    this.#options.send({ type: 'history', to });
  }

  #draw(): void {
    const { canGoBack, canGoForward, loading, sizedBy } = this.#state;
    this.#back.disabled = !(this.#control && canGoBack);
    this.#forward.disabled = !(this.#control && canGoForward);
    this.#reload.disabled = !this.#control;
    rename(this.#reload, loading ? 'close' : 'refresh', loading ? l10n.t('Stop loading') : l10n.t('Reload'));
    this.#fit.hidden = !this.#canResize;
    const size = this.#fixed ? l10n.t('Fit page to view') : l10n.t('Use fixed page size (1280 px wide)');
    rename(
      this.#fit,
      this.#fixed ? 'screen-full' : 'screen-normal',
      sizedBy === 'code' ? l10n.t('{0}. Code has set the size of this page.', size) : size,
    );
    this.#newTab.hidden = !this.#control;
    this.#progress.hidden = !loading;
  }

  #drawTabs(): void {
    const { tabs, shown } = this.#tabs;
    const focused = this.#tabList.contains(document.activeElement);
    this.#tabList.replaceChildren(...tabs.map((tab) => this.#tabElement(tab, tab.id === shown)));
    if (focused) this.#tabList.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
  }

  #tabElement(tab: LiveTab, selected: boolean): HTMLElement {
    const name = isBlank(tab.url) ? l10n.t('New tab') : tab.title || tab.url;
    const button = pressable(
      {
        class: 'tab row',
        role: 'tab',
        title: `${name}\n${tab.url}`,
        'aria-selected': String(selected),
        tabindex: selected ? '0' : '-1',
        'aria-keyshortcuts': this.#canClose ? 'Delete' : undefined,
        'data-tab': tab.id,
      },
      () => this.#options.send({ type: 'show-tab', tab: tab.id }),
      tab.icon
        ? element('img', { class: 'tab-icon', src: tab.icon, alt: '' })
        : element('span', { class: 'tab-icon codicon codicon-globe', 'aria-hidden': 'true' }),
      element('span', { class: 'tab-title clipped' }, name),
    );
    const close = iconButton('close', l10n.t('Close {0}', name), () =>
      this.#options.send({ type: 'close-tab', tab: tab.id }),
    );
    close.hidden = !this.#canClose;
    // A list of tabs holds nothing but tabs: for the keyboard and for screen readers, Delete closes one.
    close.tabIndex = -1;
    close.setAttribute('aria-hidden', 'true');
    return element('span', { class: selected ? 'tab-box row selected' : 'tab-box row' }, button, close);
  }

  get #canClose(): boolean {
    return this.#control && this.#tabs.tabs.length > 1;
  }

  #tabKey(event: KeyboardEvent): void {
    const focused = (event.target as HTMLElement).dataset.tab;
    if (event.key === 'Delete' && focused !== undefined && this.#canClose) {
      event.preventDefault();
      this.#options.send({ type: 'close-tab', tab: focused });
      return;
    }
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const { tabs, shown } = this.#tabs;
    const next = step && tabs[tabs.findIndex(({ id }) => id === shown) + step];
    if (!next) return;
    event.preventDefault();
    this.#options.send({ type: 'show-tab', tab: next.id });
  }

  #addressKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      this.#entered = undefined;
      this.#showAddress(true);
      this.address.select();
    }
    if (event.key !== 'Enter' || !this.#control) return;
    const url = this.address.value.trim();
    if (url) {
      this.#entered = { text: url, instead: `${this.#shown?.id ?? ''}${this.#shown?.url ?? ''}` };
      this.#typing = false;
      this.#options.send({ type: 'navigate', url: url.slice(0, 8_000) });
    }
    this.address.blur();
  }

  /** Shows the address of the tab. What the user is typing stays, unless `force` is set. */
  #showAddress(force = false): void {
    if (this.#typing && this.#control && !force) return;
    this.#typing = false;
    const { id = '', url = '' } = this.#shown ?? {};
    if (this.#entered?.instead !== `${id}${url}`) this.#entered = undefined;
    this.address.value = this.#entered?.text ?? (isBlank(url) ? '' : url);
  }
}

/** Changes the icon and the name of a button. */
function rename(button: HTMLElement, icon: string, name: string): void {
  button.title = name;
  button.setAttribute('aria-label', name);
  const symbol = button.querySelector('.codicon');
  if (symbol) symbol.className = `codicon codicon-${icon}`;
}
