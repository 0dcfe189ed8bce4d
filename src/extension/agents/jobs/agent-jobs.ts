import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AgentState } from '../../../contract/agent-jobs.ts';
import type { FeatureParts } from '../../connection/connection.ts';
import { followJob } from '../../connection/polling/follow-job.ts';
import { remedyOf } from '../../connection/remedies/remedies.ts';
import { registerCommand, setContextKey, UserError } from '../../ui/commands.ts';
import { cancellable, chooseFrom, confirmCancel, say } from '../../ui/dialogs.ts';
import { commands, views } from '../../ui/ids.ts';
import type { JobEndings } from '../../ui/job-endings.ts';
import { Disposables } from '../../ui/lifecycle.ts';
import { stepWords } from '../../ui/text/agent-texts.ts';
import { label, messageOf, withWarnings } from '../../ui/text/text.ts';
import type { AskedJob, JobDraft } from './ask-for-job.ts';

/** A job that this window started. */
interface StartedJob {
  id: string;
  kind: AskedJob['kind'];
  /** What it was asked for. */
  name: string;
}

interface Parts extends Pick<FeatureParts, 'connection' | 'log'> {
  endings: Pick<JobEndings, 'tell'>;
  /** Waits some milliseconds. */
  wait?: (ms: number) => Promise<void>;
}

/** The argument of "Cancel Agent Job": a row of Activity, or nothing. */
type Argument = { entry?: { id?: string; endpoint?: string; target?: string } } | undefined;

/** Registers "Ask an Agent…", "Extract from Pages…" and "Cancel Agent Job". */
export function registerAgentJobs({ connection, endings, log, wait }: Parts): vscode.Disposable {
  const running = new Map<string, StartedJob>();
  /** What was entered for jobs that didn't start. */
  const drafts: Record<AskedJob['kind'], JobDraft> = { agent: {}, extract: {} };
  const disposables = new Disposables();

  async function begin(kind: AskedJob['kind']): Promise<void> {
    if (!(await hasModel())) return;
    const { askForJob } = await import('./ask-for-job.ts');
    const asked = await askForJob(kind, drafts[kind]);
    if (!asked) return;
    const id = await start(asked);
    drafts[kind] = {};
    const job: StartedJob = { id, kind, name: label(asked.prompt ?? asked.urls[0] ?? id, 60) };
    running.set(id, job);
    setContextKey('agentRunning', true);
    connection.onRefresh.fire();
    say(l10n.t('$(hubot) Job started. Its progress is in the Activity view.'));
    void follow(job);
  }

  /** Says that no model is set up before anything is asked. The service may have one of its own, so the user may continue. */
  async function hasModel(): Promise<boolean> {
    const { embedded } = await connection.access();
    if (!embedded || connection.languageModel !== undefined) return true;
    const setUp = l10n.t('Set Up a Language Model…');
    const proceed = l10n.t('Continue');
    const chosen = await vscode.window.showWarningMessage(
      l10n.t('Web Data: This needs a language model, but none is available in VS Code.'),
      setUp,
      proceed,
    );
    if (chosen === setUp) return (await vscode.commands.executeCommand(commands.setUpLanguageModel)) === true;
    return chosen === proceed;
  }

  /** Starts a job. If no model is set up, that is done first, at the user's request. */
  async function start(asked: AskedJob): Promise<string> {
    const { kind, urls, prompt, schema } = asked;
    const body = { ...(urls.length > 0 && { urls }), ...(schema && { schema }) };
    try {
      return await cancellable(l10n.t('Web Data: Starting the job…'), async (signal) => {
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
      followJob<AgentState>({
        connection,
        read: ({ getAgent, getExtract }) => {
          const request = { params: { jobId: job.id } };
          return job.kind === 'agent' ? getAgent(request, { retries: 0 }) : getExtract(request, { retries: 0 });
        },
        hasEnded: ({ status }) => status !== 'processing',
        report({ steps }) {
          const step = steps?.at(-1);
          if (step) progress.report({ message: stepWords(step) });
        },
        isOver: () => disposables.disposed,
        ...(wait && { wait }),
      }),
    );
    running.delete(job.id);
    setContextKey('agentRunning', running.size > 0);
    if (!ended || disposables.disposed) return;
    connection.onRefresh.fire();
    if (ended.status === 'cancelled') return;
    const failed = ended.status !== 'completed';
    const text = failed
      ? l10n.t('Web Data: Job failed: {0}', label(ended.error ?? job.name, 300))
      : withWarnings(l10n.t('Web Data: Job completed: {0}', job.name), ended.warning);
    if (await endings.tell(views.activity, { text, failed }))
      await vscode.commands.executeCommand(commands.openRecord, { endpoint: job.kind, id: job.id });
  }

  async function cancel(argument: Argument): Promise<void> {
    const job = argument?.entry?.id
      ? { id: argument.entry.id, name: label(argument.entry.target ?? argument.entry.id, 60) }
      : await pickRunning([...running.values()]);
    if (!job) return;
    const question = l10n.t('Cancel this job: {0}?', job.name);
    const detail = l10n.t("A canceled job can't be resumed and has no result.");
    if (!(await confirmCancel(question, l10n.t('Cancel Job'), detail))) return;
    const { client } = await connection.access();
    await client.cancelAgent({ params: { jobId: job.id } });
    connection.onRefresh.fire();
  }

  disposables.add(registerCommand(commands.askAgent, log, () => begin('agent')));
  disposables.add(registerCommand(commands.extractFromPages, log, () => begin('extract')));
  disposables.add(registerCommand<[Argument]>(commands.cancelAgentJob, log, cancel));
  return disposables;
}

async function pickRunning(jobs: readonly StartedJob[]): Promise<StartedJob | undefined> {
  const none = new UserError(l10n.t('No agent or extract job started in this window is running.'), [
    { title: l10n.t('Ask an Agent…'), command: commands.askAgent },
  ]);
  const items = jobs.map((job) => ({ label: job.name, job }));
  return (await chooseFrom(items, none, { title: l10n.t('Select a Job to Cancel') }))?.job;
}
