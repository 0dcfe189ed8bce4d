import { element, iconButton } from '../common/dom.ts';

interface Box {
  readonly element: HTMLElement;
  focus(): void;
  /** Puts a question in the box, with the cursor at the end of its first part. */
  compose(question: string, context: string): void;
  setBusy(busy: boolean): void;
  setLimit(characters: number): void;
  setEnabled(enabled: boolean): void;
}

interface BoxHandlers {
  ask(question: string): void;
  stop(): void;
  /** Earlier questions, newest last. */
  asked(): readonly string[];
  draft: string;
  keepDraft(text: string): void;
}

/** The box for questions: Enter asks, Shift+Enter breaks the line, Escape stops, arrow up brings back earlier questions. */
export function questionBox(handlers: BoxHandlers): Box {
  const field = element('textarea', {
    class: 'field',
    rows: '1',
    placeholder: 'Ask the docs',
    'aria-label': 'Question',
    'aria-describedby': 'count',
  });
  const count = element('span', { class: 'count', id: 'count', role: 'status' });
  const send = iconButton('send', 'Ask (Enter)', ask);
  const stop = iconButton('debug-stop', 'Stop (Escape)', () => handlers.stop());
  const box = element('div', { class: 'box' }, field, element('div', { class: 'bar' }, count, send, stop));
  let longest = Number.POSITIVE_INFINITY;
  let busy = false;
  let enabled = true;
  /** Place in the earlier questions, counted from the newest; -1 for what is being written. */
  let recalled = -1;
  let written = '';

  field.value = handlers.draft;
  field.addEventListener('input', () => {
    recalled = -1;
    changed();
  });
  field.addEventListener('keydown', (event) => {
    // Enter ends a composition of an input method.
    if (event.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      ask();
    } else if (event.key === 'Escape' && busy) handlers.stop();
    else if (event.key === 'ArrowUp' && atStart() && recall(1)) event.preventDefault();
    else if (event.key === 'ArrowDown' && recalled >= 0 && atEnd() && recall(-1)) event.preventDefault();
  });
  changed();

  function ask(): void {
    const question = field.value.trim();
    if (question === '' || busy || !enabled || length() > longest) return;
    field.value = '';
    recalled = -1;
    changed();
    handlers.ask(question);
  }

  function recall(step: 1 | -1): boolean {
    const asked = handlers.asked();
    if (recalled + step >= asked.length) return false;
    if (recalled < 0) written = field.value;
    recalled += step;
    field.value = recalled < 0 ? written : (asked.at(-1 - recalled) ?? '');
    // At the start, so that the next arrow up goes on.
    const at = step === 1 ? 0 : field.value.length;
    field.setSelectionRange(at, at);
    changed();
    return true;
  }

  function atStart(): boolean {
    return (
      field.selectionStart === field.selectionEnd &&
      (field.selectionStart === 0 || (recalled < 0 && field.value === ''))
    );
  }

  function atEnd(): boolean {
    const at = field.selectionStart;
    return field.selectionEnd === at && (at === field.value.length || at === 0);
  }

  function length(): number {
    return [...field.value.trim()].length;
  }

  function changed(): void {
    handlers.keepDraft(field.value);
    field.style.height = 'auto';
    field.style.height = `${field.scrollHeight + 2}px`;
    const characters = length();
    const near = characters > longest * 0.9;
    count.textContent = near
      ? `${characters.toLocaleString('en-US')} of ${longest.toLocaleString('en-US')} characters`
      : '';
    box.classList.toggle('too-long', characters > longest);
    send.hidden = busy;
    stop.hidden = !busy;
    send.disabled = !enabled || characters === 0 || characters > longest;
    field.disabled = !enabled;
  }

  return {
    element: box,
    focus: () => field.focus(),
    compose(question, context) {
      const kept = question || (context === '' ? field.value : field.value.split('\n\n```')[0]) || '';
      field.value = context === '' ? kept : `${kept}\n\n${context}`;
      recalled = -1;
      changed();
      field.focus();
      field.setSelectionRange(kept.length, kept.length);
    },
    setBusy(value) {
      if (value === busy) return;
      const onButton = document.activeElement === send || document.activeElement === stop;
      busy = value;
      changed();
      if (onButton) field.focus();
    },
    setLimit(characters) {
      longest = characters;
      changed();
    },
    setEnabled(value) {
      enabled = value;
      changed();
    },
  };
}
