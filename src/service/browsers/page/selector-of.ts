/** A function for pages that returns a selector of an element: a short one if it is the first that this finds, else its place. */
export const selectorOf = `(element) => {
  const name = element.getAttribute('aria-label');
  const classes = [...element.classList].map((each) => '.' + CSS.escape(each)).join('');
  const own = element.id ? '#' + CSS.escape(element.id)
    : element.localName + (name ? '[aria-label=' + JSON.stringify(name) + ']' : classes);
  if (document.querySelector(own) === element) return own;
  const steps = [];
  for (let each = element; each.localName !== 'body'; each = each.parentElement)
    steps.unshift(each.localName + ':nth-of-type(' +
      (1 + [...each.parentElement.children].filter(({ localName }) => localName === each.localName).indexOf(each)) + ')');
  return ['body', ...steps].join(' > ');
}`;
