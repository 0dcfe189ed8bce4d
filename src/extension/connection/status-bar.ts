import * as vscode from 'vscode';
import { commands } from '../ui/ids.ts';
import { type Disposable, Disposables } from '../ui/lifecycle.ts';
import { clock, label } from '../ui/text.ts';
import { type Target, targetName } from './target.ts';

/** The current session, as the status bar tells of it. */
export interface SessionSummary {
  shortId: string;
  name: string | undefined;
  /** Milliseconds since 1970; undefined when the server gave none. */
  expiresAt: number | undefined;
  busy: boolean;
}

export interface StatusSource {
  readonly target: Target;
  readonly session: SessionSummary | undefined;
  /** What is going on at the moment, such as "starting". */
  readonly activity: string | undefined;
  onDidChange(listener: () => void): Disposable;
}

/** The texts of the item: what is shown and what a screen reader says. */
export function statusTexts(source: Omit<StatusSource, 'onDidChange'>, now: number): { text: string; spoken: string } {
  const target = label(targetName(source.target), 40);
  const { session, activity } = source;
  const icon = activity || session?.busy ? '$(loading~spin)' : '$(globe)';
  if (activity)
    return { text: `${icon} Web Data: ${label(activity, 40)}`, spoken: `Web Data: ${target}, ${label(activity, 40)}` };
  if (!session) return { text: `${icon} Web Data: ${target}`, spoken: `Web Data: ${target}, no session` };
  const left = session.expiresAt === undefined ? undefined : clock(session.expiresAt - now);
  const parts = [session.shortId, session.name && label(session.name, 24), left].filter(Boolean);
  const spoken = `Web Data: ${target}, session ${parts.slice(0, left ? -1 : undefined).join(' ')}`;
  return {
    text: `${icon} ${target} · ${parts.join(' ')}`,
    spoken: `${spoken}${left ? `, ${left} left` : ''}${session.busy ? ', running' : ''}`,
  };
}

/** The item in the status bar: the target and the current session with the time it has left. */
export function createStatusBar(source: StatusSource): Disposable {
  const disposables = new Disposables();
  const item = disposables.add(vscode.window.createStatusBarItem('webdata.status', vscode.StatusBarAlignment.Left, 10));
  item.name = 'Web Data';
  item.command = commands.showMenu;
  let tick: NodeJS.Timeout | undefined;

  const draw = () => {
    const { text, spoken } = statusTexts(source, Date.now());
    item.text = text;
    item.accessibilityInformation = { label: spoken, role: 'button' };
    item.tooltip = `${spoken}\nChoose a session or a server`;
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
