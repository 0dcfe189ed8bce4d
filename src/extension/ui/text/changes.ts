import * as l10n from '@vscode/l10n';
import { label } from './text.ts';

/** Returns how pages differ from those of the last time: `2 new, 1 removed`; `nothing changed` if all are the same. */
export function changesText(changes: { new: number; changed: number; removed: number }): string {
  const parts = [
    changes.new > 0 && l10n.t('{0} new', changes.new),
    changes.changed > 0 && l10n.t('{0} changed', changes.changed),
    changes.removed > 0 && l10n.t('{0} removed', changes.removed),
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : l10n.t('nothing changed');
}

/** Returns how a page differs from the last time, in a word. */
export function changeWord(status: string): string {
  if (status === 'new') return l10n.t('new');
  if (status === 'changed') return l10n.t('changed');
  return status === 'removed' ? l10n.t('removed') : label(status, 40);
}
