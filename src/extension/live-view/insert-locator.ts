import * as vscode from 'vscode';
import { isLocatorRequest, type Requests } from '../../webviews/live-view/messages.ts';
import { insertCode } from '../ui/insert-code.ts';
import type { RequestHandlers } from '../ui/webview-host.ts';
import type { LastEditor } from './last-editor.ts';

/** Returns the handler that takes a locator that is picked in a live view: into the editor that was used last, and to the clipboard. */
export function locatorInsertion(last: LastEditor): RequestHandlers<Pick<Requests, 'insertLocator'>> {
  return {
    insertLocator: {
      check: isLocatorRequest,
      async run({ javascript, python }) {
        const { editor } = last;
        const text = editor?.document.languageId === 'python' ? python : javascript;
        await vscode.env.clipboard.writeText(text);
        if (editor) await insertCode(text, editor.document.languageId, editor);
        return { text, inserted: editor !== undefined };
      },
    },
  };
}
