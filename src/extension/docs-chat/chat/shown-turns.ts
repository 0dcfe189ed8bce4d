import * as l10n from '@vscode/l10n';
import type { ShownTurn, State } from '../../../webviews/docs/messages.ts';
import type { Target } from '../../connection/target.ts';
import { count, duration, label } from '../../ui/text/text.ts';
import type { Turn } from './chat-store.ts';

/** Example questions, each answered by the bundled docs. */
export const examples = [
  'How long may a session live?',
  'How do I run the cell at the cursor?',
  'How do I verify the signature of a webhook?',
  'What does status 429 mean?',
];

/** Converts a question for the view. */
export function shownTurn(turn: Turn): ShownTurn {
  const { id, question, state, phase, answer, evidence, followUps, failure } = turn;
  return {
    id,
    question,
    state,
    answer,
    failure,
    phase: phase && label(phase, 60),
    evidence: evidence.map(({ name, place, reason, opens }) => ({ name, place, reason, opens })),
    addsSources: turn.embedded,
    followUps: [...followUps],
    foot: footOf(turn),
  };
}

function footOf({ state, server, durationMs, tokens }: Turn): string | undefined {
  if (state !== 'answered' && state !== 'unanswered') return undefined;
  const parts = [server, durationMs === undefined ? undefined : duration(durationMs), tokens && count(tokens, 'token')];
  return parts.filter(Boolean).join(' · ');
}

/** Returns the full state of the view. */
export function shownState(
  turns: readonly Turn[],
  context: { target: Target; trusted: boolean; docs: Iterable<string>; maxQuestionLength: number },
): State {
  const { target, trusted, docs, maxQuestionLength } = context;
  const welcome =
    target.kind === 'embedded'
      ? l10n.t('Ask how something works. Every answer lists its sources.')
      : l10n.t('Ask {0} how something works. Every answer lists its sources.', label(target.host, 60));
  return {
    turns: turns.map(shownTurn),
    welcome,
    examples,
    maxQuestionLength,
    docs: [...docs],
    ...(!trusted && {
      notice: {
        text: l10n.t('Nothing runs in Restricted Mode.'),
        action: { name: 'trust', title: l10n.t('Manage Workspace Trust') },
      },
    }),
  };
}
