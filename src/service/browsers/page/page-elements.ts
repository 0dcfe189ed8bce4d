/**
 * Declares functions for scripts that look at a page: `parentOf` and `childrenOf`, which read the tree itself, as a form has its
 * fields with these names as properties, and `selectorOf`.
 */
export const pageElements = `
  const readerOf = ({ prototype }, property) => {
    const { get } = Object.getOwnPropertyDescriptor(prototype, property);
    return (element) => get.call(element);
  };
  const parentOf = readerOf(Node, 'parentElement'), childrenOf = readerOf(Element, 'children'), tagOf = readerOf(Element, 'localName');

  /** Returns a selector of an element: a short one if it is the first that this finds, else its place. */
  function selectorOf(element) {
    const name = element.getAttribute('aria-label');
    const classes = [...element.classList].map((each) => '.' + CSS.escape(each)).join('');
    const tag = CSS.escape(element.localName);
    const own = element.id ? '#' + CSS.escape(element.id) : tag + (name ? '[aria-label=' + JSON.stringify(name) + ']' : classes);
    if (own.length <= 500 && document.querySelector(own) === element) return own;
    const steps = [];
    for (let each = element; each && each !== document.body; each = parentOf(each)) {
      const alike = [...childrenOf(parentOf(each))].filter((one) => tagOf(one) === tagOf(each));
      steps.unshift(CSS.escape(tagOf(each)) + ':nth-of-type(' + (1 + alike.indexOf(each)) + ')');
    }
    return ['body', ...steps].join(' > ');
  }
`;
