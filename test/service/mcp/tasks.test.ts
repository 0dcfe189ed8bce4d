import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { ScriptedAgent } from '../../harness/mcp-agent.ts';
import { startTestService, type TestService, testKey } from '../../harness/service.ts';
import { startTaskSite, type TaskSite } from '../../harness/task-site.ts';

type Task = (agent: ScriptedAgent, url: string) => Promise<unknown>;

/** What people do on sites, through the Model Context Protocol alone. Each throws unless it is done. */
const tasks: Record<string, Task> = {
  'find a fact on a page': async (agent, url) => assert.match(await agent.open(url), /555-0142/),
  'follow a link': async (agent, url) => {
    await agent.open(url);
    assert.match(await agent.click('link "About us"'), /Founded by Ada in 1999/);
  },
  'find a word on a long page': async (agent, url) => {
    await agent.open(`${url}/table`);
    assert.match(await agent.call('page_snapshot', { find: 'Tea K' }), /^ +\| Tea K \| black \| [\d.]+ \| \d/m);
  },
  'search a list': async (agent, url) => {
    await agent.open(`${url}/shop`);
    assert.match(await agent.type('searchbox "Search"', 'tea q', true), /1 teas, page 1 of 1/);
  },
  'filter a list': async (agent, url) => {
    await agent.open(`${url}/shop`);
    assert.match(await agent.select('combobox "Kind"', 'Green'), /8 teas, page 1 of 2/);
  },
  'sort a list and read its first entry': async (agent, url) => {
    await agent.open(`${url}/shop`);
    const sorted = await agent.select('combobox "Sort by"', 'Price');
    assert.match(/h2 link "(Tea \w)"/.exec(sorted)?.[1] ?? '', /^Tea A$/);
  },
  'page through a list': async (agent, url) => {
    await agent.open(`${url}/shop`);
    const names = new Set<string>();
    for (let text = await agent.read(); ; text = await agent.click('link "Next"')) {
      for (const [, name = ''] of text.matchAll(/h2 link "(Tea \w)"/g)) names.add(name);
      if (!text.includes('link "Next"')) break;
    }
    assert.equal(names.size, 24);
  },
  'open the details of an entry': async (agent, url) => {
    await agent.open(`${url}/shop`);
    assert.match(await agent.click('link "Tea C"'), /h1 Tea C[\s\S]*white/);
  },
  'compare two entries': async (agent, url) => {
    const prices = [];
    for (const name of ['Tea B', 'Tea E'])
      prices.push(Number(/€([\d.]+)/.exec(await agent.open(`${url}/tea/${encodeURIComponent(name)}`))?.[1]));
    assert.deepEqual(prices, [6.5, 5]);
  },
  'put something into a cart': async (agent, url) => {
    await agent.open(`${url}/shop`);
    assert.match(await agent.click('button "Add Tea B"'), /Cart: 1 \(Tea B\)/);
  },
  'see that something is sold out': async (agent, url) => {
    assert.match(await agent.open(`${url}/shop`), /Sold out\n.*button "Add Tea A" \[e\d+\] disabled/);
  },
  'fill in a form': async (agent, url) => {
    await agent.open(`${url}/order`);
    await agent.type('textbox "Name"', 'Ada');
    await agent.type('textbox "Note"', 'Two lines\nof text');
    assert.match(await agent.click('button "Send order"'), /name=Ada .*note=Two lines of text/);
  },
  'enter a date and a number': async (agent, url) => {
    await agent.open(`${url}/order`);
    await agent.type('textbox "Name"', 'Ada');
    await agent.type('date "Date"', '2027-03-01');
    await agent.type('spinbutton "Amount"', '12');
    assert.match(await agent.click('button "Send order"'), /date=2027-03-01 amount=12/);
  },
  'choose with radio buttons and check boxes': async (agent, url) => {
    await agent.open(`${url}/order`);
    await agent.type('textbox "Name"', 'Ada');
    await agent.click('radio "Large"');
    await agent.click('checkbox "Gift"');
    assert.match(await agent.click('button "Send order"'), /size=l gift=yes/);
  },
  'select several options': async (agent, url) => {
    await agent.open(`${url}/order`);
    await agent.type('textbox "Name"', 'Ada');
    await agent.select('listbox "Extras"', 'Honey', 'Milk');
    assert.match(await agent.click('button "Send order"'), /extras=Honey extras=Milk/);
  },
  'log in': async (agent, url) => {
    await agent.open(`${url}/login`);
    await agent.type('textbox "User"', 'ada');
    await agent.type('textbox "Password"', 'oolong');
    assert.match(await agent.click('button "Log in"'), /Hello ada[\s\S]*Points: 120/);
  },
  'notice that a login failed': async (agent, url) => {
    await agent.open(`${url}/login`);
    await agent.type('textbox "User"', 'ada');
    assert.match(await agent.type('textbox "Password"', 'wrong', true), /alert.*Wrong password/s);
  },
  'log out': async (agent, url) => {
    await agent.open(`${url}/account`);
    assert.match(await agent.click('link "Log out"'), /Please log in/);
  },
  'switch tabs on a page': async (agent, url) => {
    await agent.open(`${url}/widgets`);
    assert.match(await agent.click('tab "Two"'), /Panel two/);
  },
  'unfold what is hidden': async (agent, url) => {
    await agent.open(`${url}/widgets`);
    assert.match(await agent.click('button "More about tea"'), /Tea is a plant/);
  },
  'open a menu by pointing at it': async (agent, url) => {
    await agent.open(`${url}/widgets`);
    assert.match(await agent.click('button "Menu"', 'hover'), /link "Hidden about"/);
  },
  'press what is no button by its role': async (agent, url) => {
    await agent.open(`${url}/widgets`);
    assert.match(await agent.click('clickable "Press this card"'), /Pressed/);
  },
  'edit rich text': async (agent, url) => {
    await agent.open(`${url}/widgets`);
    assert.match(await agent.type('textbox "Editor"', 'New text'), /New text/);
  },
  'answer a question of the browser': async (agent, url) => {
    await agent.open(`${url}/widgets`);
    assert.match(await agent.click('button "Delete"'), /confirm: Delete it\?[\s\S]*Deleted/);
  },
  'close a dialog that is in the way': async (agent, url) => {
    await agent.open(`${url}/widgets`);
    await agent.click('button "Open dialog"');
    const covered = await agent.try('page_click', { ref: agent.ref('button "Load slowly"') });
    assert.match(covered.text, /covered by another element/);
    assert.match(await agent.click('button "Accept"'), /Accepted/);
  },
  'wait for what comes later': async (agent, url) => {
    await agent.open(`${url}/widgets`);
    await agent.click('button "Load slowly"');
    await agent.call('run_code', { code: "await page.getByText('It is ready').waitFor()" });
    assert.match(await agent.read(), /It is ready/);
  },
  'continue in a new tab': async (agent, url) => {
    await agent.open(`${url}/widgets`);
    assert.match(await agent.click('link "About in a new tab"'), /Founded by Ada/);
    await agent.call('run_code', { code: 'await context.pages().at(-1).close()' });
  },
  'use the keyboard, and the other mouse buttons': async (agent, url) => {
    await agent.open(`${url}/widgets`);
    assert.match(await agent.click('button "Twice"', 'double'), /Double/);
    assert.match(await agent.click('button "Right"', 'right'), /Context/);
    await agent.click('textbox "Key"');
    assert.match(await agent.call('page_press', { key: 'ArrowDown' }), /Down/);
    assert.match(await agent.click('button "In the shadow"'), /From the shadow/);
  },
  'act in frames of this site and of another': async (agent, url) => {
    const text = await agent.open(`${url}/frames`);
    const fields = [...text.matchAll(/textbox "Inner" \[(e\d+)\]/g)].map(([, ref]) => ref);
    const buttons = [...text.matchAll(/button "Say" \[(e\d+)\]/g)].map(([, ref]) => ref);
    assert.equal(fields.length, 2);
    for (const [index, word] of ['here', 'there'].entries()) {
      await agent.call('page_type', { ref: fields[index], text: word });
      assert.match(await agent.call('page_click', { ref: buttons[index] }), new RegExp(`Said ${word}`));
    }
  },
  'read a feed that grows, and download a file': async (agent, url) => {
    await agent.open(`${url}/feed`);
    for (let presses = 0; presses < 8 && !(await agent.read()).includes('Post 60'); presses++)
      await agent.call('page_press', { key: 'End' });
    assert.match(await agent.read(), /Post 60/);
    await agent.open(`${url}/table`);
    const [, path = ''] = /Downloaded prices\.csv: (.*)/.exec(await agent.click('link "Download CSV"')) ?? [];
    assert.match(readFileSync(path, 'utf8'), /^Tea A,3\n/);
  },
};

describe('30 tasks on a site', () => {
  let service: TestService;
  let site: TaskSite;
  let agent: ScriptedAgent;
  before(async () => {
    service = await startTestService();
    site = await startTaskSite();
    agent = await ScriptedAgent.connect(service.baseUrl, testKey);
  });
  after(async () => {
    await agent.close();
    site.close();
    await service.close();
  });

  it('are 30', () => assert.equal(Object.keys(tasks).length, 30));
  for (const [name, task] of Object.entries(tasks)) it(name, () => task(agent, site.url));
});
