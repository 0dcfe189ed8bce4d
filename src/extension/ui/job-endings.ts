import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { views } from './ids.ts';
import { Disposables } from './lifecycle.ts';
import { readSetting } from './settings.ts';
import { treeView } from './stand-ins/views.ts';

/** The view that lists a job. */
type JobView = typeof views.activeCrawls | typeof views.activity;

/** How a job ended that this window started. */
export interface Ending {
  text: string;
  /** Whether it has no result. */
  failed: boolean;
  /** Buttons for what can be done about it besides opening it: with one, it is also told while its view is visible. */
  ways?: readonly string[];
}

/** Tells that jobs have ended which this window started: by a notice if nobody sees their view, else by a badge. */
export class JobEndings extends Disposables {
  #view: typeof treeView;
  #untold = new Map<JobView, number>();

  constructor(view = treeView) {
    super();
    this.#view = view;
  }

  /**
   * Tells how a job ended.
   * @returns the button that the user pressed; `open` for the first one
   */
  async tell(view: JobView, { text, failed, ways = [] }: Ending): Promise<'open' | { way: string } | undefined> {
    const setting = readSetting('jobNotices');
    const isWanted = setting !== 'never' && (setting !== 'failures' || failed);
    const isSeen = this.#view(view)?.visible === true && ways.length === 0;
    if (!isWanted || isSeen) {
      this.#mark(view);
      return undefined;
    }
    const open = l10n.t('Open');
    const show = failed ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
    const chosen = await show(text, open, ...ways);
    if (chosen === undefined) return undefined;
    return chosen === open ? 'open' : { way: chosen };
  }

  /** Counts a job on the view's icon until the view is looked at. */
  #mark(id: JobView): void {
    const view = this.#view(id);
    if (!view) return;
    const untold = this.#untold.get(id);
    if (untold === undefined) {
      const clear = () => this.#set(id, 0);
      this.add(view.onDidChangeVisibility(({ visible }) => visible && clear()));
      this.add(view.onDidChangeSelection(clear));
    }
    this.#set(id, (untold ?? 0) + 1);
  }

  #set(id: JobView, value: number): void {
    this.#untold.set(id, value);
    const view = this.#view(id);
    const tooltip = value === 1 ? l10n.t('1 job ended') : l10n.t('{0} jobs ended', value);
    if (view) view.badge = value > 0 ? { value, tooltip } : undefined;
  }
}
