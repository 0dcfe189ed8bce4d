import * as l10n from '@vscode/l10n';
import { element } from '../common/dom.ts';
import type { SourceLocation } from './messages.ts';
import { linkedNodes } from './output-view.ts';
import { createLinkFinder } from './source-links.ts';

/** The parts of an error's text, in the order in which they are shown. */
export interface ErrorText {
  message: string;
  /** Playwright's call log. */
  callLog?: string;
  /** Stack frames and properties. */
  details?: string;
}

const frame = /^\s+at\s\S|^\s*File "|^Traceback \(most recent call last\)/;

/** Splits an error's text into its message, Playwright's call log, and its frames. */
export function splitError(text: string): ErrorText {
  const lines = text.trimEnd().split('\n');
  const firstFrame = lines.findIndex((line, index) => index > 0 && frame.test(line));
  const head = firstFrame === -1 ? lines : lines.slice(0, firstFrame);
  const log = head.findIndex((line) => /^\s*Call log:\s*$/.test(line));
  const joined = (from: number, to?: number) => head.slice(from, to).join('\n').trimEnd();
  return {
    message: joined(0, log === -1 ? undefined : log),
    ...(log !== -1 && { callLog: joined(log + 1) }),
    ...(firstFrame !== -1 && { details: lines.slice(firstFrame).join('\n') }),
  };
}

/** Creates the view of an error: its message, the frames with links, and the call log folded. */
export function errorView(
  text: string,
  file: string | undefined,
  onReveal: (location: SourceLocation) => void,
): HTMLElement {
  const { message, callLog, details } = splitError(text);
  const links = createLinkFinder(file);
  const created = element('pre', {
    class: 'content',
    'data-part': 'error',
    tabindex: '0',
    'aria-label': l10n.t('error'),
  });
  created.append(element('div', { class: 'message' }, ...linkedNodes(links(message), onReveal)));
  if (details) created.append(element('div', { class: 'frames' }, ...linkedNodes(links(details), onReveal)));
  if (callLog) {
    const summary = element('summary', {}, l10n.t('Call log'));
    created.append(element('details', { class: 'call-log' }, summary, element('div', {}, callLog)));
  }
  return created;
}
