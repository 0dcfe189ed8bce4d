import * as l10n from '@vscode/l10n';
import { limits } from '../../contract/limits.ts';
import { embeddedInstead, type Remedy } from '../connection/remedies/remedies.ts';
import { settings, settingsSection } from '../ui/ids.ts';
import type { RunParts } from './results/outcome.ts';
import type { RunRequest } from './run-request.ts';

/** Returns the seconds to send to a server: without a limit, as many as it allows. */
export function serverTimeout(timeout: number | null): number {
  return Math.min(timeout ?? limits.runTimeout.max, limits.runTimeout.max);
}

/** Returns the error of a run that its limit ended, and the button that changes it; undefined if something else ended it. */
export function limitError(
  { killed, error = '' }: RunParts,
  { timeout, isPrompt, byAgent }: Pick<RunRequest, 'timeout' | 'isPrompt' | 'byAgent'>,
  isEmbedded: boolean,
): { error: string; remedy?: Remedy } | undefined {
  if (byAgent || !(killed || isPrompt) || !/\btime(?:d )?out\b/i.test(error)) return undefined;
  const setting = `${settingsSection}.${settings.runTimeout}`;
  // The limit of prompts is the same everywhere.
  if (timeout !== null && ((isEmbedded && !isPrompt) || timeout < limits.runTimeout.max)) {
    return {
      error: l10n.t('The run was stopped after {0} s, the limit in the setting {1}.', timeout, setting),
      remedy: { title: l10n.t('Change the Limit'), command: 'workbench.action.openSettings', args: [setting] },
    };
  }
  const text = l10n.t('The run was stopped after {0} s, the limit of this server.', serverTimeout(timeout));
  if (isPrompt) return { error: text };
  return { error: `${text} ${l10n.t('The embedded service has no limit.')}`, remedy: embeddedInstead };
}
