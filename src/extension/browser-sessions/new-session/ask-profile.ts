import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { label } from '../../ui/text/text.ts';
import type { KnownProfile } from '../session-options.ts';
import { typedProfile } from './pick-items.ts';
import { type back, type Choice, pickOrType } from './pick-or-type.ts';

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
