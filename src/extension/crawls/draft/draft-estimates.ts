import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { EmbeddedClient } from '../../../client/client.ts';
import type { LeftOutPages } from '../../../contract/crawl/left-out.ts';
import { textsIn } from '../../../contract/lenient-texts.ts';
import type { Connection } from '../../connection/connection.ts';
import { commands } from '../../ui/ids.ts';
import { Disposables, Signal } from '../../ui/lifecycle.ts';
import { leftOutCount, leftOutReason, leftOutWay } from '../../ui/text/page-texts.ts';
import { count, label, messageOf, shortAddress } from '../../ui/text/text.ts';
import { parameterOffsets, readDraft } from './draft.ts';
import type { DraftFiles } from './draft-files.ts';
import { causeOf } from './draft-notes.ts';
import { besideStart, parentOf, sectionBeyond } from './wider.ts';

type Estimate = Awaited<ReturnType<EmbeddedClient['estimateCrawl']>>;

const debounceMs = 400;
/** Parameters that don't decide which pages a crawl gets. */
const notAsked = new Set(['scrapeOptions', 'webhook', 'prompt', 'zeroDataRetention', 'origin', 'integration']);

/**
 * What the crawls of drafts would get, as far as the embedded service can tell. A site is looked at once its draft was
 * created or edited in this window; with other servers, nothing is known.
 */
export class DraftEstimates extends Disposables {
  readonly onDidChange = new Signal<vscode.Uri>();
  #connection: Connection;
  #log: vscode.LogOutputChannel;
  #known = new Map<
    string,
    { estimate: Estimate | 'looking'; asking: AbortController; timer: NodeJS.Timeout | undefined }
  >();
  #problems = this.add(vscode.languages.createDiagnosticCollection('webdata-crawl'));

  constructor(drafts: DraftFiles, connection: Connection, log: vscode.LogOutputChannel) {
    super();
    this.#connection = connection;
    this.#log = log;
    this.add(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && drafts.find(document.uri)) this.look(document, debounceMs);
      }),
    );
    // What is known of a site is used until somebody asks.
    this.add(
      connection.onRefresh.on(() => {
        for (const { document } of vscode.window.visibleTextEditors)
          if (drafts.find(document.uri)) this.look(document, 0, true);
      }),
    );
    this.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#forget(uri)));
  }

  /**
   * Finds out what the crawl of a draft would get.
   * @param again whether to read the site again, whatever is known of it
   */
  look(document: vscode.TextDocument, afterMs = 0, again = false): void {
    const key = document.uri.toString();
    const before = this.#known.get(key);
    clearTimeout(before?.timer);
    before?.asking.abort();
    const asking = new AbortController();
    const timer = setTimeout(() => void this.#ask(document, asking.signal, again), afterMs);
    this.#known.set(key, { estimate: (!again && before?.estimate) || 'looking', asking, timer });
  }

  /** Returns what a draft's crawl would leave out, as far as that is known. */
  leftOut(uri: vscode.Uri): readonly LeftOutPages[] {
    return this.#find(uri)?.leftOut ?? [];
  }

  /** Returns the code lens that says how many pages match. */
  lensesOf(uri: vscode.Uri): vscode.Command[] {
    const estimate = this.#known.get(uri.toString())?.estimate;
    if (!estimate) return [];
    if (estimate === 'looking') return [{ title: l10n.t('$(sync~spin) Checking the site…'), command: '' }];
    const { found, matches, examples } = estimate;
    const urls = found === 1 ? l10n.t('1 URL') : l10n.t('{0} URLs', found);
    const title =
      matches === 0
        ? l10n.t('$(warning) Matches none of {0}', urls)
        : l10n.t('$(search) Matches {0} of {1}', matches, urls);
    const again = l10n.t('These URLs were found so far. Click to read the site again.');
    return [{ title, tooltip: [again, ...examples].join('\n'), command: commands.refresh }];
  }

  /** Returns the code lenses of the start URL: where it redirects to, or what gets the pages beside it if it is all that matches. */
  startLensesOf(document: Pick<vscode.TextDocument, 'uri' | 'getText'>): vscode.Command[] {
    const { redirectedTo, leftOut = [], matches, listed } = this.#find(document.uri) ?? {};
    if (redirectedTo) return startingAt(redirectedTo, leftOut);
    const outside = leftOut.find(({ reason }) => reason === 'section');
    const read = readDraft(document.getText());
    return matches === 1 && outside && !listed && 'values' in read ? crawlingBeside(read.values, outside) : [];
  }

  /** Returns the parameter that leaves out what a draft's pages only list, if they seem to be lists, and the code lenses above it. */
  listedLensesOf(
    document: Pick<vscode.TextDocument, 'uri' | 'getText'>,
  ): { name: string; lenses: vscode.Command[] } | undefined {
    const { listed } = this.#find(document.uri) ?? {};
    const text = document.getText();
    const read = readDraft(text);
    if (!listed || 'problem' in read) return undefined;
    const name = causeOf(listed, parameterOffsets(text));
    const lists = l10n.t('$(warning) Matches lists, not the {0} they list', leftOutCount(listed));
    const why = l10n.t('The pages that match seem to be lists. What they list is left out:');
    const lenses: vscode.Command[] = [{ title: lists, tooltip: [why, ...listed.examples].join('\n'), command: '' }];
    const title = leftOutWay(listed);
    // A pattern is for a section that has all that the lists list, not for a few pages of it.
    const { url, includePaths } = read.values;
    const isInSection = (example: string) => {
      const page = URL.parse(example);
      return page !== null && sectionBeyond(page, String(url), read.values) !== undefined;
    };
    const needsNone = listed.reason === 'section' && textsIn(includePaths).length === 0;
    if (title && (needsNone || listed.examples.every(isInSection)))
      lenses.push({ title, command: commands.startCrawl, arguments: [{ options: read.values, pages: listed }] });
    return { name, lenses };
  }

  override dispose(): void {
    for (const { asking, timer } of this.#known.values()) {
      clearTimeout(timer);
      asking.abort();
    }
    super.dispose();
  }

  #find(uri: vscode.Uri): Estimate | undefined {
    const estimate = this.#known.get(uri.toString())?.estimate;
    return estimate === 'looking' ? undefined : estimate;
  }

  async #ask(document: vscode.TextDocument, signal: AbortSignal, again: boolean): Promise<void> {
    const read = readDraft(document.getText());
    if ('problem' in read || !vscode.workspace.isTrusted) return;
    this.onDidChange.fire(document.uri);
    try {
      const { embedded } = await this.#connection.access();
      if (!embedded || signal.aborted) return this.#forget(document.uri);
      const values = Object.fromEntries(Object.entries(read.values).filter(([name]) => !notAsked.has(name)));
      const body = { ...values, ...(again && { lookAgain: true }) };
      const estimate = await embedded.estimateCrawl(
        { body: body as unknown as Parameters<typeof embedded.estimateCrawl>[0]['body'] },
        { signal, retries: 0 },
      );
      const entry = this.#known.get(document.uri.toString());
      if (signal.aborted || !entry || document.isClosed) return;
      this.#known.set(document.uri.toString(), { ...entry, estimate });
      this.#warn(document, estimate);
      this.onDidChange.fire(document.uri);
    } catch (error) {
      if (signal.aborted) return;
      // The crawl itself says what is wrong.
      this.#log.debug(`Crawl draft: ${messageOf(error)}`);
      this.#forget(document.uri);
    }
  }

  /** Marks the line because of which no page matches. */
  #warn(document: vscode.TextDocument, { found, matches, leftOut, redirectedTo }: Estimate): void {
    const [largest] = [...leftOut].sort((one, other) => other.count - one.count);
    // If nothing matches, include paths are the cause even where other rules leave out more.
    const most = leftOut.find(({ reason }) => reason === 'include') ?? largest;
    if (matches > 0 || !most) return this.#problems.delete(document.uri);
    const offsets = parameterOffsets(document.getText());
    const { range } = document.lineAt(document.positionAt(offsets.get(causeOf(most, offsets)) ?? 0).line);
    const example = most.examples[0];
    const message = l10n.t(
      'This crawl would get no pages. Of {0} found so far, {1} are left out: {2}{3}.',
      count(found, 'page'),
      most.count,
      leftOutReason(most),
      example === undefined ? '' : l10n.t(', such as {0}', label(example, 200)),
    );
    const why = redirectedTo ? `${message} ${redirectText(redirectedTo)}` : message;
    const problem = new vscode.Diagnostic(range, why, vscode.DiagnosticSeverity.Warning);
    problem.source = 'Web Data';
    this.#problems.set(document.uri, [problem]);
  }

  #forget(uri: vscode.Uri): void {
    this.#known.delete(uri.toString());
    this.#problems.delete(uri);
    this.onDidChange.fire(uri);
  }
}

/** Offers a crawl that also gets what is in the folder of its start URL. */
function crawlingBeside(values: Parameters<typeof besideStart>[0], outside: LeftOutPages): vscode.Command[] {
  const beside = besideStart(values);
  if (!beside) return [];
  const { folder, options } = beside;
  const examples = outside.examples.filter((url) => URL.parse(url)?.pathname.startsWith(folder));
  const title = l10n.t('Crawl {0}…', label(folder, 40));
  return [{ title, command: commands.startCrawl, arguments: [{ options, pages: { ...outside, examples } }] }];
}

function redirectText(url: string): string {
  return l10n.t('The start URL redirects to {0}.', label(url, 200));
}

/** Offers to start where the start URL redirects to, or in the folder above that if pages outside of its path are left out. */
function startingAt(redirectedTo: string, leftOut: readonly LeftOutPages[]): vscode.Command[] {
  const isTooLow = leftOut.some(({ reason }) => reason === 'section');
  const start = (isTooLow && parentOf(redirectedTo)) || redirectedTo;
  const tooltip = redirectText(redirectedTo);
  return [
    { title: l10n.t('$(warning) Redirects to {0}', shortAddress(redirectedTo, 40)), tooltip, command: '' },
    { title: l10n.t('Start at {0}…', shortAddress(start, 40)), command: commands.startCrawl, arguments: [start] },
  ];
}
