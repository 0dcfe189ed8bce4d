import assert from 'node:assert/strict';
import { markdown } from '../../harness/page-markdown.ts';

const sentence = 'The harbour was quiet that morning, and the boats lay still in the grey water. ';
const posts = Array.from(
  { length: 4 },
  (_, at) =>
    `<div class="post"><div class="author">Writer ${at}</div><time>Jan 1</time><p>Post ${at}. ${sentence.repeat(2)}</p></div>`,
).join('');
const page = (body: string, title = 'How boats float - Harbour forum') =>
  markdown(`<head><title>${title}</title></head><body><nav><a href="/">Home</a></nav>${body}</body>`);

describe('the title of a thread', () => {
  const places: Record<string, string> = {
    'a bar above the main part': `<div><h1>How boats float</h1></div><main>${posts}</main>`,
    'a header that is left out': `<header><h1>How boats float</h1></header><div>${posts}</div>`,
    'a line with the way to it': `<div><a href="/f">Boats</a> <h1>How boats float</h1></div><div>${posts}</div>`,
    'a heading below the name of the site': `<header><h1><a href="/">Harbour</a></h1></header><div><h1>How boats float</h1></div><main>${posts}</main>`,
    'a bar that repeats it': `<header><h1>How boats float</h1></header><main><h1>How boats float</h1>${posts}</main>`,
  };
  for (const [place, body] of Object.entries(places)) {
    it(`is the first line of its document, once, from ${place}`, () => {
      const text = page(body);
      assert.match(text, /^# (\[How boats float\]|How boats float)/);
      assert.equal(text.match(/How boats float/g)?.length, 1);
      assert.equal(text.match(/Post \d/g)?.length, 4);
    });
  }

  it('is no other heading, nor any where the page has no name', () => {
    const other = `<div><h2>Rules of the harbour</h2></div><main>${posts}</main>`;
    const logo = `<header><h1><img src="/logo.png" alt=""></h1></header><main>${posts}</main>`;
    assert.doesNotMatch(page(other), /^#/);
    assert.doesNotMatch(page(other, ''), /^#/);
    assert.doesNotMatch(page(logo, ''), /logo/);
  });

  it('is no heading of a section below text, which stays above that', () => {
    const intro = `<h2>About</h2><p>${sentence.repeat(2)}</p>`;
    const text = page(`<main>${intro}<h2>How boats float</h2>${posts}</main>`);
    assert.match(text, /^## About[\s\S]*## How boats float\s+Writer 0/);
  });
});
