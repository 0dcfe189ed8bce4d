import * as l10n from '@vscode/l10n';
import type { createSessionBody, profile } from '../../../contract/sessions/sessions.ts';
import { label } from '../../ui/text/text.ts';
import { type KnownProfile, type SessionOptions, secondsInWords } from '../session-options.ts';
import { overview, type Step, type TimeOption, typedProfile, typedTime } from './pick-items.ts';
import { back, pickOrType } from './pick-or-type.ts';

/** The contract's schemas, loaded on demand. */
interface Schemas {
  body: typeof createSessionBody;
  profile: typeof profile;
}

const title = l10n.t('New Browser Session');
const suggestions: Record<TimeOption, number[]> = {
  ttl: [60, 300, 600, 1800, 3600],
  activityTtl: [60, 300, 600, 1800, 3600],
};

/**
 * Asks for the options of a new session, starting from the defaults: Enter starts the session, or options can be changed first.
 * @returns undefined if the user cancels
 */
export async function askSessionOptions(
  defaults: SessionOptions,
  profiles: () => Promise<readonly KnownProfile[]>,
): Promise<SessionOptions | undefined> {
  const sessions = await import('../../../contract/sessions/sessions.ts');
  const schemas = { body: sessions.createSessionBody, profile: sessions.profile };
  let options = defaults;
  for (let step: Step = 'start'; ; ) {
    const chosen = await pickOrType<Step>({
      title,
      placeholder: l10n.t('Start the session or change an option first'),
      choices: overview(options, options === defaults),
      active: ({ value }) => value === step,
      canGoBack: false,
    });
    if (chosen === undefined || chosen === back) return undefined;
    if (chosen === 'start') return options;
    options = await change(chosen, options, profiles, schemas);
    step = chosen;
  }
}

async function change(
  step: Exclude<Step, 'start'>,
  options: SessionOptions,
  profiles: () => Promise<readonly KnownProfile[]>,
  schemas: Schemas,
): Promise<SessionOptions> {
  const { profile, streamWebView, ...others } = options;
  if (step === 'saveChanges')
    return profile ? { ...options, profile: { ...profile, saveChanges: !profile.saveChanges } } : options;
  if (step === 'liveView')
    return { ...others, ...(profile && { profile }), ...(streamWebView !== false && { streamWebView: false }) };
  if (step === 'profile') {
    const name = await askProfile(profile?.name, profiles(), schemas);
    if (name === undefined) return options;
    const { profile: _, ...without } = options;
    if (name === null) return without;
    return { ...without, profile: { name, saveChanges: profile?.saveChanges ?? true } };
  }
  const seconds = await askTime(step, options[step], schemas);
  if (seconds === undefined) return options;
  const { [step]: _, ...without } = options;
  return seconds === null ? without : { ...without, [step]: seconds };
}

async function askTime(
  step: TimeOption,
  current: number | undefined,
  schemas: Schemas,
): Promise<number | null | undefined> {
  const chosen = await pickOrType<number | null>({
    title: step === 'ttl' ? l10n.t('{0}: lifetime', title) : l10n.t('{0}: idle timeout', title),
    placeholder: l10n.t('Choose or enter a time, such as 90 s, 5 min or 1 h'),
    choices: [
      { label: l10n.t('Server default'), value: null },
      ...suggestions[step].map((seconds) => ({ label: secondsInWords(seconds), value: seconds })),
    ],
    active: ({ value }) => value === (current ?? null),
    typed: (text) => typedTime(text, step, schemas.body),
    canGoBack: true,
  });
  return chosen === back ? undefined : chosen;
}

async function askProfile(
  current: string | undefined,
  known: Promise<readonly KnownProfile[]>,
  schemas: Schemas,
): Promise<string | null | undefined> {
  const names = new Set<string>();
  const later = known.then((profiles) =>
    profiles.map(({ name, description }) => {
      names.add(name);
      return { label: `$(account) ${label(name, 80)}`, description, value: name };
    }),
  );
  const chosen = await pickOrType<string | null>({
    title: l10n.t('{0}: profile', title),
    placeholder: l10n.t('Choose a profile or enter the name of a new one'),
    choices: [
      { label: l10n.t('$(circle-slash) No profile'), description: l10n.t('starts with an empty browser'), value: null },
    ],
    later,
    active: ({ value }) => value === (current ?? null),
    typed: (text) => (names.has(text) ? undefined : typedProfile(text, schemas.profile)),
    canGoBack: true,
  });
  return chosen === back ? undefined : chosen;
}
