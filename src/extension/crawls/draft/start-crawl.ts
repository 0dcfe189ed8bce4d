import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CrawlParameters, CrawlPreview } from '../../../contract/crawl/crawl.ts';
import type { StartCrawlBody } from '../../../contract/crawl/crawl-jobs.ts';
import type { LeftOutPages } from '../../../contract/crawl/left-out.ts';
import { limits } from '../../../contract/limits.ts';
import type { FeatureParts } from '../../connection/connection.ts';
import { failureKind, failureStatus } from '../../connection/failures.ts';
import { noTlsSentence, useHttp, withUrl } from '../../ui/ask-url/ask-url.ts';
import { showError, UserError } from '../../ui/commands.ts';
import { askText, cancellable, confirm, say, tooLong } from '../../ui/dialogs.ts';
import { commands, draftScheme } from '../../ui/ids.ts';
import type { JobEndings } from '../../ui/job-endings.ts';
import { leftOutText } from '../../ui/text/page-texts.ts';
import { hostOf, label, messageOf, shortId } from '../../ui/text/text.ts';
import { safeFileName } from '../../ui/virtual-documents/file-names.ts';
import type { ActiveCrawls } from '../active-crawls.ts';
import { type CrawlDraft, draftOf, parameterOffsets, readDraft } from './draft.ts';
import type { DraftEstimates } from './draft-estimates.ts';
import type { DraftFiles } from './draft-files.ts';
import type { DraftMarks } from './draft-marks.ts';
import { widerOf } from './wider.ts';

export interface StartParts extends Pick<FeatureParts, 'connection' | 'log'> {
  crawls: ActiveCrawls;
  drafts: DraftFiles;
  marks: DraftMarks;
  estimates: DraftEstimates;
  endings: Pick<JobEndings, 'tell'>;
  reveal(crawlId: string, expand?: boolean): Promise<void>;
}

/** Pages that a crawl left out for one reason, or that one with these options would. */
interface LeftOutGiven {
  job?: { id: string };
  options?: Readonly<Record<string, unknown>>;
  pages: LeftOutPages;
}

function isLeftOut(given: unknown): given is LeftOutGiven {
  return typeof given === 'object' && given !== null && 'pages' in given && ('job' in given || 'options' in given);
}

/** Asks for a site and a description of what to crawl, and opens the parameters for editing; those of an earlier crawl if pages that it left out are given, or of options with those that they leave out. */
export async function draftCrawl(parts: StartParts, given?: unknown): Promise<void> {
  if (isLeftOut(given)) return await draftWider(parts, given);
  const asked = { title: l10n.t('Start Crawl (1/2): Site'), command: commands.startCrawl, argument: given };
  await withUrl(asked, async (entered) => {
    // Checked while the user describes the crawl: a crawl itself fails only later.
    const { httpInstead } = await import('../../ui/ask-url/http-instead.ts');
    // Another server reads the site itself, and may reach other sites than this machine.
    const checked = parts.connection.target.kind === 'embedded' ? httpInstead(entered) : undefined;
    const sentence = await askSentence();
    if (sentence === undefined) throw new vscode.CancellationError();
    const url = await preferHttp(entered, await checked);
    await openDraft(parts, url, sentence);
  });
}

/** Opens the parameters of a crawl, changed so that it gets pages that it left out. */
async function draftWider(parts: StartParts, { job, options: given, pages }: LeftOutGiven): Promise<void> {
  const { crawlOptionNames } = await import('./parameter-names.ts');
  const crawl = job && parts.crawls.store.find(job.id);
  const options = given ?? crawl?.options ?? {};
  const url = crawl?.url ?? (typeof given?.url === 'string' ? given.url : pages.examples[0]);
  if (url === undefined) throw new UserError(l10n.t("The server didn't report the crawl's URL."));
  const wider = widerOf(url, options, pages, crawl?.completed);
  const values = { ...options, ...wider };
  const start = typeof values.url === 'string' ? values.url : url;
  const draft = draftOf(start, values as CrawlParameters, { known: crawlOptionNames, translatesDepth: false });
  const changed = { ...draft, fromSentence: wider, purpose: l10n.t('to get {0}', leftOutText(pages)) };
  await showDraft(parts, start, changed);
}

async function askSentence(): Promise<string | undefined> {
  const prompt = l10n.t(
    'Describe it in a sentence, such as: the docs, without the blog. Leave empty to set the parameters yourself.',
  );
  return await askText({ title: l10n.t('Start Crawl (2/2): What to Crawl'), prompt }, (text) =>
    tooLong(text, limits.crawlPrompt.max),
  );
}

/** Asks whether to use the http address of a site that doesn't support HTTPS. */
async function preferHttp(url: string, http: string | undefined): Promise<string> {
  if (http === undefined) return url;
  if (!(await confirm(noTlsSentence(url), useHttp(http)))) throw new vscode.CancellationError();
  return http;
}

async function openDraft(parts: StartParts, url: string, sentence: string): Promise<void> {
  const { crawlOptionNames } = await import('./parameter-names.ts');
  const { answer, failure }: Preview = sentence === '' ? {} : await previewOf(parts, url, sentence);
  const draft = draftOf(url, answer?.data, {
    ...answer,
    sentence: answer?.data && sentence,
    known: crawlOptionNames,
    translatesDepth: parts.connection.target.kind === 'server',
  });
  await showDraft(parts, url, draft);
  if (failure) void showError(failure);
}

async function showDraft({ drafts, estimates }: StartParts, url: string, draft: CrawlDraft): Promise<void> {
  const uri = drafts.create(safeFileName(hostOf(url)), draft);
  const { document } = await vscode.window.showTextDocument(uri, { preview: false });
  estimates.look(document);
}

/** What the server made of a sentence, or why it made nothing of it. */
interface Preview {
  answer?: CrawlPreview;
  failure?: UserError;
}

/** Asks the server to turn a sentence into parameters. If that fails, the user still gets a draft to edit. */
async function previewOf(parts: StartParts, url: string, prompt: string): Promise<Preview> {
  try {
    const answer = await cancellable(l10n.t('Web Data: Generating crawl parameters…'), async (signal) => {
      const { client } = await parts.connection.access();
      return await client.previewCrawlParameters({ body: { url, prompt } }, { signal });
    });
    return { answer };
  } catch (error) {
    const isFatal = error instanceof UserError || failureStatus(error) === 401;
    if (isFatal || error instanceof vscode.CancellationError) throw error;
    parts.log.warn(`Crawl parameters: ${messageOf(error)}`);
    return { failure: new UserError(l10n.t('{0} Set the parameters yourself.', messageOf(error))) };
  }
}

const starting = new Set<string>();

/** Starts the crawl of a draft or parameter file; without a target, of the active editor. */
export async function submitCrawl(parts: StartParts, target: unknown): Promise<string | undefined> {
  const document = await documentOf(target);
  const key = document.uri.toString();
  if (starting.has(key)) return undefined;
  starting.add(key);
  try {
    return await submit(parts, document);
  } finally {
    starting.delete(key);
  }
}

async function submit(parts: StartParts, document: vscode.TextDocument): Promise<string> {
  const read = readDraft(document.getText());
  if ('problem' in read) {
    await show(document, read.offset);
    throw new UserError(read.problem);
  }
  const body = read.values as unknown as StartCrawlBody;
  try {
    const started = await cancellable(l10n.t('Web Data: Starting the crawl…'), async (signal) => {
      const { client } = await parts.connection.access();
      return await client.startCrawl({ body }, { signal });
    });
    // The draft is saved as it was started, so that it closes without a prompt.
    if (document.uri.scheme === draftScheme && document.isDirty) await document.save();
    parts.drafts.started(document.uri, started.id);
    parts.marks.redraw(document.uri);
    await parts.crawls.started(started.id, body.url, read.values);
    say(l10n.t('$(check) Crawl {0} started', shortId(started.id)));
    await parts.reveal(started.id);
    return started.id;
  } catch (error) {
    if (error instanceof vscode.CancellationError) {
      parts.crawls.policy.request('command');
      throw new UserError(l10n.t('The crawl may have started. Check the Crawls view.'));
    }
    if (failureKind(error) === 'invalid-request') {
      // The message starts with the name of the invalid parameter.
      const { problem = '' } = error as { problem?: string };
      await show(document, parameterOffsets(document.getText()).get(/^(\w+)/.exec(problem)?.[1] ?? ''));
      throw new UserError(l10n.t("The crawl wasn't started: {0}", label(problem, 400)));
    }
    throw error;
  }
}

async function documentOf(target: unknown): Promise<vscode.TextDocument> {
  const uri = target instanceof vscode.Uri ? target : vscode.window.activeTextEditor?.document.uri;
  if (uri && (uri.scheme === draftScheme || uri.path.endsWith('.crawl.json'))) {
    return await vscode.workspace.openTextDocument(uri);
  }
  throw new UserError(l10n.t('Open a crawl draft or a .crawl.json file first.'), [
    { title: l10n.t('Start Crawl…'), command: commands.startCrawl },
  ]);
}

async function show(document: vscode.TextDocument, offset: number | undefined): Promise<void> {
  const at = document.positionAt(offset ?? 0);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(at, at) });
}
