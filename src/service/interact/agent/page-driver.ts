import type { AddressPolicy } from '../../fetch/address-policy/address-policy.ts';
import { parseKey } from '../../page/keys.ts';
import { type Deadline, type Quietness, settle, watchQuietness } from '../../page/settle.ts';
import { attachTab, type Tab } from '../../page/tab.ts';
import type { BrowserHost } from '../../sessions/host.ts';
import { describeTree } from './snapshot.ts';

/** What an agent can do on the page in the newest tab. */
export interface PageDriver {
  /** Returns the page's title, URL and accessibility tree, with a ref for each element that can be acted on. */
  snapshot(): Promise<string>;
  click(ref: string): Promise<void>;
  fill(ref: string, text: string): Promise<void>;
  press(key: string): Promise<void>;
  select(ref: string, choice: string): Promise<void>;
  scroll(direction: 'up' | 'down'): Promise<void>;
  goTo(url: string): Promise<void>;
  runJavaScript(code: string): Promise<string>;
  readText(ref?: string): Promise<string>;
  close(): void;
}

interface Current {
  targetId: string;
  tab: Tab;
  quietness: Quietness;
  refs: Map<string, number>;
}

/** Drives the newest tab of a session's browser. When the page opens a tab, continues in that one. */
export function createPageDriver(host: BrowserHost, policy: AddressPolicy, deadline: Deadline): PageDriver {
  let current: Current | undefined;

  async function page(): Promise<Current> {
    const newest = host.tabs.list().findLast(({ url }) => url !== '') ?? host.tabs.list().at(-1);
    if (!newest) throw new Error('The browser has no open tabs.');
    if (current?.targetId === newest.targetId) return current;
    leave();
    const tab = await attachTab(host.client, newest.targetId, { close: async () => undefined });
    current = { targetId: newest.targetId, tab, quietness: watchQuietness(tab), refs: new Map() };
    return current;
  }

  function leave(): void {
    current?.quietness.stop();
    void current?.tab.send('Target.detachFromTarget').catch(() => undefined);
    current = undefined;
  }

  async function element(ref: string): Promise<{ tab: Tab; backendNodeId: number }> {
    const { tab, refs } = await page();
    const backendNodeId = refs.get(ref.trim().replace(/^[@[]|\]$/g, ''));
    if (backendNodeId === undefined)
      throw new Error(`There is no element ${ref} in the last snapshot. Take a new snapshot.`);
    return { tab, backendNodeId };
  }

  /** Calls a function in the page, with an element as `this`. */
  async function call<Value>(ref: string, declaration: string, ...values: unknown[]): Promise<Value> {
    const { tab, backendNodeId } = await element(ref);
    const { object } = await tab.send<{ object: { objectId: string } }>('DOM.resolveNode', { backendNodeId });
    const { result, exceptionDetails } = await tab.send<{
      result: { value: Value };
      exceptionDetails?: { text: string; exception?: { description?: string } };
    }>('Runtime.callFunctionOn', {
      objectId: object.objectId,
      functionDeclaration: declaration,
      arguments: values.map((value) => ({ value })),
      returnByValue: true,
      awaitPromise: true,
      userGesture: true,
    });
    if (exceptionDetails) throw new Error(firstLine(exceptionDetails.exception?.description ?? exceptionDetails.text));
    return result.value;
  }

  async function afterwards(): Promise<void> {
    const { quietness } = await page();
    await settle(quietness, deadline);
  }

  return {
    async snapshot() {
      const found = await page();
      const { nodes } = await found.tab.send<{ nodes: never[] }>('Accessibility.getFullAXTree');
      const { text, refs } = describeTree(nodes);
      found.refs = refs;
      const { url, title } = await found.tab.evaluate<{ url: string; title: string }>(
        '({ url: location.href, title: document.title })',
      );
      return `Page: ${title}\nAddress: ${url}\n\n${text}`;
    },
    async click(ref) {
      const { tab, backendNodeId } = await element(ref);
      await tab.send('DOM.scrollIntoViewIfNeeded', { backendNodeId });
      const { quads } = await tab.send<{ quads: number[][] }>('DOM.getContentQuads', { backendNodeId });
      const [quad] = quads;
      if (!quad) throw new Error(`${ref} isn't visible, so it can't be clicked.`);
      const middle = (axis: 0 | 1) => ((quad[axis] ?? 0) + (quad[axis + 4] ?? 0)) / 2;
      for (const type of ['mouseMoved', 'mousePressed', 'mouseReleased']) {
        await tab.send('Input.dispatchMouseEvent', { type, x: middle(0), y: middle(1), button: 'left', clickCount: 1 });
      }
      await afterwards();
    },
    async fill(ref, text) {
      await call(ref, fillScript, text);
      await afterwards();
    },
    async press(name) {
      const key = parseKey(name);
      if (!key)
        throw new Error(`"${name.slice(0, 40)}" isn't a known key. Use names such as Enter, Tab, ArrowDown or a.`);
      const { tab } = await page();
      const { stroke, modifiers } = key;
      const { text, ...silent } = stroke;
      await tab.send('Input.dispatchKeyEvent', {
        type: text === undefined ? 'rawKeyDown' : 'keyDown',
        ...stroke,
        modifiers,
      });
      await tab.send('Input.dispatchKeyEvent', { type: 'keyUp', ...silent, modifiers });
      await afterwards();
    },
    async select(ref, choice) {
      await call(ref, selectScript, choice);
      await afterwards();
    },
    async scroll(direction) {
      const { tab } = await page();
      await tab.evaluate(`scrollBy({ top: ${direction === 'up' ? -1 : 1} * innerHeight * 0.9, behavior: 'instant' })`);
      await afterwards();
    },
    async goTo(text) {
      const url = URL.parse(text);
      if (!url || !/^https?:$/.test(url.protocol)) throw new Error('Only http and https URLs can be opened.');
      policy.checkUrl(url);
      await policy.checkHost(url.hostname, Number(url.port) || (url.protocol === 'https:' ? 443 : 80));
      const { tab } = await page();
      const { errorText } = await tab.send<{ errorText?: string }>('Page.navigate', { url: url.href });
      if (errorText) throw new Error(`The page could not be loaded: ${errorText}`);
      await afterwards();
    },
    async runJavaScript(code) {
      const { tab } = await page();
      const expression = `(async () => { const value = await (0, eval)(${JSON.stringify(/\breturn\b/.test(code) ? `(async () => { ${code} })()` : code)}); return typeof value === 'string' ? value : JSON.stringify(value) ?? String(value); })()`;
      const value = await tab.evaluate<string>(expression);
      await afterwards();
      return value;
    },
    async readText(ref) {
      if (ref) return await call<string>(ref, 'function () { return this.innerText ?? this.textContent ?? ""; }');
      const { tab } = await page();
      return await tab.evaluate<string>('document.body?.innerText ?? ""');
    },
    close: leave,
  };
}

/** Sets a value as typing would, in a way that page frameworks notice. */
const fillScript = `function (text) {
  this.focus?.();
  if (this.isContentEditable) { this.textContent = text; }
  else if ('value' in this && this.tagName !== 'SELECT' && this.tagName !== 'BUTTON') {
    if (this.disabled || this.readOnly) throw new Error('The element is disabled or read-only.');
    const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(this), 'value');
    set.call(this, text);
  } else throw new Error('The element is not a field that can be filled.');
  this.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, data: text, inputType: 'insertText' }));
  this.dispatchEvent(new Event('change', { bubbles: true }));
}`;

const selectScript = `function (choice) {
  if (this.tagName !== 'SELECT') throw new Error('The element is not a list to select from.');
  const option = [...this.options].find((each) => each.label.trim() === choice.trim()) ?? [...this.options].find((each) => each.value === choice);
  if (!option) throw new Error('The list has no option "' + choice.slice(0, 80) + '". Its options: ' + [...this.options].slice(0, 30).map((each) => each.label).join(', '));
  option.selected = true;
  this.dispatchEvent(new Event('input', { bubbles: true }));
  this.dispatchEvent(new Event('change', { bubbles: true }));
}`;

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').replace(/^Error: /, '').slice(0, 500);
}
