import { element } from '../common/dom.ts';
import type { Shown } from './messages.ts';

/** Another server's live view in a frame that can do nothing but show it, with the switch to its interactive one. */
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
  const status = control ? 'in control · page of the server' : 'watching · page of the server';
  return [frame, element('footer', { class: 'foot' }, element('span', { class: 'status' }, status), button)];
}
