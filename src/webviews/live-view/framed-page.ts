import { element } from '../common/dom.ts';
import type { Shown } from './messages.ts';

/** Returns another server's live view in a sandboxed frame, with a button that switches to its interactive page. */
export function framedPage(
  { url, control, canControl }: Extract<Shown, { kind: 'page' }>,
  onControl: (take: boolean) => void,
): HTMLElement[] {
  const frame = element('iframe', {
    class: 'framed-page',
    title: 'Live view of the session',
    sandbox: 'allow-scripts allow-same-origin allow-forms',
    allow: '',
    referrerpolicy: 'no-referrer',
    src: url,
  });
  const button = element(
    'button',
    { class: 'button secondary control', type: 'button' },
    control ? 'Release' : 'Take control',
  );
  button.addEventListener('click', () => onControl(!control));
  button.hidden = !canControl;
  const status = control ? "in control · server's page" : "watching · server's page";
  return [frame, element('footer', { class: 'foot' }, element('span', { class: 'status' }, status), button)];
}
