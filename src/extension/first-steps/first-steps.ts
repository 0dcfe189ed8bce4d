import * as vscode from 'vscode';
import { registerCommand, setContextKey } from '../ui/commands.ts';
import { commands } from '../ui/ids.ts';
import { type Milestone, Milestones, milestones } from './milestones.ts';
import { newSnippet } from './new-snippet.ts';
import { openExamples } from './open-examples.ts';

/**
 * When steps are ticked off after a walkthrough was opened, in milliseconds. VS Code doesn't say when it has loaded it, and
 * takes in a key that becomes true only if it has seen it false.
 */
const tickAtMs = [1_000, 3_000, 9_000, 27_000];

/** What a new user starts with. */
export interface FirstSteps extends vscode.Disposable {
  /** Ticks off a step of the walkthrough. */
  reach(milestone: Milestone): void;
}

/** Registers what a new user starts with: a snippet, the examples and the walkthrough. */
export function registerFirstSteps(
  { extension, extensionUri, globalState }: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): FirstSteps {
  const done = new Milestones({
    state: globalState,
    tick: (milestone) => setDone(milestone, true),
    onRanSnippet: (ran) => setContextKey('ranSnippet', ran),
  });
  let timers: NodeJS.Timeout[] = [];
  const stopTicking = () => timers.forEach(clearTimeout);
  // VS Code ticks off a step when its key becomes true after the walkthrough is loaded, not if it was true before.
  const reset = () => {
    for (const milestone of milestones) setDone(milestone, false);
  };
  const registered = vscode.Disposable.from(
    registerCommand(commands.newSnippet, log, () => newSnippet(!done.has('ranSnippet'))),
    registerCommand(commands.openExamples, log, () => {
      return openExamples(extensionUri);
    }),
    registerCommand(commands.openWalkthrough, log, async () => {
      stopTicking();
      reset();
      await vscode.commands.executeCommand('workbench.action.openWalkthrough', `${extension.id}#start`, false);
      timers = tickAtMs.flatMap((ms, index) => [
        ...(index > 0 ? [setTimeout(reset, ms - 500)] : []),
        setTimeout(() => done.tickAll(), ms),
      ]);
    }),
    { dispose: () => stopTicking() },
  );
  return { reach: (milestone) => done.reach(milestone), dispose: () => registered.dispose() };
}

function setDone(milestone: Milestone, value: boolean): void {
  void vscode.commands.executeCommand('setContext', `webdata.done.${milestone}`, value);
}
