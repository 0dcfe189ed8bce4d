import assert from 'node:assert/strict';
import { locator, namedIn, writeSnippet } from '../../../../src/service/assistants/steering/snippet.ts';

const css = '#buy';
const frames: string[] = [];

describe('a script of what an agent did', () => {
  it('finds elements by role and name, else by label, else by CSS', () => {
    const outline =
      'button "Add" [e1]\n| Tea | button "Add" [e2] |\nlink "It\'s" [e3]\nclickable "Card" [e4]\nbutton "Very…" [e5]';
    assert.deepEqual(namedIn(outline, '[e2]'), { role: 'button', name: 'Add', nth: 1 });
    assert.deepEqual(namedIn(outline, 'e3'), { role: 'link', name: "It's" });
    for (const unnamed of ['e4', 'e5', 'e6']) assert.deepEqual(namedIn(outline, unnamed), {});
    assert.equal(
      locator({ role: 'link', name: "It's", css, frames }),
      "page.getByRole('link', { name: 'It\\'s', exact: true })",
    );
    assert.equal(
      locator({ label: 'Date', nth: 1, css, frames: ['#pay'] }),
      "page.locator('#pay').contentFrame().getByLabel('Date', { exact: true }).nth(1)",
    );
    assert.equal(locator({ css, frames }), "page.locator('#buy')");
  });

  it('finds them in a page with a very long word (TRN-06)', () => {
    const word = 'a'.repeat(200_000);
    const outline = `${word}\nbutton "Add" [e1]\n${word}`;
    assert.deepEqual(namedIn(outline, 'e1'), { role: 'button', name: 'Add' });
    assert.deepEqual(namedIn(outline, 'e2'), {});
  });

  it('has a cell for each run of code, and no password', () => {
    const on = { css, frames };
    const text = writeSnippet('Cursor\nevil()', [
      { kind: 'navigate', to: 'https://shop.test/' },
      { kind: 'type', on, text: "a'b\n", submit: true },
      { kind: 'type', on, text: undefined, submit: false },
      { kind: 'run', language: 'node', code: 'await page.title()' },
      { kind: 'run', language: 'python', code: 'page.title()\n' },
      { kind: 'click', how: 'double', on },
      { kind: 'select', on, options: ['Green', 'Black'] },
      { kind: 'press', key: 'Enter' },
      { kind: 'navigate', to: 'back' },
    ]);
    assert.equal(
      text,
      `// What Cursor evil() did in a browser session. \`page\`, \`context\` and \`browser\` are ready to use.
// Passwords were not recorded: set the environment variable PASSWORD.

// %% Page
await page.goto('https://shop.test/');
await page.locator('#buy').fill('a\\'b\\u000a');
await page.locator('#buy').press('Enter');
await page.locator('#buy').fill(process.env.PASSWORD ?? '');

// %% Code
await page.title()

// %% Code
// This was Python; run it in a file of its own:
//   page.title()

// %% Page
await page.locator('#buy').dblclick();
await page.locator('#buy').selectOption([{ label: 'Green' }, { label: 'Black' }]);
await page.keyboard.press('Enter');
await page.goBack();
`,
    );
  });
});
