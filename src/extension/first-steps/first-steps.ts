import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { registerCommand, requireTrust, setContextKey } from '../ui/commands.ts';
import { commands } from '../ui/ids.ts';
import { type Milestone, Milestones, milestones } from './milestones.ts';
import { newSnippet } from './new-snippet.ts';
import { openExamples } from './open-examples.ts';

/** How long VS Code may take to load a walkthrough that it opens, in milliseconds. It doesn't say when it has. */
const loadMs = 1_000;

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
  const registered = vscode.Disposable.from(
    registerCommand(commands.newSnippet, log, () => newSnippet()),
    registerCommand(commands.openExamples, log, () => {
      requireTrust();
      return openExamples(extensionUri);
    }),
    registerCommand(commands.openWalkthrough, log, async () => {
      // VS Code ticks off a step when its key becomes true after the walkthrough is loaded, not if it was true before.
      for (const milestone of milestones) setDone(milestone, false);
      await vscode.commands.executeCommand('workbench.action.openWalkthrough', `${extension.id}#start`, false);
      await sleep(loadMs);
      done.tickAll();
    }),
  );
  return { reach: (milestone) => done.reach(milestone), dispose: () => registered.dispose() };
}

function setDone(milestone: Milestone, value: boolean): void {
  void vscode.commands.executeCommand('setContext', `webdata.done.${milestone}`, value);
}
