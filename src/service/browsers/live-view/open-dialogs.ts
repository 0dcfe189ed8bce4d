import type { Clock } from '../../platform/clock.ts';
import type { WatchedTab } from './live-tab.ts';

/** How often it is checked whether an open dialog blocks its page for too long. */
const checkMs = 10_000;
/** How long a viewer in control has to answer a dialog. */
const answerMs = 30_000;

export interface OpenDialogsOptions {
  clock: Clock;
  /** Whether code is running, which may be about to answer. */
  isBusy(): boolean;
  /** Whether a viewer in control sees the tab, and may be reading its dialog. */
  hasControl(tab: WatchedTab): boolean;
  onDismissed(tab: WatchedTab): void;
}

/** Dismisses dialogs that block their pages for too long because nobody answers them. */
export function createOpenDialogs({ clock, isBusy, hasControl, onDismissed }: OpenDialogsOptions) {
  const open = new Map<WatchedTab, { dialog: WatchedTab['dialog']; since: number; cancel: () => void }>();

  /** Looks at the dialog of a tab: it may have opened or closed. */
  function look(tab: WatchedTab): void {
    const before = open.get(tab);
    before?.cancel();
    open.delete(tab);
    const { dialog } = tab;
    if (!dialog) return;
    const since = before?.dialog === dialog ? before.since : clock.monotonic();
    const cancel = clock.after(checkMs, () => {
      if (tab.dialog !== dialog) return;
      if (isBusy() || (hasControl(tab) && clock.monotonic() - since < answerMs)) return look(tab);
      // Accept leaving the page.
      tab.answerDialog(dialog.kind === 'beforeunload');
      onDismissed(tab);
    });
    open.set(tab, { dialog, since, cancel });
  }

  return {
    look,
    end(): void {
      for (const { cancel } of open.values()) cancel();
      open.clear();
    },
  };
}
