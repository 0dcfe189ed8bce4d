import * as l10n from '@vscode/l10n';
import { codicon, element, iconButton } from '../common/dom.ts';
import { errorView } from './error-view.ts';
import { byteSize } from './format.ts';
import type { Part, SaveFormat, ShownRun, SourceLocation } from './messages.ts';
import { createOutputView, type OutputView } from './output-view.ts';
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
  copy(id: string, part: Part): void;
  open(id: string, part: Part): void;
  reveal(id: string, location: SourceLocation): void;
  save(id: string, format: SaveFormat, text: string, partial?: string): void;
}

/** What the parts of a run are called on the screen. */
export const partNames: Readonly<Record<Part, string>> = {
  result: l10n.t('result'),
  stdout: 'stdout',
  stderr: 'stderr',
  error: l10n.t('error'),
};

/** The streams of a run that are shown. Reused when the run is drawn again, since long output takes time to draw. */
export type OutputViews = Map<Part, OutputView>;

/** Creates the section of one part of a run: its name, its content and its buttons. */
export function partElement(
  run: ShownRun,
  part: Part,
  text: string,
  handlers: PartHandlers,
  views: OutputViews,
): HTMLElement {
  const missing = missingText(run, part, text);
  const section = element(
    'section',
    { class: `part ${part}` },
    element('span', { class: 'part-name' }, partNames[part]),
    element(
      'div',
      { class: 'part-actions' },
      iconButton('copy', copyNames[part], () => handlers.copy(run.id, part)),
      iconButton('go-to-file', l10n.t('Open in Editor'), () => handlers.open(run.id, part)),
    ),
  );
  if (part === 'result' && isSameAsStdout(run)) section.classList.add('same');
  section.append(...contentOf(run, part, text, missing, handlers, views));
  if (missing) section.append(element('p', { class: 'content notice cut' }, codicon('info'), ` ${missing}`));
  return section;
}

/** Whether the result is the output again, as servers return it for code without a value. */
export function isSameAsStdout({ result, stdout }: ShownRun): boolean {
  return result !== undefined && stdout !== undefined && stdout.trim() === result.trim();
}

function contentOf(
  run: ShownRun,
  part: Part,
  text: string,
  missing: string | undefined,
  handlers: PartHandlers,
  views: OutputViews,
): HTMLElement[] {
  const onReveal = (location: SourceLocation) => handlers.reveal(run.id, location);
  if (part === 'error') return [errorView(text, run.file, onReveal)];
  if (part === 'result') {
    const model = valueModel(text, run.truncated);
    const save = (format: SaveFormat, content: string, partial?: string) =>
      handlers.save(run.id, format, content, partial);
    const view = valueView(model, text, { missing, save });
    if (view) return [hiddenText(part, text), view];
  }
  const shown = views.get(part);
  if (shown?.text === text) return [shown.element];
  const view = createOutputView({ part, name: partNames[part], file: run.file, onReveal });
  view.append(text);
  views.set(part, view);
  return [view.element];
}

/** The text behind a table, a tree or an image. */
function hiddenText(part: Part, text: string): HTMLElement {
  return element('pre', { 'data-part': part, hidden: true }, text);
}

/** Returns a sentence on what was cut from a part, or undefined if it is whole. */
function missingText(run: ShownRun, part: Part, text: string): string | undefined {
  const size = part === 'error' ? undefined : run.sizes?.[part];
  if (size === undefined) return undefined;
  const received = new TextEncoder().encode(text).length;
  // A trimmed or presented text may be a little shorter than what was sent.
  if (received * 1.01 + 1000 > size) return undefined;
  return l10n.t('First {0} of {1} shown.', byteSize(received), byteSize(size));
}
