/** Characters of a selection that are handed over. */
const most = 1_000_000;

/**
 * JavaScript that gives the selected text of the page and, for `cut`, removes it. It runs in a world of its own, where the
 * page's scripts cannot see or change it. Passwords are not handed over.
 */
export function selectionExpression(cut: boolean): string {
  return `(${readSelection})(${cut}, ${most})`;
}

const readSelection = `(cut, most) => {
  let place = document;
  let field = place.activeElement;
  for (;;) {
    let inner;
    try {
      inner = field?.shadowRoot ?? field?.contentDocument;
    } catch {}
    if (!inner?.activeElement) break;
    if (field.contentDocument) place = inner;
    field = inner.activeElement;
  }
  const isField = field?.tagName === 'TEXTAREA' || (field?.tagName === 'INPUT' && field.type !== 'password');
  let text = '';
  if (isField) {
    try {
      text = field.value.slice(field.selectionStart, field.selectionEnd);
    } catch {}
  } else if (field?.tagName !== 'INPUT') text = String(place.getSelection() ?? '');
  if (cut && text && (isField || field?.isContentEditable)) place.execCommand('delete');
  return text.slice(0, most);
}`;
