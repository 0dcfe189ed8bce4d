import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands } from '../../ui/ids.ts';
import { type Disposable, Disposables } from '../../ui/lifecycle.ts';
import { type StatusSource, statusTexts } from './status-texts.ts';

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

  /** Shows a source in place of the previous one. */
  show(source: StatusSource): void {
    this.#stop();
    this.#listening = source.onDidChange(() => this.#draw(source));
    this.#draw(source);
    this.#item.show();
  }

  #draw(source: StatusSource): void {
    const { text, spoken, id, warns } = statusTexts(source, Date.now());
    this.#item.text = text;
    this.#item.backgroundColor = warns ? this.#warningColor : undefined;
    this.#item.accessibilityInformation = { label: spoken, role: 'button' };
    const lines = [spoken, ...(id ? [l10n.t('Session ID: {0}…', id)] : []), l10n.t('Choose a session or a server')];
    this.#item.tooltip = lines.join('\n');
    const ticking = source.session?.expiresAt !== undefined;
    if (ticking) this.#tick ??= setInterval(() => this.#draw(source), 1000);
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

/** Returns what is shown for a target before any request to it. */
export function untouched(target: StatusSource['target']): StatusSource {
  const nothing = { session: undefined, trouble: undefined, activity: undefined };
  return { target, ...nothing, onDidChange: () => ({ dispose: () => undefined }) };
}
