import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands } from '../../ui/ids.ts';
import { type Disposable, Disposables } from '../../ui/lifecycle.ts';
import { type Status, statusTexts } from './status-texts.ts';

/** The status bar item: the target and the current session with its remaining time. */
export class StatusBar extends Disposables {
  #item = vscode.window.createStatusBarItem('webdata.status', vscode.StatusBarAlignment.Left, 10);
  #warningColor = new vscode.ThemeColor('statusBarItem.warningBackground');
  #listening: Disposable | undefined;
  #tick: NodeJS.Timeout | undefined;

  constructor() {
    super();
    this.add(this.#item);
    this.add({ dispose: () => this.#stop() });
    this.#item.name = 'Web Data';
    this.#item.command = commands.showMenu;
  }

  /**
   * Shows a status in place of the previous one.
   * @param listen calls back when the status has changed
   */
  show(read: () => Status, listen?: (listener: () => void) => Disposable): void {
    this.#stop();
    this.#listening = listen?.(() => this.#draw(read));
    this.#draw(read);
    this.#item.show();
  }

  #draw(read: () => Status): void {
    const status = read();
    const { text, spoken, id, warns } = statusTexts(status, Date.now());
    this.#item.text = text;
    this.#item.backgroundColor = warns ? this.#warningColor : undefined;
    this.#item.accessibilityInformation = { label: spoken, role: 'button' };
    const lines = [spoken, ...(id ? [l10n.t('Session ID: {0}…', id)] : []), l10n.t('Choose a session or a server')];
    this.#item.tooltip = lines.join('\n');
    const ticking = status.session?.expiresAt !== undefined;
    if (ticking) this.#tick ??= setInterval(() => this.#draw(read), 1000);
    else this.#stopTicking();
  }

  #stopTicking(): void {
    clearInterval(this.#tick);
    this.#tick = undefined;
  }

  #stop(): void {
    this.#stopTicking();
    this.#listening?.dispose();
    this.#listening = undefined;
  }
}
