import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands } from '../../ui/ids.ts';
import { type Disposable, Disposables } from '../../ui/lifecycle.ts';
import { type StatusSource, statusTexts } from './status-texts.ts';

/** Creates the status bar item: the target and the current session with its remaining time. */
export function createStatusBar(source: StatusSource): Disposable {
  const disposables = new Disposables();
  const item = disposables.add(vscode.window.createStatusBarItem('webdata.status', vscode.StatusBarAlignment.Left, 10));
  item.name = 'Web Data';
  item.command = commands.showMenu;
  const warningColor = new vscode.ThemeColor('statusBarItem.warningBackground');
  let tick: NodeJS.Timeout | undefined;

  const draw = () => {
    const { text, spoken, id, warns } = statusTexts(source, Date.now());
    item.text = text;
    item.backgroundColor = warns ? warningColor : undefined;
    item.accessibilityInformation = { label: spoken, role: 'button' };
    const lines = [spoken, ...(id ? [l10n.t('Session ID: {0}…', id)] : []), l10n.t('Choose a session or a server')];
    item.tooltip = lines.join('\n');
    const ticking = source.session?.expiresAt !== undefined;
    if (ticking && !tick) tick = setInterval(draw, 1000);
    if (!ticking) stop();
  };
  const stop = () => {
    clearInterval(tick);
    tick = undefined;
  };
  disposables.add({ dispose: stop });
  disposables.add(source.onDidChange(draw));
  draw();
  item.show();
  return disposables;
}
