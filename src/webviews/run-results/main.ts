import './style.css';
import { openChannel } from '../common/channel.ts';
import { element } from '../common/dom.ts';
import type { Events, Requests, ShownRun } from './messages.ts';
import { fill, type RunHandlers, runElement } from './run-view.ts';

const app = document.getElementById('app') as HTMLElement;
const list = element('div', { class: 'runs' });
const spoken = element('p', { class: 'spoken', role: 'status', 'aria-live': 'polite' });
const empty = element(
  'p',
  { class: 'empty' },
  'Run a file, a selection or a cell, and what it returns and prints is shown here.',
);
app.append(spoken, empty, list);

const runs = new Map<string, ShownRun>();
/** Runs that the person opened or closed; the others are open when they are the newest. */
const chosen = new Map<string, boolean>();

const channel = openChannel<Events, Requests>({
  runs: (state) => {
    runs.clear();
    for (const run of state.runs) runs.set(run.id, run);
    list.replaceChildren(...state.runs.map(draw));
    showEmpty();
  },
  run: ({ run }) => {
    const before = runs.get(run.id);
    runs.set(run.id, run);
    if (before) redraw(run.id);
    else addFirst(run);
    if (before?.state === 'running' && run.state !== 'running') say(run);
    showEmpty();
  },
  output: ({ id, stream, text }) => {
    const run = runs.get(id);
    if (!run) return;
    run[stream] = (run[stream] ?? '') + text;
    const part = find(id)?.querySelector<HTMLElement>(`[data-part="${stream}"]`);
    if (!part) return redraw(id);
    const atEnd = part.scrollTop + part.clientHeight >= part.scrollHeight - 4;
    fill(part, run[stream]);
    if (atEnd) part.scrollTop = part.scrollHeight;
  },
  removed: ({ id }) => {
    runs.delete(id);
    find(id)?.remove();
    showEmpty();
  },
});

const handlers: RunHandlers = {
  act: (action, id) => void channel.request('act', { action, id }),
  copy: (id, part) => void channel.request('copy', { id, part }).then(() => (spoken.textContent = 'Copied')),
  open: (id, part) => void channel.request('open', { id, part }),
  toggle: (id) => {
    chosen.set(id, !isOpen(id));
    channel.keep([...chosen]);
    redraw(id);
    find(id)?.querySelector<HTMLElement>('.head')?.focus();
  },
};
for (const entry of Array.isArray(channel.state) ? channel.state : []) {
  if (Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'boolean')
    chosen.set(entry[0], entry[1]);
}

function isOpen(id: string): boolean {
  return chosen.get(id) ?? id === newest();
}

function newest(): string | undefined {
  const first = list.firstElementChild as HTMLElement | null;
  return first?.dataset.runId ?? runs.keys().next().value;
}

function draw(run: ShownRun): HTMLElement {
  return runElement(
    run,
    { open: chosen.get(run.id) ?? run.id === runs.keys().next().value, now: Date.now() },
    handlers,
  );
}

function addFirst(run: ShownRun): void {
  const before = newest();
  list.prepend(runElement(run, { open: chosen.get(run.id) ?? true, now: Date.now() }, handlers));
  // The one that was open because it was the newest folds.
  if (before !== undefined && before !== run.id && !chosen.has(before)) redraw(before);
}

function redraw(id: string): void {
  const run = runs.get(id);
  const old = find(id);
  if (!run || !old) return;
  const focused = old.contains(document.activeElement) && document.activeElement?.classList.contains('head');
  const made = runElement(run, { open: isOpen(id), now: Date.now() }, handlers);
  old.replaceWith(made);
  if (focused) made.querySelector<HTMLElement>('.head')?.focus();
}

function find(id: string): HTMLElement | null {
  return list.querySelector<HTMLElement>(`[data-run-id="${CSS.escape(id)}"]`);
}

function showEmpty(): void {
  empty.hidden = runs.size > 0;
}

function say(run: ShownRun): void {
  const how = { ok: 'done', failed: `failed: ${run.headline ?? ''}`, cancelled: 'stopped', running: '' }[run.state];
  spoken.textContent = `${run.title} ${how}`;
}
