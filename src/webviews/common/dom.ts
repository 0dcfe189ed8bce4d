type Child = Node | string | undefined | false;

/** Creates an element with attributes and children. Strings become text, never markup. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | boolean | undefined>> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) created.setAttribute(key, '');
    else if (typeof value === 'string') created.setAttribute(key, value);
  }
  created.append(...children.filter((child): child is Node | string => child !== undefined && child !== false));
  return created;
}

/** Sets the children of an element. Those that stay aren't moved, so that they keep their focus, scrolling and selection. */
export function setChildren(parent: Element, wanted: readonly Node[]): void {
  const staying = new Set(wanted);
  for (const child of [...parent.childNodes]) if (!staying.has(child)) child.remove();
  for (const [index, node] of wanted.entries()) {
    const there = parent.childNodes[index] ?? null;
    if (there !== node) parent.insertBefore(node, there);
  }
}

/** Creates a button with a codicon. Its name is the tooltip and the accessible name. */
export function iconButton(icon: string, name: string, onPress: () => void): HTMLButtonElement {
  return pressable({ class: 'icon-button', title: name, 'aria-label': name }, onPress, codicon(icon));
}

/** Creates a button with a text label. `style` is its class: also `button secondary`. */
export function textButton(name: string, onPress: () => void, style = 'button'): HTMLButtonElement {
  return pressable({ class: style }, onPress, name);
}

/** Creates a button that looks like a link. */
export function linkButton(name: string, onPress: () => void): HTMLButtonElement {
  return textButton(name, onPress, 'link-button');
}

/** Creates a button with attributes and children. */
export function pressable(
  attributes: Readonly<Record<string, string | undefined>>,
  onPress: () => void,
  ...children: Child[]
): HTMLButtonElement {
  const button = element('button', { type: 'button', ...attributes }, ...children);
  button.addEventListener('click', onPress);
  return button;
}

export function codicon(name: string): HTMLElement {
  return element('span', { class: `codicon codicon-${name}`, 'aria-hidden': 'true' });
}
