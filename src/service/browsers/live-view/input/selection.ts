/** Maximum length of the returned text, in characters. */
const maxLength = 1_000_000;

/**
 * Returns JavaScript that evaluates to the page's selected text and, for `cut`, removes it. Run it in an isolated world,
 * so that the page's scripts can't see or change it. It never returns text from password fields.
 */
export function selectionExpression(cut: boolean): string {
  return `(${readSelection})(${cut}, ${maxLength})`;
}

/** JavaScript that sets `field` to the element with the focus, also inside shadow trees and frames, and `root` to its document. */
export const activeElementScript = `
  let root = document;
  let field = root.activeElement;
  for (;;) {
    let inner;
    try {
      inner = field?.shadowRoot ?? field?.contentDocument;
    } catch {}
    if (!inner?.activeElement) break;
    if (field.contentDocument) root = inner;
    field = inner.activeElement;
  }`;

const readSelection = `(cut, maxLength) => {${activeElementScript}
  const isField = field?.tagName === 'TEXTAREA' || (field?.tagName === 'INPUT' && field.type !== 'password');
  let text = '';
  if (isField) {
    try {
      text = field.value.slice(field.selectionStart, field.selectionEnd);
    } catch {}
  } else if (field?.tagName !== 'INPUT') text = String(root.getSelection() ?? '');
  if (cut && text && (isField || field?.isContentEditable)) root.execCommand('delete');
  return text.slice(0, maxLength);
}`;
