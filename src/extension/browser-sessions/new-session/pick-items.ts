import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { limits } from '../../../contract/limits.ts';
import type { createSessionBody, profile } from '../../../contract/sessions/sessions.ts';
import { type back, type Choice, pickOrType } from '../../ui/pick-or-type.ts';
import { label } from '../../ui/text/text.ts';
import { type KnownProfile, type SessionOptions, secondsInWords, typedSeconds } from '../session-options.ts';

export type Step = 'start' | 'ttl' | 'activityTtl' | 'profile' | 'saveChanges' | 'liveView' | 'headed';
export type TimeOption = 'ttl' | 'activityTtl';

/** What applies to the times that aren't set. */
export type UnsetTimes = Readonly<Record<TimeOption, string>>;

/** Returns what applies to the times that aren't set: `idleMinutes` on the embedded service, otherwise what is usual. */
export function unsetTimes(idleMinutes: number | undefined): UnsetTimes {
  const usual = (seconds: number) => l10n.t('server default, usually {0}', secondsInWords(seconds));
  if (idleMinutes === undefined)
    return { ttl: usual(limits.ttl.default), activityTtl: usual(limits.activityTtl.default) };
  const idle = idleMinutes === 0 ? l10n.t('no limit while the window is open') : secondsInWords(idleMinutes * 60);
  return { ttl: l10n.t('no limit while the window is open'), activityTtl: idle };
}

/** The first list: the options that the session starts with. */
export function overview(
  options: SessionOptions,
  untouched: boolean,
  unset: UnsetTimes,
  canBeHeaded: boolean,
): Choice<Step>[] {
  const { ttl, activityTtl, profile } = options;
  const time = (option: TimeOption, seconds: number | undefined) =>
    seconds === undefined ? unset[option] : secondsInWords(seconds);
  return [
    {
      label: untouched ? l10n.t('$(play) Start with Defaults') : l10n.t('$(play) Start with These Options'),
      value: 'start',
      alwaysShow: true,
    },
    { label: l10n.t('$(clock) Lifetime'), description: time('ttl', ttl), value: 'ttl' },
    { label: l10n.t('$(watch) Idle timeout'), description: time('activityTtl', activityTtl), value: 'activityTtl' },
    {
      label: l10n.t('$(account) Profile'),
      description: profile ? label(profile.name, 60) : l10n.t('none'),
      value: 'profile',
    },
    ...(profile
      ? [
          {
            label: l10n.t('$(save) Save changes to the profile'),
            description: profile.saveChanges ? l10n.t('yes, when the session ends') : l10n.t('no, read-only'),
            value: 'saveChanges' as const,
          },
        ]
      : []),
    {
      label: l10n.t('$(eye) Live view'),
      description: options.streamWebView === false ? l10n.t('off') : l10n.t('on'),
      value: 'liveView',
    },
    ...(canBeHeaded
      ? [
          {
            label: l10n.t('$(window) Browser window'),
            description: options.headed ? l10n.t('shown on this machine') : l10n.t('hidden'),
            value: 'headed' as const,
          },
        ]
      : []),
  ];
}

/** Returns a choice for a typed time. If the contract rejects the time, the choice says why and can't be picked. */
export function typedTime(text: string, step: TimeOption, schema: typeof createSessionBody): Choice<number | null> {
  const seconds = typedSeconds(text);
  if (seconds === undefined)
    return { label: label(text, 60), description: l10n.t("isn't a valid time: enter one such as 90 s, 5 min or 1 h") };
  const problem = schema.shape[step].safeParse(seconds).error?.issues[0]?.message;
  return problem
    ? { label: secondsInWords(seconds), description: problem }
    : { label: secondsInWords(seconds), value: seconds };
}

/** Returns a choice for a typed name. If the contract rejects the name, the choice says why and can't be picked. */
export function typedProfile(text: string, schema: typeof profile): Choice<string | null> {
  const problem = schema.shape.name.safeParse(text).error?.issues[0]?.message;
  const shown = label(text, 60);
  return problem
    ? { label: shown, description: problem }
    : { label: `$(add) ${shown}`, description: l10n.t('a new profile'), value: text };
}

/** A button of the profiles in the list. */
export interface ProfileAction {
  button: vscode.QuickInputButton;
  /** Whether only saved profiles have it. */
  saved: boolean;
  run(name: string): void;
}

/** The choice of a session without a profile. */
export const noProfile: Choice<string | null> = {
  label: l10n.t('$(circle-slash) No profile'),
  description: l10n.t('starts with an empty browser'),
  value: null,
};

/**
 * Asks for one of the known profiles or the name of a new one.
 * @returns null for `noProfile`, undefined if the user cancels or presses a button of a profile
 */
export async function askProfile(options: {
  title: string;
  /** Choices besides the known profiles. */
  choices?: readonly Choice<string | null>[];
  current?: string | null | undefined;
  known: Promise<readonly KnownProfile[]>;
  canGoBack: boolean;
  actions?: readonly ProfileAction[];
}): Promise<string | null | typeof back | undefined> {
  const { profile } = await import('../../../contract/sessions/sessions.ts');
  const { actions = [] } = options;
  const names = new Set<string>();
  const later = options.known.then((profiles) =>
    profiles.map(({ name, description, logins, saved }) => {
      names.add(name);
      return {
        label: `$(account) ${label(name, 80)}`,
        description,
        ...(logins !== undefined && { detail: logins }),
        buttons: actions.filter((action) => saved || !action.saved).map(({ button }) => button),
        value: name,
      };
    }),
  );
  return await pickOrType<string | null>({
    title: options.title,
    placeholder: l10n.t('Choose a profile or enter the name of a new one'),
    choices: options.choices ?? [],
    later,
    active: ({ value }) => value === options.current,
    typed: (text) => (names.has(text) ? undefined : typedProfile(text, profile)),
    canGoBack: options.canGoBack,
    onButton: (name, button) => {
      if (name !== null) actions.find((action) => action.button === button)?.run(name);
    },
  });
}
