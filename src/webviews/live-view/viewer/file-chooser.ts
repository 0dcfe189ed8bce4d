import * as l10n from '@vscode/l10n';
import type { FromViewer, LiveChooser, ToViewer } from '../../../contract/sessions/live-view.ts';
import { element, textButton } from '../../common/dom.ts';

/**
 * Answers the file choosers of a page with those of the browser that shows the live view. Returns what handles a message of the
 * service, if it is about files.
 */
export function fileChooser(options: {
  send(message: FromViewer): void;
  sendBytes(bytes: ArrayBuffer): void;
  /** Shows a question over the picture; undefined removes it. */
  showQuestion(question: HTMLElement | undefined): void;
}): (message: ToViewer) => void {
  const { send, sendBytes, showQuestion } = options;
  let files: readonly File[] = [];
  /** Pieces are sent in the order in which they were asked for. */
  let sending: Promise<void> = Promise.resolve();
  function ask({ id, multiple, accept }: LiveChooser): void {
    const input = element('input', { type: 'file', accept, multiple });
    const answer = (chosen: readonly File[]) => {
      files = chosen;
      showQuestion(undefined);
      const named = files.map(({ name, type, size }) => ({ name: name.slice(-255), mediaType: type, size }));
      send({ type: 'files', chooser: id, files: named });
    };
    input.addEventListener('change', () => answer([...(input.files ?? [])].slice(0, 100)));
    input.addEventListener('cancel', () => answer([]));
    const title = multiple ? l10n.t('The page asks for files') : l10n.t('The page asks for a file');
    showQuestion(
      element(
        'div',
        { class: 'dialog', role: 'dialog', 'aria-label': title },
        element('p', { class: 'dialog-text' }, title),
        element(
          'div',
          { class: 'buttons' },
          textButton(l10n.t('Choose…'), () => input.click()),
          textButton(l10n.t('Cancel'), () => answer([]), 'button secondary'),
        ),
      ),
    );
    // Browsers open it only right after the user has done something.
    if (navigator.userActivation.isActive) input.click();
  }
  return (message) => {
    if (message.type === 'chooser') ask(message.chooser);
    if (message.type !== 'send-file') return;
    const piece = files[message.file]?.slice(message.start, message.end);
    sending = sending.then(async () => {
      // A file that can't be read any longer, such as one that has changed, is left unfinished.
      const bytes = await piece?.arrayBuffer().catch(() => undefined);
      if (bytes) sendBytes(bytes);
    });
  };
}
