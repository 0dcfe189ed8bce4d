import './style.css';
import { openChannel } from '../common/channel.ts';
import { element } from '../common/dom.ts';
import type { Events, Requests, ShownRun } from './messages.ts';
import { type RunHandlers, renderOutput, runElement } from './run-view.ts';

const app = document.getElementById('app') as HTMLElement;
const list = element('div', { class: 'runs' });
const announcement = element('p', { class: 'announcement', role: 'status', 'aria-live': 'polite' });
const empty = element('p', { class: 'empty' }, 'Run a file, a selection or a cell. Its result and output appear here.');
app.append(announcement, empty, list);

const runs = new Map<string, ShownRun>();
/** Runs that the user expanded or collapsed. Of the others, only the newest is expanded. */
const toggled = new Map<string, boolean>();

const channel = openChannel<Events, Requests>({
  runs: (state) => {
    runs.clear();
    for (const run of state.runs) runs.set(run.id, run);
    list.replaceChildren(...state.runs.map(draw));
    showEmpty();
  },
  run: ({ run }) => {
    const previous = runs.get(run.id);
    runs.set(run.id, run);
    if (previous) redraw(run.id);
    else addFirst(run);
    if (previous?.state === 'running' && run.state !== 'running') announce(run);
    showEmpty();
  },
  output: ({ id, stream, text }) => {
    const run = runs.get(id);
    if (!run) return;
    run[stream] = (run[stream] ?? '') + text;
    const part = find(id)?.querySelector<HTMLElement>(`[data-part="${stream}"]`);
    if (!part) return redraw(id);
    const atEnd = part.scrollTop + part.clientHeight >= part.scrollHeight - 4;
    renderOutput(part, run[stream]);
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
  copy: (id, part) => void channel.request('copy', { id, part }).then(() => (announcement.textContent = 'Copied')),
  open: (id, part) => void channel.request('open', { id, part }),
  toggle: (id) => {
    toggled.set(id, !isOpen(id));
    channel.keep([...toggled]);
    redraw(id);
    find(id)?.querySelector<HTMLElement>('.head')?.focus();
  },
};
for (const entry of Array.isArray(channel.state) ? channel.state : []) {
  if (Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'boolean')
    toggled.set(entry[0], entry[1]);
}

function isOpen(id: string): boolean {
  return toggled.get(id) ?? id === newest();
}

function newest(): string | undefined {
  const first = list.firstElementChild as HTMLElement | null;
  return first?.dataset.runId ?? runs.keys().next().value;
}

function draw(run: ShownRun): HTMLElement {
  return runElement(
    run,
    { open: toggled.get(run.id) ?? run.id === runs.keys().next().value, now: Date.now() },
    handlers,
  );
}

function addFirst(run: ShownRun): void {
  const previous = newest();
  list.prepend(runElement(run, { open: toggled.get(run.id) ?? true, now: Date.now() }, handlers));
  // The previous run was expanded only because it was the newest.
  if (previous !== undefined && previous !== run.id && !toggled.has(previous)) redraw(previous);
}

function redraw(id: string): void {
  const run = runs.get(id);
  const old = find(id);
  if (!run || !old) return;
  const focused = old.contains(document.activeElement) && document.activeElement?.classList.contains('head');
  const created = runElement(run, { open: isOpen(id), now: Date.now() }, handlers);
  old.replaceWith(created);
  if (focused) created.querySelector<HTMLElement>('.head')?.focus();
}

function find(id: string): HTMLElement | null {
  return list.querySelector<HTMLElement>(`[data-run-id="${CSS.escape(id)}"]`);
}

function showEmpty(): void {
  empty.hidden = runs.size > 0;
}

function announce(run: ShownRun): void {
  const outcome = { ok: 'done', failed: `failed: ${run.headline ?? ''}`, cancelled: 'stopped', running: '' }[run.state];
  announcement.textContent = `${run.title} ${outcome}`;
}
