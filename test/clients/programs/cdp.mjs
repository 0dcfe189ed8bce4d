// Drives sessions by their cdpUrl with browser clients, and prints what each saw, one line of JSON a client.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { WebSocket } from 'ws';
import { print } from './report.mjs';

const { folder, baseUrl, apiKey, site, agentBrowser } = JSON.parse(process.env.CLIENT_INPUT);
const require = createRequire(join(folder, 'package.json'));
const form = `${site}/form`;

async function api(method, path, body) {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return await response.json();
}

/** Reports what a client saw in a session of its own. */
async function drive(method, shows, work) {
  const { id, cdpUrl } = await api('POST', '/v2/browser', {});
  try {
    print({ method, shows, value: await work(cdpUrl, id) });
  } catch (error) {
    print({ method, shows, error: { message: error.stack } });
  } finally {
    await api('DELETE', `/v2/browser/${id}`);
  }
}

async function playwright(cdpUrl) {
  const browser = await chromium.connectOverCDP(cdpUrl);
  const [page] = browser.contexts()[0].pages();
  await page.goto(form);
  await page.getByLabel('Name').fill('Ada');
  await page.getByRole('button', { name: 'Book' }).click();
  const title = await page.title();
  const text = await page.locator('p').textContent();
  const image = await page.screenshot();
  await browser.close();
  return { title, text, screenshot: image.length > 1000 };
}

const puppeteerWith = (options) => async (cdpUrl) => {
  const browser = await puppeteer.connect({ browserWSEndpoint: cdpUrl, defaultViewport: null, ...options });
  const [page] = await browser.pages();
  await page.goto(form);
  await page.type('#name', 'Ada');
  await page.click('button');
  const title = await page.title();
  const text = await page.$eval('p', (element) => element.textContent);
  const image = await page.screenshot();
  await browser.disconnect();
  return { title, text, screenshot: image.length > 1000 };
};

/** What Stagehand and the like send: plain CDP, with targets that wait for their scripts. */
async function plainCdp(cdpUrl) {
  const socket = new WebSocket(cdpUrl);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const pending = new Map();
  const attached = Promise.withResolvers();
  let last = 0;
  const send = (method, params = {}, sessionId = undefined) =>
    new Promise((resolve, reject) => {
      pending.set(++last, { resolve, reject });
      socket.send(JSON.stringify({ id: last, method, params, ...(sessionId && { sessionId }) }));
    });
  const loaded = Promise.withResolvers();
  socket.on('message', async (data) => {
    const { id, method, params, result, error } = JSON.parse(String(data));
    if (id !== undefined)
      return error ? pending.get(id).reject(new Error(error.message)) : pending.get(id).resolve(result);
    if (method === 'Page.lifecycleEvent' && params.name === 'networkAlmostIdle') loaded.resolve();
    if (method !== 'Target.attachedToTarget' || params.targetInfo.type !== 'page') return;
    const { sessionId } = params;
    await send('Page.enable', {}, sessionId);
    await send('Page.setLifecycleEventsEnabled', { enabled: true }, sessionId);
    await send(
      'Page.addScriptToEvaluateOnNewDocument',
      { source: 'window.marked = 1', runImmediately: true },
      sessionId,
    );
    await send('Runtime.enable', {}, sessionId);
    await send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }, sessionId);
    await send('Runtime.runIfWaitingForDebugger', {}, sessionId);
    attached.resolve(sessionId);
  });
  await send('Target.setDiscoverTargets', { discover: true });
  await send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
  const session = await attached.promise;
  const { frameTree } = await send('Page.getFrameTree', {}, session);
  await send('Page.navigate', { url: form, frameId: frameTree.frame.id }, session);
  await loaded.promise;
  const { executionContextId } = await send(
    'Page.createIsolatedWorld',
    { frameId: frameTree.frame.id, worldName: 'agent' },
    session,
  );
  await send('DOM.enable', {}, session);
  const { root } = await send('DOM.getDocument', { depth: -1, pierce: true }, session);
  await send('Accessibility.enable', {}, session);
  const { nodes } = await send('Accessibility.getFullAXTree', {}, session);
  const box = async (selector) => {
    const { nodeId } = await send('DOM.querySelector', { nodeId: root.nodeId, selector }, session);
    const { model } = await send('DOM.getBoxModel', { nodeId }, session);
    return { x: (model.content[0] + model.content[2]) / 2, y: (model.content[1] + model.content[5]) / 2 };
  };
  const click = async (selector) => {
    const at = { ...(await box(selector)), button: 'left', clickCount: 1 };
    await send('Input.dispatchMouseEvent', { type: 'mousePressed', ...at }, session);
    await send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at }, session);
  };
  await click('#name');
  await send('Input.insertText', { text: 'Ada' }, session);
  await click('button');
  const evaluate = async (expression, contextId = undefined) =>
    (await send('Runtime.evaluate', { expression, returnByValue: true, ...(contextId && { contextId }) }, session))
      .result.value;
  const seen = {
    title: await evaluate('document.title'),
    text: await evaluate("document.querySelector('p').textContent", executionContextId),
    marked: await evaluate('window.marked'),
    button: nodes.some(({ role, name }) => role?.value === 'button' && name?.value === 'Book'),
    screenshot: (await send('Page.captureScreenshot', {}, session)).data.length > 1000,
  };
  socket.close();
  return seen;
}

async function agentBrowserCommands(cdpUrl, id) {
  const run = async (...args) => {
    const env = {
      ...process.env,
      AGENT_BROWSER_SESSION: id.slice(0, 8),
      AGENT_BROWSER_SOCKET_DIR: process.cwd(),
      AGENT_BROWSER_NO_VERSION_CHECK: '1',
    };
    const { stdout } = await promisify(execFile)(agentBrowser, ['--cdp', cdpUrl, ...args], { env });
    return stdout.trim();
  };
  try {
    await run('open', form);
    const snapshot = await run('snapshot', '-i');
    await run('fill', `@${/textbox.*?ref=(e\d+)/.exec(snapshot)[1]}`, 'Ada');
    await run('click', `@${/button.*?ref=(e\d+)/.exec(snapshot)[1]}`);
    return { title: await run('get', 'title'), text: await run('get', 'text', 'p') };
  } finally {
    await run('close');
  }
}

/** A driver for a session that exists already, as one that a grid has made. */
async function selenium(cdpUrl) {
  const { WebDriver } = require('selenium-webdriver/lib/webdriver');
  const { Session } = require('selenium-webdriver/lib/session');
  const { Capabilities } = require('selenium-webdriver/lib/capabilities');
  const BrowsingContext = require('selenium-webdriver/bidi/browsingContext');
  const getScriptManager = require('selenium-webdriver/bidi/scriptManager');
  const LogInspector = require('selenium-webdriver/bidi/logInspector');
  const executor = {
    execute: async (command) => Promise.reject(new Error(`${command.getName()} is not BiDi`)),
    defineCommand() {},
  };
  const driver = new WebDriver(new Session('web-data', new Capabilities({ webSocketUrl: cdpUrl })), executor);
  const bidi = await driver.getBidi();
  const { result } = await bidi.send({ method: 'browsingContext.getTree', params: {} });
  const context = await BrowsingContext(driver, { browsingContextId: result.contexts[0].context });
  const logs = await LogInspector(driver);
  const logged = Promise.withResolvers();
  await logs.onConsoleEntry((entry) => logged.resolve(entry.text));
  await context.navigate(form, 'complete');
  const scripts = await getScriptManager(context.id, driver);
  const evaluate = async (expression) =>
    (await scripts.evaluateFunctionInBrowsingContext(context.id, expression, true)).result.value;
  await evaluate(
    "document.getElementById('name').value = 'Ada'; document.querySelector('button').click(); console.log('clicked'); 1",
  );
  const seen = {
    title: await evaluate('document.title'),
    text: await evaluate("document.querySelector('p').textContent"),
    logged: await logged.promise,
    screenshot: (await context.captureScreenshot()).length > 1000,
  };
  await bidi.close();
  return seen;
}

const drivers = {
  Playwright: playwright,
  Puppeteer: puppeteerWith({}),
  'Puppeteer, WebDriver BiDi': puppeteerWith({ protocol: 'webDriverBiDi' }),
  'Plain CDP, as Stagehand': plainCdp,
  'agent-browser': agentBrowserCommands,
  'Selenium, WebDriver BiDi': selenium,
};
print({ methods: Object.keys(drivers) });
await Promise.all(Object.entries(drivers).map(([name, work]) => drive(name, 'a page driven by its cdpUrl', work)));
process.exit(0);
