import * as vscode from 'vscode';

/**
 * Runs a task with a cancellable progress notification, which quick tasks never show.
 * @throws vscode.CancellationError as soon as the user cancels, even if the task continues
 */
export async function cancellable<Result>(
  title: string,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return await vscode.window.withProgress(options, async (_progress, token) => {
    const abort = new AbortController();
    const cancelled = Promise.withResolvers<never>();
    const listening = token.onCancellationRequested(() => {
      cancelled.reject(new vscode.CancellationError());
      abort.abort();
    });
    try {
      return await Promise.race([task(abort.signal), cancelled.promise]);
    } finally {
      listening.dispose();
    }
  });
}
