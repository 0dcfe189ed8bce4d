import * as l10n from '@vscode/l10n';
import type { FailureAction, ShownTurn } from '../../../webviews/docs/messages.ts';
import type { Connection } from '../../connection/connection.ts';
import { serverStateOf } from '../../connection/polling/server-store.ts';
import { timeOfDay } from '../../ui/text/dates.ts';
import { label, messageOf } from '../../ui/text/text.ts';

/** Why a question failed, and the actions to offer. */
export type Failure = NonNullable<ShownTurn['failure']>;

type FailedConnection = Pick<Connection, 'rateLimit'> & { readonly target: Pick<Connection['target'], 'kind'> };

const again: FailureAction = { name: 'again', title: l10n.t('Ask Again') };
const connect: FailureAction = { name: 'connect', title: l10n.t('Connect to Server…') };
const useEmbedded: FailureAction = { name: 'embedded', title: l10n.t('Use Embedded Service') };
const showLog: FailureAction = { name: 'log', title: l10n.t('Show Log') };

/** Describes to the user why a question failed. */
export function failureOf(error: unknown, { target, rateLimit }: FailedConnection, trusted: boolean): Failure {
  const { until } = rateLimit;
  const message = label(messageOf(error), 400);
  if (!trusted) return { text: message, actions: [{ name: 'trust', title: l10n.t('Manage Workspace Trust') }] };
  const state = serverStateOf(error, until);
  switch (state?.kind) {
    case 'signed-out':
      return { text: message, actions: [connect, useEmbedded] };
    case 'limited':
      return {
        text: l10n.t('The server is rate limiting requests. Ask again at {0}.', timeOfDay(until, true)),
        actions: [again],
      };
    case 'not-offered':
      return { text: l10n.t("This server doesn't answer questions about its docs."), actions: [useEmbedded, connect] };
    case 'unreachable':
      return { text: message, actions: target.kind === 'embedded' ? [again, showLog] : [again, showLog, useEmbedded] };
    default:
      return { text: message, actions: [] };
  }
}
