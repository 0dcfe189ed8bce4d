import * as l10n from '@vscode/l10n';
import { codicon, element, iconButton, pressable, setChildren, textButton } from '../common/dom.ts';
import { ansiPieces } from './ansi.ts';
import { duration, oneLine, startTime } from './format.ts';
import { parts, type RunAction, type ShownRun } from './messages.ts';
import {
  emptyValue,
  isSameAsStdout,
  type PartHandlers,
  type PartViews,
  partElement,
  partNames,
  wholeAdvice,
} from './part-view.ts';

/** Handles the buttons of a run. */
export interface RunHandlers extends PartHandlers {
  toggle(id: string): void;
}

export interface RunOptions {
  open: boolean;
  now: number;
  views: PartViews;
}

const stateWords = {
  running: l10n.t('running'),
  ok: l10n.t('done'),
  failed: l10n.t('failed'),
  cancelled: l10n.t('stopped'),
};
const stateIcons = { running: 'loading', ok: 'check', failed: 'error', cancelled: 'circle-slash' } as const;

/** Draws a run into its element: one line, and below it the output while the run is expanded. */
export function drawRun(article: HTMLElement, run: ShownRun, options: RunOptions, handlers: RunHandlers): void {
  article.className = `run ${run.state}`;
  article.dataset.runId = run.id;
  article.dataset.sessionId = run.sessionId;
  article.dataset.state = run.state;
  if (run.durationMs !== undefined) article.dataset.durationMs = String(run.durationMs);
  const line = headOf(run, options, handlers);
  const body =
    article.querySelector<HTMLElement>(':scope > .body') ?? element('div', { class: 'body', id: `body-${run.id}` });
  body.hidden = !options.open;
  setChildren(body, options.open ? bodyOf(run, options, handlers) : []);
  setChildren(article, [line, body]);
  if (options.open) line.lastElementChild?.before(jumpsOf(run, body));
}

/** Returns buttons that scroll to the parts of a run, since a long result may be above its output. */
function jumpsOf(run: ShownRun, body: HTMLElement): HTMLElement {
  const shown = parts.filter((part) => run[part] !== undefined && !(part === 'result' && isSameAsStdout(run)));
  const buttons = shown.map((part) => {
    const name = partNames[part];
    const jump = () => body.querySelector(`.part.${part}`)?.scrollIntoView();
    return pressable({ class: 'jump quiet', title: l10n.t('Scroll to {0}', name) }, jump, name);
  });
  return element('div', { class: 'jumps', hidden: buttons.length < 2 }, ...buttons);
}

function headOf(run: ShownRun, options: RunOptions, handlers: RunHandlers): HTMLElement {
  const time = run.durationMs === undefined ? '' : duration(run.durationMs);
  const name = run.file === undefined || run.file === run.title ? run.title : `${run.file} · ${run.title}`;
  const started = startTime(run.startedAt, options.now);
  const toggle = pressable(
    {
      class: 'head row',
      'aria-expanded': String(options.open),
      'aria-controls': `body-${run.id}`,
      title: `${name} · ${stateWords[run.state]} · ${started}`,
    },
    () => handlers.toggle(run.id),
    codicon(options.open ? 'chevron-down' : 'chevron-right'),
    element('span', {
      class: `state codicon codicon-${stateIcons[run.state]}`,
      role: 'img',
      'aria-label': stateWords[run.state],
    }),
    element('span', { class: 'title clipped' }, name),
    element('span', { class: 'session quiet clipped' }, run.session),
    element('span', { class: 'started quiet' }, started),
    element('span', { class: 'time quiet' }, run.state === 'running' ? (run.phase ?? stateWords.running) : time),
    element('span', { class: 'summary quiet clipped' }, options.open ? '' : summaryOf(run)),
  );
  return element(
    'div',
    { class: 'line row' },
    toggle,
    element('div', { class: 'actions' }, ...actionsOf(run, handlers)),
  );
}

function summaryOf(run: ShownRun): string {
  if (run.state === 'failed') return run.headline ?? stateWords.failed;
  if (run.state === 'cancelled') return stateWords.cancelled;
  if (run.state === 'running' && run.notice) return oneLine(run.notice);
  if (run.result?.startsWith('data:image/')) return l10n.t('image');
  if (run.result === '') return emptyValue;
  return oneLine(plainText(run.result ?? run.stdout ?? run.stderr ?? ''));
}

function actionsOf(run: ShownRun, { act }: RunHandlers): HTMLElement[] {
  const button = (icon: string, name: string, action: RunAction) => iconButton(icon, name, () => act(action, run.id));
  return [
    ...(run.state === 'running' ? [button('debug-stop', l10n.t('Stop'), 'stop')] : []),
    ...(run.can.runAgain && run.state !== 'running' ? [button('debug-rerun', l10n.t('Run again'), 'runAgain')] : []),
    ...(run.can.goToCode ? [button('go-to-file', l10n.t('Go to code'), 'goToCode')] : []),
    ...(run.can.openLiveView ? [button('link-external', l10n.t('Open live view'), 'openLiveView')] : []),
  ];
}

function bodyOf(run: ShownRun, { views }: RunOptions, handlers: RunHandlers): HTMLElement[] {
  const created: HTMLElement[] = [];
  if (run.notice) created.push(element('p', { class: 'notice quiet' }, codicon('info'), ' ', run.notice));
  for (const part of parts) {
    const text = run[part];
    if (text !== undefined) created.push(partElement(run, part, text, handlers, views));
  }
  const { fix, again } = run.can;
  if (fix) created.push(textButton(fix, () => handlers.act('fix', run.id)));
  if (again) created.push(textButton(again, () => handlers.act('runAgain', run.id)));
  if (run.truncated && !run.sizes)
    created.push(element('p', { class: 'notice quiet' }, codicon('info'), ' ', cutByServer()));
  if (run.unread) created.push(element('p', { class: 'nothing quiet' }, l10n.t('Loading…')));
  else if (run.state === 'ok' && created.length === 0)
    created.push(element('p', { class: 'nothing quiet' }, l10n.t('No result and no output.')));
  return created;
}

function cutByServer(): string {
  return `${l10n.t('This server cuts off output and results at 1 MB.')} ${wholeAdvice()}`;
}

function plainText(text: string): string {
  return ansiPieces(text.slice(0, 2_000))
    .map((piece) => piece.text)
    .join('');
}
