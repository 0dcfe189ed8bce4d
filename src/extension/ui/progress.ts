import * as vscode from 'vscode';

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
  if (await endsWithin(running, quickMs)) return await running;
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return await vscode.window.withProgress(options, async (_progress, token) => {
    const cancelled = Promise.withResolvers<never>();
    const listening = token.onCancellationRequested(() => {
      cancelled.reject(new vscode.CancellationError());
      abort.abort();
    });
    try {
      return await Promise.race([running, cancelled.promise]);
    } finally {
      listening.dispose();
    }
  });
}

/** Runs a task until a token is canceled, which aborts its signal with a CancellationError. */
export async function untilCancelled<Value>(
  token: vscode.CancellationToken,
  task: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const abort = new AbortController();
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

/** Waits for a task for some time. Returns whether it has ended, in success or not. */
async function endsWithin(task: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const ended = task.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}
