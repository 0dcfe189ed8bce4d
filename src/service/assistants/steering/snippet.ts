import type { Language } from '../../../contract/sessions/execution.ts';

/** How an element is found again. */
export interface Located {
  /** Its ARIA role and name in the page's snapshot, if it has both. */
  role?: string | undefined;
  name?: string | undefined;
  /** Its place among the elements with that role and name, from 0; undefined if it is the only one. */
  nth?: number | undefined;
  /** The text of its label, for fields. */
  label?: string | undefined;
  /** A CSS selector of it within its document. */
  css: string;
  /** CSS selectors of the frames around it, the outermost first. */
  frames: readonly string[];
}

/** What an agent has done in a session. */
export type RecordedAction =
  | { kind: 'navigate'; to: string }
  | { kind: 'click'; how: 'click' | 'double' | 'right' | 'hover'; on: Located }
  /** `text` is undefined if it was typed into a password field. */
  | { kind: 'type'; on: Located; text: string | undefined; submit: boolean }
  | { kind: 'select'; on: Located; options: readonly string[] }
  | { kind: 'press'; key: string }
  | { kind: 'wait'; text: string | undefined; selector: string | undefined; gone: boolean }
  | { kind: 'dialog'; accept: boolean; text: string | undefined }
  | { kind: 'tab'; what: 'new' | 'select' | 'close'; tab: number }
  | { kind: 'upload'; on: Located; paths: readonly string[] }
  | { kind: 'run'; language: Language; code: string };

/** Writes what an agent did as a script for Node.js with Playwright, with a cell for each run of code. */
export function writeSnippet(agent: string, actions: readonly RecordedAction[]): string {
  const lines = [
    `// What ${oneLine(agent)} did in a browser session. \`page\`, \`context\` and \`browser\` are ready to use.`,
  ];
  if (actions.some((action) => action.kind === 'type' && action.text === undefined))
    lines.push('// Passwords were not recorded: set the environment variable PASSWORD.');
  if (actions.length === 0) lines.push('', '// Nothing was recorded.');
  let inCode = true;
  for (const action of actions) {
    if (action.kind === 'run') {
      lines.push('', '// %% Code', ...writeCode(action));
      inCode = true;
      continue;
    }
    if (inCode) lines.push('', '// %% Page');
    inCode = false;
    lines.push(writeAction(action));
  }
  return `${lines.join('\n')}\n`;
}

function writeCode({ language, code }: Extract<RecordedAction, { kind: 'run' }>): string[] {
  const lines = code.trimEnd().split('\n');
  if (language === 'node') return lines;
  const name = language === 'python' ? 'Python' : 'Bash';
  return [`// This was ${name}; run it in a file of its own:`, ...lines.map((line) => `//   ${line}`.trimEnd())];
}

function writeAction(action: Exclude<RecordedAction, { kind: 'run' }>): string {
  switch (action.kind) {
    case 'navigate': {
      const moves: Record<string, string> = { back: 'goBack()', forward: 'goForward()', reload: 'reload()' };
      return `await page.${moves[action.to] ?? `goto(${quoted(action.to)})`};`;
    }
    case 'click': {
      const method = { click: 'click()', double: 'dblclick()', right: "click({ button: 'right' })", hover: 'hover()' };
      return `await ${locator(action.on)}.${method[action.how]};`;
    }
    case 'type': {
      const field = locator(action.on);
      const text = action.text === undefined ? "process.env.PASSWORD ?? ''" : quoted(action.text);
      return `await ${field}.fill(${text});${action.submit ? `\nawait ${field}.press('Enter');` : ''}`;
    }
    case 'select': {
      const labels = action.options.map((label) => `{ label: ${quoted(label)} }`);
      return `await ${locator(action.on)}.selectOption(${labels.length === 1 ? labels[0] : `[${labels.join(', ')}]`});`;
    }
    case 'press':
      return `await page.keyboard.press(${quoted(action.key)});`;
    case 'wait': {
      const { text, selector, gone } = action;
      const options = gone ? "{ state: 'hidden' }" : '';
      const waits = [
        ...(text === undefined ? [] : [`await page.getByText(${quoted(text)}).first().waitFor(${options});`]),
        ...(selector === undefined ? [] : [`await page.locator(${quoted(selector)}).first().waitFor(${options});`]),
      ];
      return waits.join('\n') || "await page.waitForLoadState('networkidle');";
    }
    case 'dialog': {
      const answer = action.accept ? `accept(${action.text === undefined ? '' : quoted(action.text)})` : 'dismiss()';
      return `page.removeAllListeners('dialog').on('dialog', (dialog) => dialog.${answer});`;
    }
    case 'tab': {
      const { what, tab } = action;
      if (what === 'new') return 'page = await context.newPage();';
      if (what === 'select') return `page = context.pages()[${tab - 1}];`;
      return `await context.pages()[${tab - 1}].close();\nif (page.isClosed()) page = context.pages().at(-1);`;
    }
    case 'upload': {
      const files = action.paths.map(quoted).join(', ');
      return `{\n  const chooser = page.waitForEvent('filechooser');\n  await ${locator(action.on)}.click();\n  await (await chooser).setFiles([${files}]);\n}`;
    }
  }
}

/** Writes a locator: by role and name, else by label, else by CSS. */
export function locator({ role, name, nth, label, css, frames }: Located): string {
  const base = ['page', ...frames.map((frame) => `locator(${quoted(frame)}).contentFrame()`)].join('.');
  const which = nth === undefined ? '' : `.nth(${nth})`;
  if (role && name) return `${base}.getByRole(${quoted(role)}, { name: ${quoted(name)}, exact: true })${which}`;
  if (label) return `${base}.getByLabel(${quoted(label)}, { exact: true })${which}`;
  return `${base}.locator(${quoted(css)})`;
}

/** Roles of snapshots that Playwright finds elements by. */
const roles = new Set([
  ...['button', 'link', 'checkbox', 'radio', 'switch', 'option', 'tab', 'treeitem', 'menuitem'],
  ...['menuitemcheckbox', 'menuitemradio', 'textbox', 'searchbox', 'combobox', 'listbox', 'slider', 'spinbutton'],
]);

/** Returns the role and the name of an element in the outline of a page, and its place among those that have the same. */
export function namedIn(outline: string, ref: string): Pick<Located, 'role' | 'name' | 'nth'> {
  const id = ref.replace(/^[@[]+|\]$/g, '');
  // From the start of a word only: a page may have a very long one.
  const [, role, name] = new RegExp(`(?<![\\w-])([\\w-]+) "([^"\\n]*)" \\[${id}\\]`).exec(outline) ?? [];
  // Long names are cut.
  if (!role || !name || !roles.has(role) || name.endsWith('…')) return {};
  const alike = [...outline.matchAll(/(?<![\w-])([\w-]+) "([^"\n]*)" \[(e\d+)\]/g)]
    .filter(([, otherRole, otherName]) => otherRole === role && otherName === name)
    .map(([, , , other]) => other);
  return { role, name, ...(alike.length > 1 && { nth: alike.indexOf(id) }) };
}

function quoted(text: string): string {
  return `'${text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replaceAll(/[\n\r\u2028\u2029]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)}'`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 100);
}
