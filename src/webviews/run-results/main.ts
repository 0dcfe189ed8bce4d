import '../common/localization.ts';
import '../common/base.css';
import * as l10n from '@vscode/l10n';
import './style.css';
import { openChannel } from '../common/channel.ts';
import { element, setChildren } from '../common/dom.ts';
import { oneLine } from './format.ts';
import type { Events, Requests, SavedContent, ShownRun } from './messages.ts';
import type { PartViews } from './part-view.ts';
import { drawRun, type RunHandlers } from './run-view.ts';

const app = document.getElementById('app') as HTMLElement;
const list = element('div', { class: 'runs' });
const announcement = element('p', { class: 'spoken', role: 'status', 'aria-live': 'polite' });
const empty = element(
  'p',
  { class: 'empty quiet' },
  l10n.t('Run a file, a selection or a cell. Its result and output appear here.'),
);
app.append(announcement, empty, list);
// Wide tables don't widen the rest of the panel.
new ResizeObserver(() =>
  document.documentElement.style.setProperty('--panel-width', `${document.documentElement.clientWidth}px`),
).observe(document.documentElement);

/** Folded runs whose tables and trees are kept as they were. */
const maxKeptFolded = 10;
/** Characters of a result that are announced. */
const maxSpokenLength = 120;

const runs = new Map<string, ShownRun>();
/** Runs that the user expanded or collapsed. Of the others, only the newest is expanded. */
const toggled = new Map<string, boolean>();
/** The parts that were drawn, by run. Those of a folded run are kept without its streams, which are large. */
const drawn = new Map<string, PartViews>();
/** The session that runs use. */
let currentSession: string | undefined;
/** The run whose growing output is kept in view. */
let followed: string | undefined;

const channel = openChannel<Events, Requests>({
  runs: (state) => {
    runs.clear();
    for (const run of state.runs) runs.set(run.id, run);
    for (const id of [...drawn.keys(), ...toggled.keys()]) if (!runs.has(id)) forget(id);
    setChildren(
      list,
      state.runs.map((run, index) => draw(run, toggled.get(run.id) ?? index === 0)),
    );
    showEmpty();
  },
  run: ({ run }) => {
    const previous = runs.get(run.id);
    runs.set(run.id, run);
    if (previous) redraw(run.id);
    else addFirst(run);
    if (previous?.state === 'running' && run.state !== 'running') finished(run);
    showEmpty();
  },
  output: ({ id, stream, text }) => {
    const run = runs.get(id);
    if (!run) return;
    run[stream] = (run[stream] ?? '') + text;
    const view = drawn.get(id)?.get(stream)?.output;
    if (!view?.element.isConnected) return redraw(id);
    const atEnd = bottomOf(id) <= window.innerHeight + 4;
    view.append(text);
    if (atEnd) follow(id);
  },
  removed: ({ id }) => {
    runs.delete(id);
    forget(id);
    find(id)?.remove();
    showEmpty();
  },
  current: ({ sessionId }) => {
    currentSession = sessionId;
    for (const id of runs.keys()) markCurrent(find(id));
  },
});

/** How results are saved once they are shown whole. */
const savedOnceWhole = new Map<string, SavedContent['format']>();

const handlers: RunHandlers = {
  act: (action, id) => void channel.request('act', { action, id }),
  copy: (id, part) =>
    void channel.request('copy', { id, part }).then(
      () => (announcement.textContent = l10n.t('Copied')),
      () => undefined,
    ),
  open: (id, part) => void channel.request('open', { id, part }),
  reveal: (id, location) => void channel.request('reveal', { id, location }),
  save: (id, content, partial) => void channel.request('save', { id, ...content, partial }),
  showAll: (id, save) => {
    if (save) savedOnceWhole.set(id, save);
    channel.request('act', { action: 'showAll', id }).catch(() => savedOnceWhole.delete(id));
  },
  toggle: (id) => {
    toggled.set(id, !isOpen(id));
    channel.keep([...toggled]);
    redraw(id);
    focusHead(id);
  },
};
for (const entry of Array.isArray(channel.state) ? channel.state : []) {
  if (Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'boolean')
    toggled.set(entry[0], entry[1]);
}

list.addEventListener('keydown', (event) => {
  const head = (event.target as HTMLElement).closest<HTMLElement>('.head');
  const id = head?.closest<HTMLElement>('[data-run-id]')?.dataset.runId;
  if (!head || id === undefined || !isRunKey(event)) return;
  event.preventDefault();
  if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
    if (isOpen(id) !== (event.key === 'ArrowRight')) handlers.toggle(id);
  } else moveBetweenRuns(list, head, event.key);
});

function isOpen(id: string): boolean {
  return toggled.get(id) ?? id === newest();
}

function newest(): string | undefined {
  const first = list.firstElementChild as HTMLElement | null;
  return first?.dataset.runId ?? runs.keys().next().value;
}

/** Forgets how a run that is no longer listed was shown. */
function forget(id: string): void {
  drawn.delete(id);
  if (toggled.delete(id)) channel.keep([...toggled]);
}

/** Draws a run into its element, or into a new one. */
function draw(run: ShownRun, open: boolean): HTMLElement {
  const article = find(run.id) ?? element('article');
  const views: PartViews = drawn.get(run.id) ?? new Map();
  // The one that was shown last is the last to be dropped.
  drawn.delete(run.id);
  drawn.set(run.id, views);
  drawRun(article, run, { open, now: Date.now(), views }, handlers);
  if (!open) dropFolded(views);
  const save = run.can.showAll ? undefined : savedOnceWhole.get(run.id);
  if (save && savedOnceWhole.delete(run.id)) article.querySelector<HTMLElement>(`[data-save="${save}"]`)?.click();
  markCurrent(article);
  return article;
}

function dropFolded(views: PartViews): void {
  for (const part of ['stdout', 'stderr'] as const) views.delete(part);
  const folded = [...drawn.keys()].filter((id) => !isOpen(id));
  for (const id of folded.slice(0, -maxKeptFolded)) drawn.delete(id);
}

/** Marks a run of the current session, as the other views mark the session. */
function markCurrent(run: HTMLElement | undefined | null): void {
  const session = run?.querySelector('.session');
  if (!run || !session) return;
  const current = currentSession !== undefined && run.dataset.sessionId === currentSession;
  session.classList.toggle('current', current);
  session.setAttribute('title', current ? l10n.t('Current session') : l10n.t('Session'));
}

function addFirst(run: ShownRun): void {
  const previous = newest();
  const isAtTop = window.scrollY < 40;
  list.prepend(draw(run, toggled.get(run.id) ?? true));
  // The previous run was expanded only because it was the newest.
  if (previous !== undefined && previous !== run.id && !toggled.has(previous)) redraw(previous);
  if (isAtTop || followed !== undefined) window.scrollTo(0, 0);
  followed = undefined;
}

function redraw(id: string): void {
  const run = runs.get(id);
  const old = find(id);
  if (!run || !old) return;
  const focused = old.contains(document.activeElement) && document.activeElement?.classList.contains('head');
  draw(run, isOpen(id));
  if (focused) focusHead(id);
}

function focusHead(id: string): void {
  find(id)?.querySelector<HTMLElement>('.head')?.focus({ preventScroll: true });
}

function find(id: string): HTMLElement | null {
  return list.querySelector<HTMLElement>(`[data-run-id="${CSS.escape(id)}"]`);
}

function bottomOf(id: string): number {
  return find(id)?.getBoundingClientRect().bottom ?? Number.POSITIVE_INFINITY;
}

/** Scrolls to the end of a run, unless all of it is visible. */
function follow(id: string): void {
  const hidden = bottomOf(id) - window.innerHeight;
  if (hidden <= 0) return;
  followed = id;
  window.scrollBy(0, hidden);
}

function finished(run: ShownRun): void {
  // The result is above the output that was followed.
  if (followed === run.id) find(run.id)?.scrollIntoView();
  followed = undefined;
  announcement.textContent = outcomeText(run);
}

function outcomeText({ state, title, headline, result }: ShownRun): string {
  if (state === 'failed') return headline ? l10n.t('{0} failed: {1}', title, headline) : l10n.t('{0} failed', title);
  if (state === 'cancelled') return l10n.t('{0} stopped', title);
  if (result === undefined || result.startsWith('data:')) return l10n.t('{0} done', title);
  return l10n.t('{0} done: {1}', title, oneLine(result, maxSpokenLength));
}

function showEmpty(): void {
  empty.hidden = runs.size > 0;
}

const runKeys = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End'];

/** Whether a key moves between runs, or expands and collapses one. */
function isRunKey({ key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  return runKeys.includes(key) && !altKey && !ctrlKey && !metaKey && !shiftKey;
}

/** Moves the focus from the line of a run to that of another. */
function moveBetweenRuns(list: HTMLElement, from: HTMLElement, key: string): void {
  const heads = [...list.querySelectorAll<HTMLElement>('.head')];
  const at = heads.indexOf(from);
  const target = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: heads.length - 1 }[key];
  const head = target === undefined ? undefined : heads[target];
  head?.focus();
  head?.scrollIntoView({ block: 'nearest' });
}
