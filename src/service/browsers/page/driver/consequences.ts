/** What acting on an element could lead to, and how it is found again. */
export interface Consequences {
  /** URLs that it leads to: of a link, or of the form that it submits. */
  targets: string[];
  /** Whether it may submit a form with a password. */
  submitsPassword: boolean;
  /** Whether what is typed into it is a password. */
  isPassword: boolean;
  /** The text of its label, and its place among the fields with the same label. */
  label?: string;
  labelNth?: number;
  css: string;
}

/**
 * Reads them, with the element as `this`. `how` is `click`, `Enter` (pressed in it) or `none`. Where a page has a password
 * that isn't in a form, or that belongs to the form around the element, anything but a field, a label or a link may submit it.
 */
export const consequencesScript = `function (how) {
  const element = this.nodeType === 1 ? this : this.parentElement;
  const root = element.getRootNode();
  const control = element.closest('button, input, select, textarea, label, a[href], summary, [role=button], [contenteditable]') || element;
  const isSecret = (field) => field.type === 'password' || /(^|\\s)(current|new)-password(\\s|$)/.test(field.autocomplete || '');
  const form = control.form || element.closest('form');
  const secretsIn = (within) => [...within.querySelectorAll('input')].filter(isSecret);
  const type = control.tagName === 'BUTTON' || control.tagName === 'INPUT' ? control.type : '';
  const isSubmit = !!form && /^(submit|image)$/.test(type);
  const isField = /^(INPUT|SELECT|TEXTAREA)$/.test(control.tagName) && !/^(submit|image|button)$/.test(type);
  const isPlain = isField || control.tagName === 'LABEL' || control.tagName === 'SUMMARY' || type === 'reset' || (control.tagName === 'A' && /^https?:$/.test(control.protocol));
  const submits = how === 'click' ? isSubmit : how === 'Enter' && !!form && isField && control.tagName !== 'TEXTAREA' && control.tagName !== 'SELECT';
  let submitsPassword = submits && (secretsIn(form).length > 0 || [...form.elements].some(isSecret));
  const acts = (how === 'click' && !isPlain) || (how === 'Enter' && (isField || !isPlain));
  if (!submitsPassword && acts) {
    const filled = secretsIn(root).filter((field) => field.value !== '');
    submitsPassword = filled.some((field) => !field.form || field.form === form || !form);
  }
  const targets = [];
  const link = element.closest('a[href], area[href]');
  if (how !== 'none' && link && /^https?:$/.test(link.protocol)) targets.push(link.href);
  if (submits) targets.push(control.formAction && control.hasAttribute('formaction') ? control.formAction : form.action || root.baseURI || location.href);
  const labelOf = (field) => {
    const text = field.getAttribute('aria-label') || (field.labels && field.labels[0] ? [...field.labels[0].childNodes].filter((node) => !node.contains(field)).map((node) => node.textContent).join(' ') : '');
    return text.replace(/\\s+/g, ' ').trim().slice(0, 200);
  };
  const label = isField || element.isContentEditable ? labelOf(element) : '';
  const same = label ? [...root.querySelectorAll('input, select, textarea, [contenteditable]')].filter((field) => labelOf(field) === label) : [];
  const path = [];
  for (let at = element; at && at.nodeType === 1; at = at.parentElement) {
    const unique = (selector) => { try { return root.querySelectorAll(selector).length === 1; } catch { return false; } };
    const test = at.getAttribute('data-testid');
    const id = at.id && '#' + CSS.escape(at.id);
    const name = at.getAttribute('name') && at.tagName.toLowerCase() + '[name=' + JSON.stringify(at.getAttribute('name')) + ']';
    const own = [test && '[data-testid=' + JSON.stringify(test) + ']', id, name].find((selector) => selector && unique(selector));
    if (own) { path.unshift(own); break; }
    const siblings = at.parentElement ? [...at.parentElement.children].filter((other) => other.tagName === at.tagName) : [];
    path.unshift(at.tagName.toLowerCase() + (siblings.length > 1 ? ':nth-of-type(' + (siblings.indexOf(at) + 1) + ')' : ''));
  }
  return {
    targets, submitsPassword, isPassword: isSecret(element), css: path.join(' > '),
    ...(label && { label, ...(same.length > 1 && { labelNth: same.indexOf(element) }) }),
  };
}`;
