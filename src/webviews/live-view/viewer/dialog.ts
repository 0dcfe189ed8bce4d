import * as l10n from '@vscode/l10n';
import type { FromViewer, LiveDialog } from '../../../contract/sessions/live-view.ts';
import { element, textButton } from '../../common/dom.ts';

const titles = {
  alert: l10n.t('The page says'),
  confirm: l10n.t('The page asks'),
  prompt: l10n.t('The page asks'),
  beforeunload: l10n.t('Leave the page?'),
} as const;

/** Returns a dialog of the page, shown over its picture. Only a viewer in control can answer it. */
export function dialogElement(dialog: LiveDialog, control: boolean, send: (message: FromViewer) => void): HTMLElement {
  const field =
    dialog.kind === 'prompt'
      ? element('input', { class: 'field', type: 'text', 'aria-label': l10n.t('Answer') })
      : undefined;
  if (field) {
    field.value = dialog.text;
    field.readOnly = !control;
  }
  const answer = (accept: boolean) => send({ type: 'dialog', accept, text: field?.value.slice(0, 10_000) ?? '' });
  const leaving = dialog.kind === 'beforeunload';
  const accept = textButton(leaving ? l10n.t('Leave') : l10n.t('OK'), () => answer(true));
  const dismiss = textButton(leaving ? l10n.t('Stay') : l10n.t('Cancel'), () => answer(false), 'button secondary');
  const message = leaving ? l10n.t('Changes that you made may not be saved.') : dialog.message;
  const box = element(
    'div',
    { class: 'dialog', role: 'dialog', 'aria-modal': 'true', 'aria-label': titles[dialog.kind] },
    element('strong', {}, titles[dialog.kind]),
    element('p', { class: 'dialog-text' }, message),
    field,
    control
      ? element('div', { class: 'buttons' }, accept, dialog.kind !== 'alert' && dismiss)
      : element('p', { class: 'quiet' }, l10n.t('Only a viewer in control can answer.')),
  );
  box.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (event.key === 'Escape') answer(dialog.kind === 'alert');
    else if (event.key === 'Enter' && event.target === field) answer(true);
  });
  return box;
}
