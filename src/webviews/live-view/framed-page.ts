import * as l10n from '@vscode/l10n';
import { element, textButton } from '../common/dom.ts';
import type { Shown } from './messages.ts';

/** Returns another server's live view in a sandboxed frame, with a button that switches to its interactive page. */
export function framedPage(
  { url, control, canControl }: Extract<Shown, { kind: 'page' }>,
  onControl: (take: boolean) => void,
): HTMLElement[] {
  const frame = element('iframe', {
    class: 'framed-page',
    title: l10n.t('Live view of the session'),
    sandbox: 'allow-scripts allow-same-origin allow-forms',
    allow: '',
    referrerpolicy: 'no-referrer',
    src: url,
  });
  const name = control ? l10n.t('Release') : l10n.t('Take control');
  const button = textButton(name, () => onControl(!control), 'button secondary control');
  button.hidden = !canControl;
  const status = control ? l10n.t("in control · server's page") : l10n.t("watching · server's page");
  return [frame, element('footer', { class: 'foot' }, element('span', { class: 'status' }, status), button)];
}
