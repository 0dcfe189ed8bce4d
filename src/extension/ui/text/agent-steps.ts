import * as l10n from '@vscode/l10n';
import { label, shortAddress } from './text.ts';

/** Returns what an agent did in a step, in a few words. */
export function stepWords({ action, text }: { action: string; text: string }): string {
  const what = label(shortAddress(text, 60), 60);
  if (action === 'plan') return l10n.t('made a plan');
  if (action === 'search') return l10n.t('searched for {0}', what);
  if (action === 'map') return l10n.t('listed pages of {0}', what);
  if (action === 'read') return l10n.t('read {0}', what);
  if (action === 'browse') return l10n.t('used a browser on {0}', what);
  return action === 'answer' ? l10n.t('checked the answer') : label(action, 20);
}
