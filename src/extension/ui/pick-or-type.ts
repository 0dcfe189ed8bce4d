import * as vscode from 'vscode';
import { settled } from './dialogs.ts';

/** An item of the list. One without a value is only a message: it can't be picked. */
export interface Choice<Value> extends vscode.QuickPickItem {
  value?: Value;
}

/** The result when the user goes back a step. */
export const back = Symbol('back');

/**
 * Shows a list to pick from that also accepts typed text.
 * @returns the picked value, `back`, or undefined if the user cancels or presses the button of a choice
 */
export async function pickOrType<Value>(options: {
  title: string;
  placeholder: string;
  choices: readonly Choice<Value>[];
  /** More choices, added once they are loaded. */
  later?: Promise<readonly Choice<Value>[]>;
  /** Picks the choice that is focused at first. */
  active?: (choice: Choice<Value>) => boolean;
  /** Returns the choice for typed text, if any. */
  typed?: (text: string) => Choice<Value> | undefined;
  /** Called with the button of a choice, which closes the list. */
  onButton?: (value: Value, button: vscode.QuickInputButton) => void;
  canGoBack: boolean;
}): Promise<Value | typeof back | undefined> {
  const pick = vscode.window.createQuickPick<Choice<Value>>();
  pick.title = options.title;
  pick.placeholder = options.placeholder;
  if (options.canGoBack) pick.buttons = [vscode.QuickInputButtons.Back];
  let choices = options.choices;
  const typedChoice = () => (pick.value.trim() === '' ? undefined : options.typed?.(pick.value.trim()));
  const show = () => {
    const typed = typedChoice();
    pick.items = typed ? [{ ...typed, alwaysShow: true }, ...choices] : choices;
  };
  show();
  const focused = options.active && choices.find(options.active);
  if (focused) pick.activeItems = [focused];
  pick.onDidChangeValue(show);
  if (options.later) {
    pick.busy = true;
    void options.later
      .then((more) => {
        choices = [...choices, ...more];
        show();
      })
      .finally(() => {
        pick.busy = false;
      });
  }
  return await settled<Choice<Value>, Value | typeof back>(
    pick,
    // The row of a typed text may be that of what was typed before.
    (chosen) => (chosen && choices.includes(chosen) ? chosen : typedChoice())?.value,
    (resolve) => {
      pick.onDidTriggerButton(() => resolve(back));
      pick.onDidTriggerItemButton(({ item, button }) => {
        resolve(undefined);
        if (item.value !== undefined) options.onButton?.(item.value, button);
      });
    },
    options.canGoBack ? back : undefined,
  );
}
