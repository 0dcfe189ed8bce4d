import { type CoreDriver, type Counted, isVisible, refIn, until } from './driver.ts';

/** Web Data's own tools. */
export function webData(mcp: Counted): CoreDriver {
  let page = '';
  const act = async (name: string, args: object) => {
    page = await mcp.call(name, args);
  };
  const ref = async (selector: string) => {
    if (!/\[e\d+\]/.test(page)) page = await mcp.call('page_snapshot');
    return refIn(page, selector, /\[(e\d+)\]/);
  };
  const run = async (code: string) => {
    const text = await mcp.call('run_code', { code });
    return /^BEGIN untrusted output (\w+)\n([\s\S]*)\nEND untrusted output \1$/m.exec(text)?.[2] ?? '';
  };
  const tab = async (args: object) => await mcp.call('page_tab', args);
  const numbers = (text: string) => [...text.matchAll(/^([*-]) (\d+) /gm)];
  return {
    goto: (url) => act('page_navigate', { url }),
    history: (to) => act('page_navigate', { url: to }),
    evaluate: async (expression) => JSON.parse(await run(`JSON.stringify(await page.evaluate(${quote(expression)}))`)),
    async screenshot() {
      const { images } = await mcp.whole('page_screenshot');
      return Buffer.from(images[0]?.data ?? '', 'base64');
    },
    resize: async (width, height) =>
      void (await run(`await page.setViewportSize({ width: ${width}, height: ${height} })`)),
    async waitFor(selector, ms) {
      const text = await mcp.call('page_wait', { selector, seconds: Math.ceil(ms / 1000) });
      if (!text.includes('It is so.')) throw new Error('It did not become visible.');
    },
    click: async (selector) => await act('page_click', { ref: await ref(selector) }),
    clickAt: async (x, y) => void (await run(`await page.mouse.click(${x}, ${y})`)),
    hoverAt: async (x, y) => void (await run(`await page.mouse.move(${x}, ${y})`)),
    scroll: async (x, y, deltaX, deltaY) =>
      void (await run(`await page.mouse.move(${x}, ${y}); await page.mouse.wheel(${deltaX}, ${deltaY})`)),
    type: async (selector, text) => await act('page_type', { ref: await ref(selector), text }),
    press: (key) => act('page_press', { key }),
    tabs: async () => numbers(await tab({ do: 'list' })).map(([, , number = '']) => number),
    async newTab() {
      return numbers(await tab({ do: 'new' })).find(([, mark]) => mark === '*')?.[2] ?? '';
    },
    selectTab: async (id) => void (await tab({ do: 'select', tab: Number(id) })),
    async reset() {
      for (let open = await this.tabs(); open.length > 1; open = await this.tabs())
        await tab({ do: 'close', tab: open.length });
      page = '';
    },
  };
}

/** `@playwright/mcp`, with its tools for coordinates. */
export function playwrightMcp(mcp: Counted): CoreDriver {
  const evaluate = async (expression: string) => {
    const text = await mcp.call('browser_evaluate', { function: `() => (${expression})` });
    return JSON.parse(/### Result\n([\s\S]*?)(?:\n### |$)/.exec(text)?.[1]?.trim() ?? 'null');
  };
  const listed = (text: string) => [...text.matchAll(/^- (\d+):/gm)].map(([, index = '']) => index);
  return {
    goto: async (url) => void (await mcp.call('browser_navigate', { url })),
    async history(to) {
      if (to === 'back') await mcp.call('browser_navigate_back');
      else await evaluate(to === 'forward' ? 'void history.forward() ?? 1' : 'void location.reload() ?? 1');
      if (to !== 'back') await until(() => evaluate("document.readyState === 'complete'").catch(() => false), 5_000);
    },
    evaluate,
    async screenshot() {
      const { images } = await mcp.whole('browser_take_screenshot');
      return Buffer.from(images[0]?.data ?? '', 'base64');
    },
    resize: async (width, height) => void (await mcp.call('browser_resize', { width, height })),
    waitFor: (selector, ms) => until(() => evaluate(isVisible(selector)), ms),
    click: async (selector) => void (await mcp.call('browser_click', { element: selector, target: selector })),
    clickAt: async (x, y) => void (await mcp.call('browser_mouse_click_xy', { x, y })),
    hoverAt: async (x, y) => void (await mcp.call('browser_mouse_move_xy', { x, y })),
    async scroll(x, y, deltaX, deltaY) {
      await mcp.call('browser_mouse_move_xy', { x, y });
      await mcp.call('browser_mouse_wheel', { deltaX, deltaY });
    },
    type: async (selector, text) =>
      void (await mcp.call('browser_type', { element: selector, target: selector, text })),
    press: async (key) => void (await mcp.call('browser_press_key', { key })),
    tabs: async () => listed(await mcp.call('browser_tabs', { action: 'list' })),
    newTab: async () => listed(await mcp.call('browser_tabs', { action: 'new' })).at(-1) ?? '',
    selectTab: async (id) => void (await mcp.call('browser_tabs', { action: 'select', index: Number(id) })),
    async reset() {
      for (let open = await this.tabs(); open.length > 1; open = await this.tabs())
        await mcp.call('browser_tabs', { action: 'close', index: open.length - 1 });
    },
  };
}

/** `chrome-devtools-mcp`. It has no tools for coordinates: scripts do the same there. */
export function chromeDevTools(mcp: Counted): CoreDriver {
  let pageId = 0;
  const listed = (text: string) => [...text.matchAll(/^(\d+): /gm)].map(([, id = '']) => id);
  const list = async () => listed(await mcp.call('list_pages'));
  const on = async (name: string, args: object = {}) => {
    if (pageId === 0) pageId = Number((await list()).at(-1));
    return await mcp.call(name, { pageId, ...args });
  };
  const evaluate = async (expression: string) => {
    const text = await on('evaluate_script', { function: `() => (${expression})` });
    return JSON.parse(/```json\n([\s\S]*?)\n```/.exec(text)?.[1] ?? 'null');
  };
  const uid = async (selector: string) => refIn(await on('take_snapshot'), selector, /uid=(\S+)/);
  const at = (x: number, y: number) => `document.elementFromPoint(${x}, ${y})`;
  return {
    goto: async (url) => void (await on('navigate_page', { type: 'url', url })),
    history: async (to) => void (await on('navigate_page', { type: to })),
    evaluate,
    async screenshot() {
      if (pageId === 0) pageId = Number((await list()).at(-1));
      const { images } = await mcp.whole('take_screenshot', { pageId });
      return Buffer.from(images[0]?.data ?? '', 'base64');
    },
    resize: async (width, height) => void (await on('emulate', { viewport: `${width}x${height}x1` })),
    waitFor: (selector, ms) => until(() => evaluate(isVisible(selector)), ms),
    click: async (selector) => void (await on('click', { uid: await uid(selector) })),
    clickAt: async (x, y) => void (await evaluate(`${at(x, y)}.click() ?? 1`)),
    hoverAt: async (x, y) => {
      const id = String(await evaluate(`'#' + ${at(x, y)}.id`));
      await on('hover', { uid: await uid(id) });
    },
    scroll: async (_x, _y, deltaX, deltaY) => void (await evaluate(`scrollBy(${deltaX}, ${deltaY}) ?? 1`)),
    type: async (selector, text) => void (await on('fill', { uid: await uid(selector), value: text })),
    press: async (key) => void (await on('press_key', { key })),
    tabs: list,
    async newTab() {
      const before = await list();
      await mcp.call('new_page', { url: 'about:blank' });
      const id = (await list()).find((each) => !before.includes(each)) ?? '';
      pageId = Number(id);
      return id;
    },
    async selectTab(id) {
      pageId = Number(id);
      await mcp.call('select_page', { pageId });
    },
    async reset() {
      for (let open = await list(); open.length > 1; open = await list())
        await mcp.call('close_page', { pageId: Number(open.at(-1)) });
      pageId = 0;
    },
  };
}

const quote = (text: string) => JSON.stringify(text);
