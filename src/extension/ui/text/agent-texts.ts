import * as l10n from '@vscode/l10n';
import type { AgentSession, PermitRequest } from '../../../contract/mcp/agent-sessions.ts';
import { label, shortAddress } from './text.ts';

/** Returns what an agent does in a session, in words; undefined if it only has used it. */
export function agentState({ agent, acting, paused, controlled }: AgentSession): string | undefined {
  const name = label(agent, 40);
  if (controlled) return l10n.t('you have taken over from {0}', name);
  if (paused) return l10n.t('{0} is paused', name);
  return acting ? l10n.t('{0} is using this session', name) : undefined;
}

/** Returns what an agent asks for, in a sentence. */
export function requestText({ kind, agent, host, detail }: PermitRequest): string {
  const [name, where] = [label(agent, 40), label(host, 60)];
  if (kind === 'password') return l10n.t('{0} wants to submit a form with a password to {1}', name, where);
  if (kind === 'download') return l10n.t('{0} wants to download {1} from {2}', name, label(detail, 60), where);
  if (kind === 'upload') return l10n.t('{0} wants to upload {1} to {2}', name, label(detail, 200), where);
  if (kind === 'code') return l10n.t('{0} wants to run code', name);
  return l10n.t('{0} wants to use {1}', name, where);
}

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
