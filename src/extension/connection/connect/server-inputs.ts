import * as vscode from 'vscode';
import { useHttp } from '../../ui/ask-url/ask-url.ts';
import { label } from '../../ui/text/text.ts';
import { type LiveCheckOptions, liveCheck, type Verdict } from './live-check.ts';

/** How long a text must stay the same before the server is asked. */
const delayMs = 500;

interface CheckedInput extends Pick<LiveCheckOptions, 'problemOf' | 'ask'> {
  title: string;
  prompt: string;
  placeholder?: string;
  value?: string;
  password?: boolean;
  /** Shows a button that leads back to the previous input. */
  canGoBack?: boolean;
  /** A button that opens a page in the browser. */
  help?: { tooltip: string; url: string };
  /** Returns the text to use when none is typed; undefined if one must be. */
  emptyText?: string | undefined;
}

/** What came of an input: a text that the server accepted, a way back, or nothing. `typed` is what it holds at the end. */
export type InputOutcome = { kind: 'text'; text: string } | { kind: 'back' } | { kind: 'cancelled' };

/** Asks for a text and checks it with the server while it is typed. The reason why it can't be used is below the input. */
export async function askChecked(options: CheckedInput): Promise<InputOutcome & { typed: string }> {
  const input = vscode.window.createInputBox();
  input.title = options.title;
  input.prompt = options.prompt;
  input.placeholder = options.placeholder;
  input.password = options.password ?? false;
  input.ignoreFocusOut = true;
  input.value = options.value ?? '';
  if (!options.password) input.valueSelection = [0, input.value.length];
  const { help } = options;
  const helpButton = help && { iconPath: new vscode.ThemeIcon('question'), tooltip: help.tooltip };
  const always = [...(options.canGoBack ? [vscode.QuickInputButtons.Back] : []), ...(helpButton ? [helpButton] : [])];
  input.buttons = always;
  let instead: string | undefined;

  const show = (state: Verdict & { busy: boolean }) => {
    input.busy = state.busy;
    input.validationMessage = state.problem && label(state.problem, 600);
    instead = state.instead;
    const unlock = instead && { iconPath: new vscode.ThemeIcon('unlock'), tooltip: useHttp(instead) };
    input.buttons = [...always, ...(unlock ? [unlock] : [])];
  };
  const check = liveCheck({ problemOf: options.problemOf, ask: options.ask, show, delayMs });
  const textOf = () => (input.value.trim() === '' ? options.emptyText : input.value);
  try {
    const outcome = await new Promise<InputOutcome>((resolve) => {
      input.onDidChangeValue((text) => check.typed(text));
      input.onDidTriggerButton((button) => {
        if (button === vscode.QuickInputButtons.Back) return resolve({ kind: 'back' });
        if (help && button === helpButton) return void vscode.env.openExternal(vscode.Uri.parse(help.url, true));
        if (instead === undefined) return;
        input.value = instead;
        check.typed(instead);
      });
      input.onDidAccept(async () => {
        const text = textOf();
        if (text === undefined) return;
        if ((await check.accepts(text)) && textOf() === text) resolve({ kind: 'text', text });
      });
      input.onDidHide(() => resolve({ kind: 'cancelled' }));
      input.show();
      // What failed before is checked again, so that the reason is there.
      if (options.value) check.typed(options.value);
    });
    return { ...outcome, typed: input.value };
  } finally {
    check.stop();
    input.dispose();
  }
}
