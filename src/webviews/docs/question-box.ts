import * as l10n from '@vscode/l10n';
import { element, iconButton } from '../common/dom.ts';

interface BoxHandlers {
  ask(question: string): void;
  stop(): void;
  /** Returns earlier questions, newest last. */
  asked(): readonly string[];
  draft: string;
  keepDraft(text: string): void;
}

/** Creates the question box: Enter asks, Shift+Enter starts a new line, Escape stops, arrow up recalls earlier questions. */
export function questionBox(handlers: BoxHandlers) {
  const field = element('textarea', {
    class: 'field',
    rows: '1',
    placeholder: l10n.t('Ask the docs'),
    'aria-label': l10n.t('Question'),
    'aria-describedby': 'count',
  });
  const count = element('span', { class: 'count quiet', id: 'count', role: 'status' });
  const send = iconButton('send', l10n.t('Ask (Enter)'), ask);
  const stop = iconButton('debug-stop', l10n.t('Stop (Esc)'), () => handlers.stop());
  const box = element('div', { class: 'box' }, field, element('div', { class: 'bar row' }, count, send, stop));
  let maxLength = Number.POSITIVE_INFINITY;
  let busy = false;
  let enabled = true;
  /** Index into the earlier questions, counted from the newest; -1 for the draft. */
  let recalled = -1;
  let draft = '';

  field.value = handlers.draft;
  field.addEventListener('input', () => {
    recalled = -1;
    update();
  });
  field.addEventListener('keydown', (event) => {
    // Enter confirms the composition of an input method.
    if (event.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      ask();
    } else if (event.key === 'Escape' && busy) handlers.stop();
    else if (event.key === 'ArrowUp' && atStart() && recall(1)) event.preventDefault();
    else if (event.key === 'ArrowDown' && recalled >= 0 && atEnd() && recall(-1)) event.preventDefault();
  });
  update();

  function ask(): void {
    const question = field.value.trim();
    if (question === '' || busy || !enabled || length() > maxLength) return;
    field.value = '';
    recalled = -1;
    update();
    handlers.ask(question);
  }

  function recall(step: 1 | -1): boolean {
    const asked = handlers.asked();
    if (recalled + step >= asked.length) return false;
    if (recalled < 0) draft = field.value;
    recalled += step;
    field.value = recalled < 0 ? draft : (asked.at(-1 - recalled) ?? '');
    // At the start, so that the next arrow up recalls the one before.
    const at = step === 1 ? 0 : field.value.length;
    field.setSelectionRange(at, at);
    update();
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

  function update(): void {
    handlers.keepDraft(field.value);
    field.style.height = 'auto';
    field.style.height = `${field.scrollHeight + 2}px`;
    const characters = length();
    const near = characters > maxLength * 0.9;
    count.textContent = near
      ? l10n.t('{0} of {1} characters', characters.toLocaleString('en-US'), maxLength.toLocaleString('en-US'))
      : '';
    box.classList.toggle('too-long', characters > maxLength);
    send.hidden = busy;
    stop.hidden = !busy;
    send.disabled = !enabled || characters === 0 || characters > maxLength;
    field.disabled = !enabled;
  }

  return {
    element: box,
    focus: (): void => field.focus(),
    /** Puts a question in the box, with the cursor before its context. */
    compose(question: string, context: string): void {
      const kept = question || (context === '' ? field.value : field.value.split('\n\n```')[0]) || '';
      field.value = context === '' ? kept : `${kept}\n\n${context}`;
      recalled = -1;
      update();
      field.focus();
      field.setSelectionRange(kept.length, kept.length);
    },
    setBusy(value: boolean): void {
      if (value === busy) return;
      const onButton = document.activeElement === send || document.activeElement === stop;
      busy = value;
      update();
      if (onButton) field.focus();
    },
    setLimit(characters: number): void {
      maxLength = characters;
      update();
    },
    setEnabled(value: boolean): void {
      enabled = value;
      update();
    },
  };
}
