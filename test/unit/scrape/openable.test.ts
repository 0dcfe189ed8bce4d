import assert from 'node:assert/strict';
import { openableParts } from '../../../src/service/web/scrape/convert/main-content/openable.ts';
import { takeNotes } from '../../../src/service/web/scrape/convert/notes/notes.ts';
import { measure } from '../../../src/service/web/scrape/convert/page-tree/measure.ts';
import { all, readTree } from '../../../src/service/web/scrape/convert/page-tree/page-tree.ts';
import { createPageUrls } from '../../../src/service/web/scrape/convert/page-tree/urls.ts';
import { markdown } from '../../harness/page-markdown.ts';

const sentence = 'The harbour was quiet that morning, and the boats lay still in the grey water.';
const shown = `<p>Shown. ${sentence}</p>`;
const panel = (words: string, attributes = '') =>
  `<div class="panel" ${attributes} hidden><p>${words} ${sentence}</p></div>`;
const page = (part: string) =>
  markdown(`<nav><a href="/">Home</a></nav><main><h1>Boat</h1><p>Sold by the piece.</p>${part}<p>In stock</p></main>`);

describe('hidden parts of a page', () => {
  const opened = {
    'below the label of a tab': `<div class="tabs"><div class="tab">Care</div>${panel('KEPT.')}</div>`,
    'below questions in a row': `<div><h3 class="q open">One?</h3>${panel('KEPT.')}<h3 class="q">Two?</h3>${panel('Too.')}</div>`,
    'below a long question': `<section><button>${sentence.slice(0, -1)}?</button>${panel('KEPT.')}</section>`,
    'below a heading': `<div><h3>One</h3>${panel('KEPT.')}</div>`,
    'below their terms': `<dl><dt>Term</dt><dd hidden>KEPT. ${sentence}</dd></dl>`,
    'beside the one that is shown': `<ul><li><a href="#">One</a></li><li><a href="#">Two</a></li></ul><div><div class="panel active">${shown}</div>${panel('KEPT.')}</div>`,
    'beside one like it, with an example of a template': `<div><div class="panel">${shown}</div><div class="panel" hidden><p>KEPT. ${sentence}</p><pre>&lt;b>{{ title }}&lt;/b></pre></div></div>`,
    'named by a link': `<p><a href="#care">Care</a> and <b>more</b></p><p>Sizes</p>${panel('KEPT.', 'id="care"')}`,
    'named by a button': `<button data-bs-target="#care">Care</button><p>Sizes</p>${panel('KEPT.', 'id="care"')}`,
  };
  for (const [where, part] of Object.entries(opened))
    it(`are content where visitors can open them: ${where}`, () => assert.match(page(part), /KEPT/));

  const closed = {
    alone: panel('DROPPED.'),
    'below a sentence': `<div><div>Sold here.</div>${panel('DROPPED.')}</div>`,
    'between what is shown': `<h2>Sizes</h2>${panel('DROPPED.')}${shown}`,
    'that are a paragraph': `<h2>Sizes</h2><p hidden>DROPPED. ${sentence}</p>`,
    'in a form': `<form action="/find"><div>Name</div>${panel('DROPPED.')}</form>`,
    'below a link to another page': `<div><h3><a href="/more">More</a></h3>${panel('DROPPED.')}</div>`,
    'beside text': `<div>Sizes: ${panel('DROPPED.')}</div>`,
    'among several that are shown': `<div><div class="panel">${shown}</div><div class="panel">${shown}</div>${panel('DROPPED.')}</div>`,
    'of another kind': `<div><div class="text">${shown}</div>${panel('DROPPED.')}</div>`,
    'to be filled in': `<div><div class="card">${shown}</div><div class="card" hidden><h3>{{title}}</h3><p>DROPPED. ${sentence}</p></div></div>`,
    'to be filled in by a program': `<div><div class="card">${shown}</div><div class="card" style="display:none"><p>DROPPED \${name}. ${sentence}</p></div></div>`,
    'with few words': '<div><h3>Price</h3><div hidden>DROPPED</div></div>',
    'named by what opens a dialog': `<a data-toggle="modal" data-target="#care">Care</a>${shown}${panel('DROPPED.', 'id="care"')}`,
    'named by a declared dialog': `<button aria-controls="care" aria-expanded="false" aria-haspopup="dialog">Care</button>${shown}${panel('DROPPED.', 'id="care"')}`,
    'named as another page is': `<p><a href="care">Care</a> and <b>more</b></p>${shown}${panel('DROPPED.', 'id="care"')}`,
    'named as a template': `<button data-template="#care">Care</button>${shown}${panel('DROPPED.', 'id="care"')}`,
  };
  for (const [where, part] of Object.entries(closed))
    it(`are no content where nothing opens them: ${where}`, () => assert.doesNotMatch(page(part), /DROPPED/));

  it('are no content where they say only what one like them says that is shown', () => {
    const boxes = (words: string) =>
      page(`<div><div class="card">${shown}</div>${panel(words).replace('panel', 'card')}</div>`);
    assert.equal(boxes('Shown.').split(sentence).length, 2);
    assert.match(boxes('Shown: 12.'), /Shown: 12/);
  });

  it('are compared with the one that is shown once, however many they are (TRN-06)', () => {
    const boxes = Array.from({ length: 100 }, (_, at) => panel(`Box ${at}.`)).join('');
    const { root } = readTree(
      `<div><div class="panel">${shown}</div>${boxes}</div>`,
      takeNotes(createPageUrls('https://site.test/')),
      undefined,
    );
    measure(root);
    const [text] = all(root, ({ name }) => name === 'p');
    assert.ok(text);
    const { children } = text;
    let reads = 0;
    Object.defineProperty(text, 'children', { get: () => ++reads && children });
    assert.equal(openableParts(root).size, 100);
    assert.ok(reads < 50, `${reads} reads`);
  });

  it('are parts of the text that stands beside them', () => {
    const paragraph = (number: number) => `<p>Paragraph ${number}. ${sentence} ${sentence}</p>`;
    const text = [1, 2, 3].map(paragraph).join('');
    const tabs = `<div class="tabs"><div class="tab">Care</div>${panel('KEPT.')}</div>`;
    for (const page of [
      `<h1>Boat</h1>${text}${tabs}`,
      `<h1>Boat</h1><div>${text}</div><div>${paragraph(4)}</div>${tabs}`,
    ])
      assert.match(markdown(`<nav><a href="/">Home</a></nav><main>${page}</main>`), /Care\n\nKEPT/, page);
  });
});
