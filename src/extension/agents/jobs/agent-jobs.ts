import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Connection } from '../../connection/connection.ts';
import { remedyOf } from '../../connection/remedies/remedies.ts';
import { registerCommand, requireTrust, setContextKey, UserError } from '../../ui/commands.ts';
import { commands } from '../../ui/ids.ts';
import { cancellable } from '../../ui/progress.ts';
import { label, messageOf } from '../../ui/text/text.ts';
import type { AskedJob, JobDraft } from './ask-for-job.ts';
import { followJob, type StartedJob } from './follow-job.ts';

interface Parts {
  connection: Connection;
  log: vscode.LogOutputChannel;
  /** Waits some milliseconds. */
  wait?: (ms: number) => Promise<void>;
}

/** The argument of "Cancel Agent Job": a row of Activity, or nothing. */
type Argument = { entry?: { id?: string; endpoint?: string; target?: string } } | undefined;

/** Registers "Ask an Agent…", "Extract from Pages…" and "Cancel Agent Job". */
export function registerAgentJobs({ connection, log, wait = pause }: Parts): vscode.Disposable {
  const running = new Map<string, StartedJob>();
  /** What was entered for jobs that didn't start. */
  const drafts: Record<AskedJob['kind'], JobDraft> = { agent: {}, extract: {} };
  let disposed = false;

  async function begin(kind: AskedJob['kind']): Promise<void> {
    requireTrust();
    const { askForJob } = await import('./ask-for-job.ts');
    const asked = await askForJob(kind, drafts[kind]);
    if (!asked) return;
    const id = await start(asked);
    drafts[kind] = {};
    const job: StartedJob = { id, kind, name: label(asked.prompt ?? asked.urls[0] ?? id, 60) };
    running.set(id, job);
    setContextKey('agentRunning', true);
    void vscode.commands.executeCommand(commands.refresh);
    void vscode.window.setStatusBarMessage(
      l10n.t('$(hubot) Job started. Its progress is in the Activity view.'),
      5_000,
    );
    void follow(job);
  }

  /** Starts a job. If no model is set up, that is done first, at the user's request. */
  async function start(asked: AskedJob): Promise<string> {
    const { kind, urls, prompt, schema } = asked;
    const body = { ...(urls.length > 0 && { urls }), ...(schema && { schema }) };
    try {
      return await cancellable(l10n.t('Web Data: Starting the job'), async (signal) => {
        const { client } = await connection.access();
        const { id } =
          kind === 'agent'
            ? await client.startAgent({ body: { ...body, prompt: prompt ?? '' } }, { signal })
            : await client.startExtract({ body: { ...body, ...(prompt && { prompt }) } }, { signal });
        return id;
      });
    } catch (error) {
      const remedy = remedyOf(error);
      if (!remedy) throw error;
      const again = kind === 'agent' ? commands.askAgent : commands.extractFromPages;
      const message = label(remedy.message ?? messageOf(error), 400);
      const chosen = await vscode.window.showErrorMessage(`Web Data: ${message}`, remedy.title);
      const ready = chosen === remedy.title && (await vscode.commands.executeCommand(remedy.command, ...remedy.args));
      if (ready === true && remedy.repeats) return await start(asked);
      throw chosen === remedy.title && !remedy.repeats
        ? new UserError(message, [{ title: l10n.t('Try Again'), command: again }])
        : new vscode.CancellationError();
    }
  }

  async function follow(job: StartedJob): Promise<void> {
    const options = { location: vscode.ProgressLocation.Window, title: l10n.t('Web Data: {0}', job.name) };
    const ended = await vscode.window.withProgress(options, (progress) =>
      followJob(job, { connection, wait, isOver: () => disposed, report: (message) => progress.report({ message }) }),
    );
    running.delete(job.id);
    setContextKey('agentRunning', running.size > 0);
    if (!ended || disposed) return;
    void vscode.commands.executeCommand(commands.refresh);
    if (ended.status === 'cancelled') return;
    const show = l10n.t('Show Result');
    const details = l10n.t('Show Details');
    const chosen =
      ended.status === 'completed'
        ? await vscode.window.showInformationMessage(l10n.t('Web Data: Job completed: {0}', job.name), show)
        : await vscode.window.showWarningMessage(
            l10n.t('Web Data: Job failed: {0}', label(ended.error ?? job.name, 300)),
            details,
          );
    if (chosen) await vscode.commands.executeCommand(commands.openRecord, { endpoint: job.kind, id: job.id });
  }

  async function cancel(argument: Argument): Promise<void> {
    requireTrust();
    const job = argument?.entry?.id
      ? { id: argument.entry.id, name: label(argument.entry.target ?? argument.entry.id, 60) }
      : await pickRunning([...running.values()]);
    if (!job) return;
    const confirm = l10n.t('Cancel Job');
    const chosen = await vscode.window.showWarningMessage(
      l10n.t('Cancel this job: {0}?', job.name),
      { modal: true, detail: l10n.t("A canceled job can't be resumed and has no result.") },
      confirm,
    );
    if (chosen !== confirm) return;
    const { client } = await connection.access();
    await client.cancelAgent({ params: { jobId: job.id } });
    await vscode.commands.executeCommand(commands.refresh);
  }

  return vscode.Disposable.from(
    registerCommand(commands.askAgent, log, () => begin('agent')),
    registerCommand(commands.extractFromPages, log, () => begin('extract')),
    registerCommand<[Argument]>(commands.cancelAgentJob, log, cancel),
    {
      dispose: () => {
        disposed = true;
      },
    },
  );
}

async function pickRunning(jobs: readonly StartedJob[]): Promise<StartedJob | undefined> {
  if (jobs.length === 0) {
    throw new UserError(l10n.t('No agent or extract job started in this window is running.'), [
      { title: l10n.t('Ask an Agent…'), command: commands.askAgent },
    ]);
  }
  const picked = await vscode.window.showQuickPick(
    jobs.map((job) => ({ label: job.name, job })),
    { title: l10n.t('Select a Job to Cancel') },
  );
  return picked?.job;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
