import * as vscode from 'vscode';

/** Something to pick. One without a value only says something. */
export interface Choice<Value> extends vscode.QuickPickItem {
  value?: Value;
}

/** The person went back a step. */
export const back = Symbol('back');

/**
 * A list to pick from, which may also take what is typed.
 * @returns the picked value, `back`, or undefined when the person gave up
 */
export async function pickOrType<Value>(options: {
  title: string;
  placeholder: string;
  choices: readonly Choice<Value>[];
  /** More choices that take a while to be known. */
  later?: Promise<readonly Choice<Value>[]>;
  /** The choice that is marked at first. */
  active?: (choice: Choice<Value>) => boolean;
  /** What a typed text stands for. */
  typed?: (text: string) => Choice<Value> | undefined;
  canGoBack: boolean;
}): Promise<Value | typeof back | undefined> {
  const pick = vscode.window.createQuickPick<Choice<Value>>();
  pick.title = options.title;
  pick.placeholder = options.placeholder;
  pick.ignoreFocusOut = true;
  if (options.canGoBack) pick.buttons = [vscode.QuickInputButtons.Back];
  let choices = options.choices;
  const show = () => {
    const own = pick.value.trim() === '' ? undefined : options.typed?.(pick.value.trim());
    pick.items = own ? [{ ...own, alwaysShow: true }, ...choices] : choices;
  };
  show();
  const marked = options.active && choices.find(options.active);
  if (marked) pick.activeItems = [marked];
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
  try {
    return await new Promise((resolve) => {
      pick.onDidAccept(() => {
        const chosen = pick.selectedItems[0];
        if (chosen && 'value' in chosen) resolve(chosen.value);
      });
      pick.onDidTriggerButton(() => resolve(back));
      pick.onDidHide(() => resolve(options.canGoBack ? back : undefined));
      pick.show();
    });
  } finally {
    pick.dispose();
  }
}
