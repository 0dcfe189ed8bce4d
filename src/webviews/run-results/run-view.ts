import { codicon, element, iconButton, textButton } from '../common/dom.ts';
import { type AnsiPiece, ansiPieces } from './ansi.ts';
import { duration, oneLine, startTime } from './format.ts';
import { type Part, parts, type RunAction, type ShownRun } from './messages.ts';
import { resultModel } from './result-model.ts';
import { jsonTree } from './tree.ts';

/** What the buttons of a run do. */
export interface RunHandlers {
  act(action: RunAction, id: string): void;
  copy(id: string, part: Part): void;
  open(id: string, part: Part): void;
  toggle(id: string): void;
}

const stateWords = { running: 'running', ok: 'done', failed: 'failed', cancelled: 'stopped' } as const;
const stateIcons = { running: 'loading', ok: 'check', failed: 'error', cancelled: 'circle-slash' } as const;

/** A run as an element: one line, and below it what it left, when it is open or the newest. */
export function runElement(run: ShownRun, look: { open: boolean; now: number }, handlers: RunHandlers): HTMLElement {
  const made = element('article', {
    class: `run ${run.state}`,
    'data-run-id': run.id,
    'data-session-id': run.sessionId,
    'data-state': run.state,
    'data-duration-ms': run.durationMs === undefined ? undefined : String(run.durationMs),
  });
  made.append(headOf(run, look, handlers));
  const body = element('div', { class: 'body', id: `body-${run.id}`, hidden: !look.open }, ...bodyOf(run, handlers));
  made.append(body);
  return made;
}

function headOf(run: ShownRun, look: { open: boolean; now: number }, handlers: RunHandlers): HTMLElement {
  const time = run.durationMs === undefined ? '' : duration(run.durationMs);
  const toggle = element(
    'button',
    {
      class: 'head',
      type: 'button',
      'aria-expanded': String(look.open),
      'aria-controls': `body-${run.id}`,
      title: `${run.title} · ${stateWords[run.state]} · ${startTime(run.startedAt, look.now)}`,
    },
    codicon(look.open ? 'chevron-down' : 'chevron-right'),
    element('span', {
      class: `state codicon codicon-${stateIcons[run.state]}`,
      role: 'img',
      'aria-label': stateWords[run.state],
    }),
    element('span', { class: 'title' }, run.title),
    element('span', { class: 'session' }, run.session),
    element('span', { class: 'time' }, run.state === 'running' ? (run.phase ?? 'running') : time),
    element('span', { class: 'summary' }, look.open ? '' : summaryOf(run)),
  );
  toggle.addEventListener('click', () => handlers.toggle(run.id));
  return element('div', { class: 'line' }, toggle, element('div', { class: 'actions' }, ...actionsOf(run, handlers)));
}

function summaryOf(run: ShownRun): string {
  if (run.state === 'failed') return run.headline ?? 'failed';
  if (run.state === 'cancelled') return 'stopped';
  if (run.state === 'running' && run.notice) return oneLine(run.notice);
  if (run.result?.startsWith('data:image/')) return 'image';
  return oneLine(plain(run.result ?? run.stdout ?? run.stderr ?? ''));
}

function actionsOf(run: ShownRun, { act }: RunHandlers): HTMLElement[] {
  const button = (icon: string, name: string, action: RunAction) => iconButton(icon, name, () => act(action, run.id));
  return [
    ...(run.state === 'running' ? [button('debug-stop', 'Stop', 'stop')] : []),
    ...(run.can.runAgain && run.state !== 'running' ? [button('debug-rerun', 'Run again', 'runAgain')] : []),
    ...(run.can.goToCode ? [button('go-to-file', 'Go to code', 'goToCode')] : []),
    ...(run.can.openLiveView ? [button('link-external', 'Open live view', 'openLiveView')] : []),
  ];
}

function bodyOf(run: ShownRun, handlers: RunHandlers): HTMLElement[] {
  const made: HTMLElement[] = [];
  if (run.notice) made.push(element('p', { class: 'notice' }, codicon('info'), ' ', run.notice));
  for (const part of parts) {
    const text = run[part];
    if (text !== undefined) made.push(partOf(run, part, text, handlers));
  }
  if (run.can.tryAgain) made.push(textButton('Try again', () => handlers.act('runAgain', run.id)));
  if (run.truncated)
    made.push(element('p', { class: 'notice' }, codicon('info'), ' The server cut the output at its limit.'));
  if (run.state === 'ok' && made.length === 0)
    made.push(element('p', { class: 'nothing' }, 'It returned nothing and printed nothing.'));
  return made;
}

function partOf(run: ShownRun, part: Part, text: string, { copy, open }: RunHandlers): HTMLElement {
  const model = part === 'result' ? resultModel(text) : ({ kind: 'text' } as const);
  const exact = element('pre', { class: 'content', 'data-part': part, tabindex: '0', 'aria-label': part });
  fill(exact, text);
  const section = element(
    'section',
    { class: `part ${part}` },
    element('span', { class: 'part-name' }, part),
    element(
      'div',
      { class: 'part-actions' },
      iconButton('copy', `Copy ${part}`, () => copy(run.id, part)),
      iconButton('go-to-file', 'Open as document', () => open(run.id, part)),
    ),
    exact,
  );
  if (part === 'result' && run.stdout !== undefined && run.stdout.trim() === text) section.classList.add('same');
  if (model.kind === 'image') {
    exact.hidden = true;
    section.append(element('img', { src: model.source, alt: 'Result of the run', class: 'content picture' }));
  } else if (model.kind === 'tree') {
    exact.hidden = true;
    section.append(jsonTree(model.value));
  } else if (model.kind === 'table') {
    exact.hidden = true;
    section.append(tableOf(model.columns, model.rows));
  }
  return section;
}

function tableOf(columns: readonly string[], rows: readonly string[][]): HTMLElement {
  const head = element('tr', {}, ...columns.map((column) => element('th', { scope: 'col' }, column)));
  const lines = rows.map((row) => element('tr', {}, ...row.map((text) => element('td', {}, text))));
  const made = element('table', {}, element('thead', {}, head), element('tbody', {}, ...lines));
  return element(
    'div',
    { class: 'content table', tabindex: '0', role: 'group', 'aria-label': 'Result as a table' },
    made,
  );
}

/** Puts output into an element, with its colours. */
export function fill(into: HTMLElement, text: string): void {
  into.replaceChildren(...ansiPieces(text).map(pieceNode));
}

function pieceNode(piece: AnsiPiece): Node {
  const { text, ...look } = piece;
  if (Object.keys(look).length === 0) return document.createTextNode(text);
  const made = element('span', {}, text);
  for (const name of ['bold', 'italic', 'underline', 'dim', 'strikethrough'] as const)
    made.classList.toggle(name, piece[name] ?? false);
  paint(made, 'color', piece.color);
  paint(made, 'background', piece.background);
  return made;
}

/** One of the sixteen by a class, so that the theme says how it looks; any other by its numbers. */
function paint(made: HTMLElement, property: 'color' | 'background', value: string | undefined): void {
  if (value === undefined) return;
  if (/^ansi-[a-z-]+$/.test(value)) made.classList.add(property === 'color' ? value : `${value}-bg`);
  else if (/^\d{1,3}, ?\d{1,3}, ?\d{1,3}$/.test(value)) made.style.setProperty(property, `rgb(${value})`);
}

function plain(text: string): string {
  return ansiPieces(text.slice(0, 2_000))
    .map((piece) => piece.text)
    .join('');
}
