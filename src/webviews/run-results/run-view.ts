import { codicon, element, iconButton, textButton } from '../common/dom.ts';
import { type AnsiPiece, ansiPieces } from './ansi.ts';
import { duration, oneLine, startTime } from './format.ts';
import { type Part, parts, type RunAction, type ShownRun } from './messages.ts';
import { resultModel } from './result-model.ts';
import { jsonTree } from './tree.ts';

/** Handles the buttons of a run. */
export interface RunHandlers {
  act(action: RunAction, id: string): void;
  copy(id: string, part: Part): void;
  open(id: string, part: Part): void;
  toggle(id: string): void;
}

const stateWords = { running: 'running', ok: 'done', failed: 'failed', cancelled: 'stopped' } as const;
const stateIcons = { running: 'loading', ok: 'check', failed: 'error', cancelled: 'circle-slash' } as const;

/** Creates the element of a run: one line, and below it the output while the run is expanded. */
export function runElement(run: ShownRun, options: { open: boolean; now: number }, handlers: RunHandlers): HTMLElement {
  const created = element('article', {
    class: `run ${run.state}`,
    'data-run-id': run.id,
    'data-session-id': run.sessionId,
    'data-state': run.state,
    'data-duration-ms': run.durationMs === undefined ? undefined : String(run.durationMs),
  });
  created.append(headOf(run, options, handlers));
  const body = element('div', { class: 'body', id: `body-${run.id}`, hidden: !options.open }, ...bodyOf(run, handlers));
  created.append(body);
  return created;
}

function headOf(run: ShownRun, options: { open: boolean; now: number }, handlers: RunHandlers): HTMLElement {
  const time = run.durationMs === undefined ? '' : duration(run.durationMs);
  const toggle = element(
    'button',
    {
      class: 'head',
      type: 'button',
      'aria-expanded': String(options.open),
      'aria-controls': `body-${run.id}`,
      title: `${run.title} · ${stateWords[run.state]} · ${startTime(run.startedAt, options.now)}`,
    },
    codicon(options.open ? 'chevron-down' : 'chevron-right'),
    element('span', {
      class: `state codicon codicon-${stateIcons[run.state]}`,
      role: 'img',
      'aria-label': stateWords[run.state],
    }),
    element('span', { class: 'title' }, run.title),
    element('span', { class: 'session' }, run.session),
    element('span', { class: 'time' }, run.state === 'running' ? (run.phase ?? 'running') : time),
    element('span', { class: 'summary' }, options.open ? '' : summaryOf(run)),
  );
  toggle.addEventListener('click', () => handlers.toggle(run.id));
  return element('div', { class: 'line' }, toggle, element('div', { class: 'actions' }, ...actionsOf(run, handlers)));
}

function summaryOf(run: ShownRun): string {
  if (run.state === 'failed') return run.headline ?? 'failed';
  if (run.state === 'cancelled') return 'stopped';
  if (run.state === 'running' && run.notice) return oneLine(run.notice);
  if (run.result?.startsWith('data:image/')) return 'image';
  return oneLine(plainText(run.result ?? run.stdout ?? run.stderr ?? ''));
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
  const created: HTMLElement[] = [];
  if (run.notice) created.push(element('p', { class: 'notice' }, codicon('info'), ' ', run.notice));
  for (const part of parts) {
    const text = run[part];
    if (text !== undefined) created.push(partOf(run, part, text, handlers));
  }
  if (run.can.tryAgain) created.push(textButton('Try again', () => handlers.act('runAgain', run.id)));
  if (run.truncated)
    created.push(element('p', { class: 'notice' }, codicon('info'), ' The server truncated the output.'));
  if (run.state === 'ok' && created.length === 0)
    created.push(element('p', { class: 'nothing' }, 'No result and no output.'));
  return created;
}

function partOf(run: ShownRun, part: Part, text: string, { copy, open }: RunHandlers): HTMLElement {
  const model = part === 'result' ? resultModel(text) : ({ kind: 'text' } as const);
  const content = element('pre', { class: 'content', 'data-part': part, tabindex: '0', 'aria-label': part });
  renderOutput(content, text);
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
    content,
  );
  if (part === 'result' && run.stdout !== undefined && run.stdout.trim() === text) section.classList.add('same');
  if (model.kind === 'image') {
    content.hidden = true;
    section.append(element('img', { src: model.source, alt: 'Result of the run', class: 'content picture' }));
  } else if (model.kind === 'tree') {
    content.hidden = true;
    section.append(jsonTree(model.value));
  } else if (model.kind === 'table') {
    content.hidden = true;
    section.append(tableOf(model.columns, model.rows));
  }
  return section;
}

function tableOf(columns: readonly string[], rows: readonly string[][]): HTMLElement {
  const head = element('tr', {}, ...columns.map((column) => element('th', { scope: 'col' }, column)));
  const lines = rows.map((row) => element('tr', {}, ...row.map((text) => element('td', {}, text))));
  const created = element('table', {}, element('thead', {}, head), element('tbody', {}, ...lines));
  return element(
    'div',
    { class: 'content table', tabindex: '0', role: 'group', 'aria-label': 'Result as a table' },
    created,
  );
}

/** Renders output with ANSI colors into an element. */
export function renderOutput(into: HTMLElement, text: string): void {
  into.replaceChildren(...ansiPieces(text).map(pieceNode));
}

function pieceNode(piece: AnsiPiece): Node {
  const { text, ...style } = piece;
  if (Object.keys(style).length === 0) return document.createTextNode(text);
  const created = element('span', {}, text);
  for (const name of ['bold', 'italic', 'underline', 'dim', 'strikethrough'] as const)
    created.classList.toggle(name, piece[name] ?? false);
  setColor(created, 'color', piece.color);
  setColor(created, 'background', piece.background);
  return created;
}

/** Sets a color: a class for the 16 ANSI colors, which the theme defines, and RGB for all others. */
function setColor(created: HTMLElement, property: 'color' | 'background', value: string | undefined): void {
  if (value === undefined) return;
  if (/^ansi-[a-z-]+$/.test(value)) created.classList.add(property === 'color' ? value : `${value}-bg`);
  else if (/^\d{1,3}, ?\d{1,3}, ?\d{1,3}$/.test(value)) created.style.setProperty(property, `rgb(${value})`);
}

function plainText(text: string): string {
  return ansiPieces(text.slice(0, 2_000))
    .map((piece) => piece.text)
    .join('');
}
