import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { eventually } from '../../harness/eventually.ts';
import { temporaryFolder } from '../../harness/folders.ts';
import { ScriptedAgent } from '../../harness/mcp-agent.ts';
import { installedTools } from '../../harness/runner-tools.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><body><h1>${title}</h1>${body}</body></html>`;
const pages: Record<string, string> = {
  '/slow': page(
    'Slow',
    `<p id="state">Working</p><button onclick="fetch('/go').then(() => { state.id = 'done'; document.getElementById('done').textContent = 'Finished' })">Start</button>`,
  ),
  '/dialogs': page(
    'Dialogs',
    `<p id="said">nothing</p><button onclick="said.textContent = 'confirm ' + confirm('Sure?')">Confirm</button>
     <button onclick="said.textContent = 'prompt ' + prompt('Name?')">Prompt</button>`,
  ),
  '/icons': page(
    'Icons',
    `<span class="trash x9f83hq2k1" onclick="said.textContent = 'deleted'" style="display: inline-block; width: 9px; height: 9px"></span>
     <div id="box" style="background: #f00; width: 9px; height: 9px; cursor: pointer"></div>
     <svg width="20" height="20"><circle cx="9" cy="9" r="9" fill="blue" onclick="said.textContent = 'circle'"/></svg>
     <button class="ql-bold"></button><input id="email"><p id="said">nothing</p>`,
  ),
  '/opening': page(
    'Opening',
    `<style>@keyframes away { to { visibility: hidden; } } .open { animation: away 0.6s forwards; }</style>
     <div style="position: relative"><button onclick="said.textContent = 'chosen'">Item</button>
     <div id="cover" style="position: absolute; inset: 0; background: #fff"></div></div>
     <button onclick="cover.className = 'open'">Open</button><p id="said">nothing</p>
     <button onmouseenter="this.style.marginLeft = '300px'" onclick="said.textContent = 'aside'">Aside</button>`,
  ),
  '/links': page('Links', '<a href="/other" target="_blank">Other</a>'),
  '/openers': page(
    'Openers',
    `<a href="/late" target="_blank">Late</a> <a href="/late" target="_blank" rel="opener">Late with opener</a>
     <button onclick="window.open('/late')">Open</button>
     <button onclick="const tab = window.open(); setTimeout(() => { tab.location = '/late' }, 60)">Open blank first</button>
     <button onclick="const tab = window.open(); tab.document.write('<p>Another page'); tab.document.close()">Write</button>`,
  ),
  '/other': page('Other', '<p>The other page</p>'),
  '/upload': page(
    'Upload',
    `<input type="file" id="file" multiple hidden><label for="file" class="button" tabindex="0" role="button">Choose</label>
     <button onclick="void 0">Nothing</button><p id="names">none</p>
     <script>file.onchange = async () => { names.textContent = 'got ' + (await Promise.all([...file.files].map(async (each) => each.name + ':' + await each.text()))).join(' ') };</script>`,
  ),
};

/** An element in each place that makes it hard to find where it receives a click; all pages are in quirks mode. */
const frame = (html: string, style: string) =>
  `<iframe style="width: 300px; height: 90px; ${style}" srcdoc="${html.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`;
const button = (name: string) => `<button onclick="top.said.append('${name} ')">${name}</button>`;
const host = (mode: string, name: string) =>
  `<x-${mode}><b>${name}</b></x-${mode}><script>customElements.define('x-${mode}', class extends HTMLElement {
     constructor() { super(); this.attachShadow({ mode: '${mode}' }).innerHTML = '<button><slot></slot></button>';
       this.onclick = () => said.append('${name} '); } })</script>`;
pages['/hard'] =
  `<title>Hard</title><p id="said"></p><style>label { position: relative; display: inline-block; width: 60px; height: 30px }</style>
  ${frame(`<!doctype html><p>a</p>${button('zoomed')}`, 'zoom: 1.7; border: 9px solid')}
  ${frame(frame(button('nested'), 'zoom: 1.2'), 'zoom: 1.3; height: 160px')}
  ${frame(button('turned'), 'transform: rotate(30deg) scale(0.8); margin: 90px 0')}
  ${host('open', 'slotted')} ${host('closed', 'closed')}
  <label><input type="checkbox" aria-label="switch" style="opacity: 0; width: 0; height: 0" onchange="said.append('switch ')"><i style="position: absolute; inset: 0; background: #ccc"></i></label>
  <a href="#" style="display: contents" onclick="said.append('boxless ')"><span>boxless</span></a>
  <div style="position: relative; width: 200px"><button style="width: 200px; height: 60px" onclick="said.append('badge ')">badge</button>
  <i style="position: absolute; left: 80px; top: 20px; width: 40px; height: 20px; background: red"></i></div>
  <div style="position: relative">${button('under')}<div style="position: absolute; inset: 0; pointer-events: none"></div></div>`;

describe('what agents can do on pages', () => {
  let service: TestService;
  let agent: ScriptedAgent;
  let keyId: string;
  let url: string;
  let folder: string;
  /** Answers the request that "/slow" waits for. */
  let go: () => void = () => undefined;
  const site = createServer((request, response) => {
    if (request.url === '/go') {
      go = () => response.end('ok');
      return;
    }
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (request.url === '/late') {
      setTimeout(() => {
        response.write('<title>Late</title>');
        setTimeout(() => response.end('<p>Another page'), 300);
      }, 700);
      return;
    }
    response.end(pages[request.url ?? ''] ?? page('Nothing', ''));
  });

  before(async () => {
    folder = temporaryFolder();
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    service = await startTestService({ maxSessions: 2, ...(await installedTools()) });
    const { body } = await service.call('POST', '/embedded/agent-keys', { name: 'Cursor' });
    keyId = body.id;
    agent = await ScriptedAgent.connect(service.baseUrl, body.key, 'Cursor');
  });
  after(async () => {
    await agent?.close();
    await service?.close();
    site.close();
    site.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is to wait for a text, for an element, for either to be gone, and for quiet', async () => {
    await agent.open(`${url}/slow`);
    await agent.click('button "Start"');
    assert.match(await agent.call('page_wait', { text: 'Finished', seconds: 1 }), /It isn't so after 1 s\./);
    const shown = agent.call('page_wait', { text: 'finished' });
    const element = agent.call('page_wait', { selector: '#done' });
    const gone = agent.call('page_wait', { text: 'Working', gone: true });
    go();
    for (const done of [shown, element, gone]) assert.match(await done, /It is so\./);
    assert.match(await agent.call('page_wait', {}), /It is so\./);
    const { text, isError } = await agent.try('page_wait', { selector: '##' });
    assert.ok(isError);
    assert.match(text, /"selector" is not a CSS selector/);
  });

  it('is to dismiss dialogs, or to answer prompts', async () => {
    await agent.open(`${url}/dialogs`);
    assert.match(
      await agent.click('button "Confirm"'),
      /A dialog was shown and accepted: confirm: Sure\?[\s\S]*confirm true/,
    );
    await agent.call('page_dialog', { answer: 'dismiss' });
    assert.match(
      await agent.click('button "Confirm"'),
      /A dialog was shown and dismissed: confirm: Sure\?[\s\S]*confirm false/,
    );
    await agent.call('page_dialog', { answer: 'accept', text: 'Ada' });
    assert.match(await agent.click('button "Prompt"'), /prompt Ada/);
  });

  it('is to tell apart elements without a name', async () => {
    const seen = await agent.open(`${url}/icons`);
    assert.match(seen, /clickable \.trash \[e\d+\]/);
    assert.match(seen, /clickable #box rgb\(255,0,0\) \[e\d+\]/);
    assert.match(seen, /clickable circle rgb\(0,0,255\) \[e\d+\]/);
    assert.match(seen, /button \.ql-bold \[e\d+\]/);
    assert.match(seen, /textbox #email \[e\d+\]/);
    assert.match(await agent.click('clickable circle rgb(0,0,255)'), /circle/);
    assert.match(await agent.click('clickable .trash'), /deleted/);
  });

  it('is to click what a menu covers or moves only while it opens', async () => {
    await agent.open(`${url}/opening`);
    assert.match((await agent.try('page_click', { ref: agent.ref('button "Item"') })).text, /covered by another/);
    await agent.call('page_click', { ref: agent.ref('button "Open"') });
    assert.match(await agent.call('page_click', { ref: agent.ref('button "Item"') }), /chosen/);
    assert.match(await agent.call('page_click', { ref: agent.ref('button "Aside"') }), /aside/);
  });

  it('is to click elements in frames and shadow trees, behind labels and beside what covers them', async () => {
    await agent.open(`${url}/hard`);
    const names = ['zoomed', 'nested', 'turned', 'slotted', 'closed', 'badge', 'under'];
    for (const name of names) await agent.click(`button "${name}"`);
    await agent.click('checkbox "switch"');
    await agent.click('link "boxless"');
    assert.match(await agent.call('page_snapshot', {}), new RegExp([...names, 'switch', 'boxless'].join(' ')));
  });

  it('is to work in several tabs', async () => {
    await agent.open(`${url}/links`);
    assert.match(await agent.click('link "Other"'), /The other page/);
    const two = await agent.call('page_tab', { do: 'select', tab: 1 });
    assert.match(two, /\* 1 Links .*\/links\n- 2 Other .*\/other/);
    assert.match(await agent.read(), /Page: Links/);
    assert.match(await agent.read(), /Page: Links/, 'the choice lasts');
    assert.match(await agent.call('page_tab', { do: 'new' }), /\* 3 about:blank/);
    assert.match(await agent.open(`${url}/dialogs`), /Page: Dialogs|Dialogs/);
    for (const [language, title] of [
      ['node', 'await page.title()'],
      ['python', 'await page.title()'],
    ] as const) {
      const titleOf = async (tab: number) => {
        await agent.call('page_tab', { do: 'select', tab });
        return await agent.call('run_code', { language, code: title });
      };
      assert.match(await titleOf(1), /^Links$/m, `code is run in the tab that was selected, in ${language}`);
      assert.match(await titleOf(2), /^Other$/m);
    }
    await agent.call('page_tab', { do: 'select', tab: 3 });
    await agent.call('run_code', { code: "page = context.pages().find((each) => each.url().endsWith('/links')); 0" });
    assert.match(await agent.call('run_code', { code: 'await page.title()' }), /^Links$/m, 'what code sets stays');
    assert.match(await agent.call('page_tab', { do: 'close', tab: 3 }), /- 1 Links .*\n\* 2 Other /);
    await agent.call('page_tab', { do: 'close', tab: 2 });
    const { text } = await agent.try('page_tab', { do: 'close', tab: 1 });
    assert.match(text, /The last tab stays open/);
    assert.match((await agent.try('page_tab', { do: 'select' })).text, /Send "tab" to select/);
  });

  for (const opener of [
    'link "Late"',
    'link "Late with opener"',
    'button "Open"',
    'button "Open blank first"',
    'button "Write"',
  ])
    it(`is to follow ${opener} to a tab whose page comes late`, async () => {
      await agent.open(`${url}/openers`);
      assert.match(await agent.click(opener), /Another page/);
      await agent.call('page_tab', { do: 'close', tab: 2 });
    });

  it('is to upload the files that the user allows', async () => {
    const allowed = join(folder, 'out');
    mkdirSync(allowed);
    writeFileSync(join(allowed, 'a.txt'), 'alpha');
    writeFileSync(join(folder, 'secret.txt'), 'secret');
    symlinkSync(join(folder, 'secret.txt'), join(allowed, 'link.txt'));
    const rules = { uploads: [allowed] };
    assert.equal((await service.call('POST', `/embedded/agent-keys/${keyId}/rules`, { rules })).status, 200);
    await agent.open(`${url}/upload`);
    const ref = agent.ref('button "Choose"');
    for (const path of [join(folder, 'secret.txt'), join(allowed, 'link.txt')])
      assert.match((await agent.try('page_upload', { ref, paths: [path] })).text, /rules don't let you upload/);
    assert.match((await agent.try('page_upload', { ref, paths: ['a.txt'] })).text, /must be absolute/);
    assert.match((await agent.try('page_upload', { ref, paths: [join(folder, 'none')] })).text, /There is no file/);

    const asked = agent.call('page_upload', { ref, paths: [join(allowed, 'a.txt')] });
    const request = await eventually(async () => {
      const [first] = (await service.call('GET', '/embedded/agent-sessions')).body.requests;
      assert.ok(first);
      return first;
    });
    assert.deepEqual(
      [request.kind, request.detail, request.host],
      ['upload', join(allowed, 'a.txt'), new URL(url).host],
    );
    await service.call('POST', `/embedded/permit-requests/${request.id}`, { answer: 'session' });
    assert.match(await asked, /got a\.txt:alpha/);
    const wrong = agent.ref('button "Nothing"');
    const { text } = await agent.try('page_upload', { ref: wrong, paths: [join(allowed, 'a.txt')] });
    assert.match(text, /doesn't ask for files when it is clicked/);
  });

  it('is to write a long answer to a file instead of reading it', async () => {
    await agent.open(`${url}/other`);
    const saved = await agent.call('page_snapshot', { saveAs: 'other.txt' });
    const path = /to (\/.*other\.txt)\./.exec(saved)?.[1] ?? '';
    assert.match(readFileSync(path, 'utf8'), /The other page/);
    assert.doesNotMatch(saved, /The other page/);
    assert.match(await agent.call('page_snapshot', { saveAs: 'other.txt' }), /other-2\.txt/, 'no file is replaced');
    const { text, images } = await agent.try('page_screenshot', { saveAs: 'other.jpg' });
    assert.deepEqual(images, []);
    const picture = readFileSync(/to (\/.*other\.jpg)\./.exec(text)?.[1] ?? '');
    assert.equal(picture.subarray(0, 2).toString('hex'), 'ffd8');
    for (const saveAs of ['../a', '/etc/a', '.a', 'a/b', ''])
      assert.match((await agent.try('page_snapshot', { saveAs })).text, /Invalid "saveAs"/, saveAs);
  });

  it('is kept as a script that does the same', async () => {
    const { body } = await service.call('GET', '/embedded/agent-sessions');
    const [{ sessionId }] = body.sessions;
    const { code } = (await service.call('GET', `/embedded/agent-sessions/${sessionId}/snippet`)).body;
    assert.match(code, /await page\.getByText\('Finished'\)\.first\(\)\.waitFor\(\);/);
    assert.match(code, /page\.removeAllListeners\('dialog'\)\.on\('dialog', \(dialog\) => dialog\.dismiss\(\)\);/);
    assert.match(code, /page = context\.pages\(\)\[0\];/);
    assert.match(code, /await \(await chooser\)\.setFiles\(\['.*a\.txt'\]\);/);
    const run = await agent.call('run_code', {
      code: `page = await context.newPage();\nawait page.goto('${url}/other');\nawait page.title()`,
    });
    assert.match(run, /Other/);
  });
});
