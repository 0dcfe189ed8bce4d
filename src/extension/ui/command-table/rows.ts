/** A command: all that VS Code, the docs and the handlers know of it. */
export interface CommandRow {
  /** In English and Chinese. A command without a title is internal: code and links run it, VS Code doesn't list it. */
  title?: readonly [string, string];
  /** What the docs say of it, in Markdown. */
  does?: string;
  /** Name of a codicon. */
  icon?: string;
  /** True if it also works in Restricted Mode. */
  free?: true;
  /** Clause for when it can run, besides trust. */
  enabled?: string;
  /** Clause for when the palette lists it; false for never. By default: while it is enabled. */
  palette?: string | false;
  menus?: readonly MenuEntry[][];
  keys?: { key: string; mac?: string; when: string /** What the docs add. */; where?: string };
}

export interface MenuEntry {
  menu: string;
  group: string;
  when: string;
}

const code = '/^(javascript|typescript|python|shellscript)$/';
/** The active editor has code that can run. */
export const editorCode = `editorLangId =~ ${code}`;
/** The file of a menu has code that can run. */
export const fileCode = `resourceLangId =~ ${code}`;

/** An entry of a menu that isn't a view's. */
export function at(menu: string, group: string, when: string): MenuEntry[] {
  return [{ menu, group, when }];
}

/** A button or a menu entry in the title bar of a view. */
export function bar(view: string, group: string, when?: string): MenuEntry[] {
  return [{ menu: 'view/title', group, when: `view == webdata.${view}${when ? ` && ${when}` : ''}` }];
}

/** Buttons (`inline`) and menu entries of rows. `item` matches the context values of the rows. */
export function row(views: string, item: RegExp | string, ...groups: string[]): MenuEntry[] {
  const names = views.split(' ');
  const view = names.length === 1 ? `== webdata.${views}` : `=~ /^webdata\\.(${names.join('|')})$/`;
  const items = typeof item === 'string' ? item : `viewItem =~ ${item}`;
  return groups.map((group) => ({ menu: 'view/item/context', group, when: `view ${view} && ${items}` }));
}
