import { setTimeout as wait } from 'node:timers/promises';
import * as vscode from 'vscode';
import { abortable } from './lifecycle.ts';

/** Tasks that end sooner show no progress, and don't wait for the window to show it. */
const quickMs = 100;

/**
 * Runs a task with a cancellable progress notification, which quick tasks never show.
 * @throws vscode.CancellationError as soon as the user cancels, even if the task continues
 */
export async function cancellable<Result>(
  title: string,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const abort = new AbortController();
  const running = task(abort.signal);
  const ended = running.then(
    () => true,
    () => true,
  );
  if (await Promise.race([ended, wait(quickMs, false)])) return await running;
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return await vscode.window.withProgress(options, (_progress, token) =>
    untilCancelled(token, (signal) => abortable(running, signal), abort),
  );
}

/** Runs a task until a token is canceled, which aborts its signal with a CancellationError. */
export async function untilCancelled<Value>(
  token: vscode.CancellationToken,
  task: (signal: AbortSignal) => Promise<Value>,
  abort = new AbortController(),
): Promise<Value> {
  const cancel = () => abort.abort(new vscode.CancellationError());
  if (token.isCancellationRequested) cancel();
  const listening = token.onCancellationRequested(cancel);
  try {
    abort.signal.throwIfAborted();
    return await task(abort.signal);
  } finally {
    listening.dispose();
  }
}
