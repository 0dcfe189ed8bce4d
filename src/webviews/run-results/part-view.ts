import * as l10n from '@vscode/l10n';
import { byteSize } from '../common/byte-size.ts';
import { codicon, element, iconButton, linkButton } from '../common/dom.ts';
import {
  type Part,
  type RunAction,
  type SavedContent,
  type ShownRun,
  type SourceLocation,
  wholeSize,
} from './messages.ts';
import { createOutputView, linkedNodes, type OutputView } from './output-view.ts';
import { createLinkFinder } from './source-links.ts';
import { valueModel } from './value/value-model.ts';
import { valueView } from './value/value-view.ts';

const copyNames: Readonly<Record<Part, string>> = {
  result: l10n.t('Copy result'),
  stdout: l10n.t('Copy stdout'),
  stderr: l10n.t('Copy stderr'),
  error: l10n.t('Copy error'),
};

/** Handles the buttons and links of a part. */
export interface PartHandlers {
  act(action: RunAction, id: string): void;
  copy(id: string, part: Part): void;
  open(id: string, part: Part): void;
  reveal(id: string, location: SourceLocation): void;
  save(id: string, content: SavedContent, partial?: string): void;
  /** @param save how to save the result once all of it is shown */
  showAll(id: string, save?: SavedContent['format']): void;
}

/** What the parts of a run are called on the screen. */
export const partNames: Readonly<Record<Part, string>> = {
  result: l10n.t('result'),
  stdout: 'stdout',
  stderr: 'stderr',
  error: l10n.t('error'),
};

/** What an empty text is shown as. */
export const emptyValue = "''";

/** A part of a run that has been drawn. */
interface PartView {
  element: HTMLElement;
  /** What it was drawn from. */
  source: unknown[];
  /** A stream, to which text can be added. */
  output: OutputView | undefined;
}

/** The parts of a run, which keep what the user has sorted, filtered, expanded and selected while the run is drawn again. */
export type PartViews = Map<Part, PartView>;

/** Returns the section of one part of a run: its name, its content and its buttons. */
export function partElement(
  run: ShownRun,
  part: Part,
  text: string,
  handlers: PartHandlers,
  views: PartViews,
): HTMLElement {
  const missing = missingText(run, part, text);
  const isSame = part === 'result' && isSameAsStdout(run);
  const { truncated, can } = run;
  const mayBeCut = truncated || run.unkept?.[part] !== undefined;
  const source = [text, missing, mayBeCut, isSame, can.showAll, can.openAll?.includes(part), can.goToCode];
  const shown = views.get(part);
  if (shown?.source.every((value, index) => (index === 0 ? (shown.output?.text ?? value) : value) === source[index]))
    return shown.element;
  const section = element(
    'section',
    { class: `part ${part}` },
    element('span', { class: 'part-name quiet' }, partNames[part]),
    element(
      'div',
      { class: 'part-actions' },
      iconButton('copy', copyNames[part], () => handlers.copy(run.id, part)),
      iconButton('go-to-file', l10n.t('Open in Editor'), () => handlers.open(run.id, part)),
    ),
  );
  if (isSame) section.classList.add('same');
  const { nodes, output } = contentOf(run, part, text, missing, handlers);
  section.append(...nodes);
  views.set(part, { element: section, source, output });
  if (missing) {
    const notice = element('p', { class: 'content notice cut quiet' }, codicon('info'), ` ${missing}`);
    const offer = (name: string, onPress: () => void) => notice.append(' ', linkButton(name, onPress));
    if (part === 'result' && can.showAll) offer(l10n.t('Show All'), () => handlers.showAll(run.id));
    else if (can.openAll?.includes(part)) offer(l10n.t('Open All'), () => handlers.open(run.id, part));
    else if (run.unkept?.[part] !== undefined) notice.append(...restIsGone(run, handlers));
    else notice.append(` ${wholeAdvice()}`);
    section.append(notice);
  }
  return section;
}

/** Whether the result is the output again, as servers return it for code without a value. */
export function isSameAsStdout({ result, stdout }: ShownRun): boolean {
  return result !== undefined && result !== '' && stdout?.trim() === result.trim();
}

function contentOf(
  run: ShownRun,
  part: Part,
  text: string,
  missing: string | undefined,
  handlers: PartHandlers,
): { nodes: HTMLElement[]; output?: OutputView } {
  const onReveal = (location: SourceLocation) => handlers.reveal(run.id, location);
  if (part === 'error') return { nodes: [errorView(text, run.file, onReveal)] };
  if (part === 'result' && text === '')
    return { nodes: [element('pre', { class: 'content', 'data-part': part }, emptyValue)] };
  if (part === 'result') {
    const model = valueModel(text, run.truncated || run.unkept?.result !== undefined);
    const save = (content: SavedContent, partial?: string) => handlers.save(run.id, content, partial);
    const rows = run.sizes?.rows;
    const showAll = run.can.showAll ? (format?: SavedContent['format']) => handlers.showAll(run.id, format) : undefined;
    const view = valueView(model, text, { missing, save, rows, showAll });
    if (view) {
      // The text is behind the table, the tree or the image.
      return { nodes: [element('pre', { 'data-part': part, hidden: true }, text), view] };
    }
  }
  const view = createOutputView({ part, name: partNames[part], file: run.file, onReveal });
  view.append(text);
  return { nodes: [view.element], output: view };
}

/** Returns how to get a whole result from a server that cuts it. */
export function wholeAdvice(): string {
  return l10n.t('To keep all of it, write it to a file in your code.');
}

/** Returns a sentence on what was cut from a part, or undefined if it is whole. */
function missingText(run: ShownRun, part: Part, text: string): string | undefined {
  // The end of a run brings all of its output.
  if (run.unread || run.state === 'running' || (!run.sizes && !run.unkept)) return undefined;
  const received = new TextEncoder().encode(text).length;
  const size = wholeSize(run, part, received);
  return size === undefined ? undefined : l10n.t('First {0} of {1} shown.', byteSize(received), byteSize(size));
}

/** Says that the rest of a part is gone, with the button that leads to it. */
function restIsGone({ id, can }: ShownRun, { act }: PartHandlers): (string | HTMLElement)[] {
  const button = can.runAgain
    ? linkButton(l10n.t('Run again'), () => act('runAgain', id))
    : can.goToCode && linkButton(l10n.t('Go to code'), () => act('goToCode', id));
  return [` ${l10n.t('The rest was too long to be kept. Run the code again.')}`, ...(button ? [' ', button] : [])];
}

/** The parts of an error's text, in the order in which they are shown. */
interface ErrorText {
  message: string;
  /** Playwright's call log. */
  callLog?: string;
  /** Stack frames and properties. */
  details?: string;
}

const frame = /^\s+at\s\S|^\s*File "|^Traceback \(most recent call last\)/;

/** Splits an error's text into its message, Playwright's call log, and its frames. */
export function splitError(text: string): ErrorText {
  const lines = text.trimEnd().split('\n');
  const firstFrame = lines.findIndex((line, index) => index > 0 && frame.test(line));
  const head = firstFrame === -1 ? lines : lines.slice(0, firstFrame);
  const log = head.findIndex((line) => /^\s*Call log:\s*$/.test(line));
  const joined = (from: number, to?: number) => head.slice(from, to).join('\n').trimEnd();
  return {
    message: joined(0, log === -1 ? undefined : log),
    ...(log !== -1 && { callLog: joined(log + 1) }),
    ...(firstFrame !== -1 && { details: lines.slice(firstFrame).join('\n') }),
  };
}

/** Creates the view of an error: its message, the frames with links, and the call log folded. */
function errorView(text: string, file: string | undefined, onReveal: (location: SourceLocation) => void): HTMLElement {
  const { message, callLog, details } = splitError(text);
  const links = createLinkFinder(file);
  const created = element('pre', {
    class: 'content',
    'data-part': 'error',
    tabindex: '0',
    'aria-label': l10n.t('error'),
  });
  created.append(element('div', { class: 'message' }, ...linkedNodes(links(message), onReveal)));
  if (details) created.append(element('div', { class: 'quiet' }, ...linkedNodes(links(details), onReveal)));
  if (callLog) {
    const summary = element('summary', {}, l10n.t('Call log'));
    created.append(element('details', { class: 'call-log quiet' }, summary, element('div', {}, callLog)));
  }
  return created;
}
