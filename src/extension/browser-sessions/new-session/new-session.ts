import * as l10n from '@vscode/l10n';
import { back, pickOrType } from '../../ui/pick-or-type.ts';
import { type KnownProfile, type SessionOptions, secondsInWords } from '../session-options.ts';
import {
  askProfile,
  noProfile,
  overview,
  type ProfileAction,
  type Step,
  type TimeOption,
  typedTime,
  type UnsetTimes,
} from './pick-items.ts';

const title = l10n.t('New Browser Session');
/** Seconds. */
const suggestions = [60, 300, 600, 1800, 3600];

/**
 * Asks for the options of a new session, starting from the defaults: Enter starts the session, or options can be changed first.
 * @returns undefined if the user cancels or presses a button of a profile, one of `actions`
 */
export async function askSessionOptions(
  defaults: SessionOptions,
  profiles: () => Promise<readonly KnownProfile[]>,
  unset: UnsetTimes,
  actions: readonly ProfileAction[] = [],
  canBeHeaded = false,
): Promise<SessionOptions | undefined> {
  let options = defaults;
  for (let step: Step = 'start'; ; ) {
    const chosen = await pickOrType<Step>({
      title,
      placeholder: l10n.t('Start the session or change an option first'),
      choices: overview(options, options === defaults, unset, canBeHeaded),
      active: ({ value }) => value === step,
      canGoBack: false,
    });
    if (chosen === undefined || chosen === back) return undefined;
    if (chosen === 'start') return options;
    const changed = await change(chosen, options, profiles, unset, actions);
    if (!changed) return undefined;
    // Enter then starts the session.
    step = changed === options ? chosen : 'start';
    options = changed;
  }
}

async function change(
  step: Exclude<Step, 'start'>,
  options: SessionOptions,
  profiles: () => Promise<readonly KnownProfile[]>,
  unset: UnsetTimes,
  actions: readonly ProfileAction[],
): Promise<SessionOptions | undefined> {
  if (step === 'headed') {
    const { headed, ...hidden } = options;
    return headed ? hidden : { ...hidden, headed: true };
  }
  const { profile, streamWebView, ...others } = options;
  if (step === 'saveChanges')
    return profile ? { ...options, profile: { ...profile, saveChanges: !profile.saveChanges } } : options;
  if (step === 'liveView')
    return { ...others, ...(profile && { profile }), ...(streamWebView !== false && { streamWebView: false }) };
  if (step === 'profile') {
    const name = await askProfile({
      title: l10n.t('{0}: profile', title),
      choices: [noProfile],
      current: profile?.name ?? null,
      known: profiles(),
      canGoBack: true,
      actions,
    });
    if (name === undefined) return undefined;
    if (name === back) return options;
    const { profile: _, ...without } = options;
    if (name === null) return without;
    return { ...without, profile: { name, saveChanges: profile?.saveChanges ?? true } };
  }
  const seconds = await askTime(step, options[step], unset);
  if (seconds === undefined) return options;
  const { [step]: _, ...without } = options;
  return seconds === null ? without : { ...without, [step]: seconds };
}

async function askTime(step: TimeOption, current: number | undefined, unset: UnsetTimes) {
  const { createSessionBody } = await import('../../../contract/sessions/sessions.ts');
  const chosen = await pickOrType<number | null>({
    title: step === 'ttl' ? l10n.t('{0}: lifetime', title) : l10n.t('{0}: idle timeout', title),
    placeholder: l10n.t('Choose or enter a time, such as 90 s, 5 min or 1 h'),
    choices: [
      { label: l10n.t('Not set'), description: unset[step], value: null },
      ...suggestions.map((seconds) => ({ label: secondsInWords(seconds), value: seconds })),
    ],
    active: ({ value }) => value === (current ?? null),
    typed: (text) => typedTime(text, step, createSessionBody),
    canGoBack: true,
  });
  return chosen === back ? undefined : chosen;
}
