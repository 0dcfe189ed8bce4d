import * as l10n from '@vscode/l10n';
import type { Connection } from '../connection/connection.ts';
import { failureStatus, searchedPlaces } from '../connection/failures.ts';
import { serverStateOf } from '../connection/polling/server-store.ts';
import { remedyOf } from '../connection/remedies/remedies.ts';
import { UserError } from '../ui/commands.ts';
import { commands, settings, settingsSection } from '../ui/ids.ts';
import { messageOf } from '../ui/text/text.ts';
import type { SessionsState } from './sessions-store.ts';

/** Returns the view's state for a failure; undefined if it doesn't concern the server as a whole. */
export function failureState(error: unknown, limitedUntil: number): SessionsState | undefined {
  const message = messageOf(error);
  const status = failureStatus(error);
  if (status === 503) return { kind: 'no-browser', message, searched: searchedPlaces(error) };
  if (status === 400 || status === 402 || status === 409) return undefined;
  const state = serverStateOf(error, limitedUntil);
  // Every server has sessions.
  return state?.kind === 'not-offered' ? { kind: 'unreachable', message } : state;
}

/** Returns the failure with buttons that help fix it. */
export function withActions(error: unknown, connection: Connection): unknown {
  const actions = actionsFor(error, connection.target.kind === 'embedded');
  return actions ? new UserError(messageOf(error), actions, { cause: error }) : error;
}

function actionsFor(error: unknown, embedded: boolean): UserError['actions'] | undefined {
  const status = failureStatus(error);
  if (status === 503 && embedded) {
    const remedy = remedyOf(error);
    const args = [`${settingsSection}.${settings.chromePath}`];
    return [
      ...(remedy ? [remedy] : []),
      { title: l10n.t('Set Chrome Path'), command: 'workbench.action.openSettings', args },
      { title: l10n.t('Show Service Log'), command: commands.showServiceLog },
    ];
  }
  if (status === 409 || status === 402 || status === 400) {
    return [{ title: l10n.t('New Browser Session with Options…'), command: commands.newBrowserSessionWithOptions }];
  }
  if (status === 401 && !embedded) {
    return [{ title: l10n.t('Connect to Server…'), command: commands.connectToServer }];
  }
  return undefined;
}
