import assert from 'node:assert/strict';
import { markdown } from '../../harness/page-markdown.ts';

const sentence = 'The harbour was quiet that morning, and the boats lay still in the grey water. ';
const paragraph = (words: string) => `<p>${words} ${sentence.repeat(3)}</p>`;
const paragraphs = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => paragraph(`Paragraph ${from + index}.`)).join('');
const nav = '<nav><a href="/">Home</a></nav>';
const title = '<h1>The harbour</h1>';
const textWith = ({ among = '', after = '', below = '' }) =>
  markdown(
    `${nav}<div><div class="text">${title}${paragraphs(0, 4)}${among}${paragraphs(4, 8)}${after}</div>${below}</div>`,
  );

describe('boxes beside the paragraphs of a text', () => {
  const box = `<div class="x">${paragraph('NOTE.')}</div>`;
  const gallery = `<div class="x"><ul>${[1, 2, 3].map((n) => `<li><img src="/${n}.png"><span>NOTE ${n}. ${sentence}</span></li>`).join('')}</ul></div>`;
  const author = `<div class="x"><img src="/a.png"><h4>NOTE</h4>${paragraph('Writes about boats.')}${paragraph('NOTE.')}</div>`;
  const dropped: Record<string, Parameters<typeof textWith>[0]> = {
    'with a picture': { among: `<div class="x">${paragraph('NOTE.')}<img src="/1.png"></div>` },
    'that is a label': { among: '<div class="x">NOTE of our partners</div>' },
    'that is a short sentence': { among: '<div class="x">NOTE. Scroll to continue reading.</div>' },
    'that says who wrote it': {
      among:
        '<div class="x"><div class="author">NOTE by Ana Boat, from the harbour</div>Seen on Monday at 10 a.m.</div>',
    },
    'that leads elsewhere': { among: `<div class="x">${paragraph('NOTE.')}<p><a href="/join">Join us</a></p></div>` },
    'named as a note, with a form': {
      among: `<div class="note">NOTE. ${sentence}<form><input type="email"></form></div>`,
    },
    'that mostly leads elsewhere': { among: `<section>NOTE. <a href="/x">${sentence.repeat(2)}</a></section>` },
    'with a form': { among: `<div class="x">${paragraph('NOTE.')}<form><input type="email"></form></div>` },
    'with a button': { among: `<div class="x">${paragraph('NOTE.')}<button>Subscribe</button></div>` },
    'with a field': { among: `<div class="x">${paragraph('NOTE.')}<input type="email"></div>` },
    'with a gallery': { among: gallery },
    'after them': { after: box },
    'about the author': { after: author },
    'to which a link leads that names no note': {
      among: `<p><a href="#nl">Subscribe</a> to the news of the harbour. ${sentence}</p>`,
      after: `<div id="nl" class="x">${paragraph('NOTE.')}</div>`,
    },
    'named as a place on another page is': {
      among: `<p>The boats lay still.<a href="/other#note-1">1</a> ${sentence}</p>`,
      after: `<div class="x"><a id="note-1" href="/">1</a>${paragraph('NOTE.')}</div>`,
    },
    'below the text': {
      below: ['x', 'y', 'z'].map((name) => `<div class="${name}"><h3>NOTE</h3>${paragraph('NOTE.')}</div>`).join(''),
    },
  };
  for (const [where, places] of Object.entries(dropped))
    it(`are left out: ${where}`, () => {
      const text = textWith(places);
      assert.match(text, /^# The harbour\n[\s\S]*Paragraph 3\.[\s\S]*Paragraph 4\.[\s\S]*Paragraph 7\./);
      assert.doesNotMatch(text, /NOTE/);
    });

  const kept: Record<string, Parameters<typeof textWith>[0]> = {
    'a note that the text leads to': {
      among: '<p>The boats lay still, as they often do there.<a href="#note-1">1</a></p>',
      after: `<div class="x"><a id="note-1"></a><div>${paragraph('NOTE.')}</div></div>`,
    },
    'a part that the text leads to, and that leads back': {
      among: '<p>The boats lay still, as they often do there.<a id="from" href="#n1">1</a></p>',
      after: `<div class="x"><a id="n1" href="#from">1</a><div>${paragraph('NOTE.')}</div></div>`,
    },
    'a section with its heading': { among: `<div class="x"><h2>NOTE</h2>${paragraph('More.')}</div>` },
    'a picture with its caption': { among: `<div class="x"><img src="/1.png"><p>NOTE. ${sentence}</p></div>` },
    'a table': {
      among: '<div><table><tr><th>NOTE</th><th>Boats</th></tr><tr><td>May</td><td>7</td></tr></table></div>',
    },
    'headings that are no elements of headings': {
      among: `<div class="x">NOTE one</div>${paragraph('More.')}<div class="x">NOTE two</div>`,
    },
    'a note among them': { among: box },
    'a note of other elements': { among: `<section><p>Warning</p>${paragraph('NOTE.')}</section>` },
    'a note by its name, without a sentence': {
      among: '<div class="admonition warning"><p>Warning</p><p>NOTE This deletes all your data</p></div>',
    },
    'a note by its name, with links': {
      among: `<div class="tip"><button>×</button><p>NOTE Try the <a href="/new">playground</a> or go on with the <a href="/tour">tour</a></p></div>`,
    },
    'a change of a version': { among: '<div class="versionadded"><p>NOTE New in version 3.2</p></div>' },
    'a note that leads to another part of the text, with a button to close it': {
      among: `<div class="x"><button>&times;</button>NOTE. ${sentence}<a href="#how">This is how it began</a>.</div>`,
    },
    code: { among: '<div class="x"><pre>NOTE</pre></div>' },
    footnotes: { after: `<div class="x"><ol><li>NOTE. ${sentence}</li><li>More.</li></ol></div>` },
    'what a heading names': { after: `<h3>NOTE</h3><div class="x">${paragraph('NOTE.')}</div>` },
    'what a button opens': {
      after: `<button aria-expanded="false">How long does it take?</button><div class="x">${paragraph('NOTE.')}</div>`,
    },
    'several that are alike': { among: [1, 2].map(() => box).join('') },
    'questions and answers': {
      after: `<div class="x"><h3>NOTE?</h3>${paragraph('Yes.')}<h3>Why?</h3>${paragraph('So.')}</div>`,
    },
    'a part that is built as the text is': { below: `<div class="text">${paragraph('NOTE.').repeat(3)}</div>` },
  };
  for (const [what, places] of Object.entries(kept)) it(`stay: ${what}`, () => assert.match(textWith(places), /NOTE/));

  for (const end of ['！', '？', '।', '؟', '۔', '…', '&hellip;', '.”', '.&quot;', '.)'])
    it(`stay: sentences that end with ${end}`, () => {
      const note = `<div class="x"><span>NOTE ${'quiet '.repeat(4)}</span><p>${'harbour '.repeat(5)}${end}</p></div>`;
      assert.match(textWith({ among: note }), /NOTE/);
    });

  it('leave nothing behind if they are empty', () => {
    const text = textWith({ among: '<div class="x"><hr><a href="/x"></a></div>' });
    assert.match(text, /Paragraph 3\. [^\n]*\n\nParagraph 4\./);
  });

  it('stay if they hold much of the text', () => {
    const boxes = ['x', 'y', 'z'].map(
      (name) => `<div class="${name}">${paragraph('NOTE.').repeat(2)}<a href="/x">More</a></div>${paragraph('More.')}`,
    );
    assert.match(textWith({ among: boxes.join('') }), /NOTE/);
  });

  it('stay if they are notes of the text', () => {
    const note = `<aside class="note">${paragraph('NOTE.')}</aside>`;
    assert.match(markdown(`${nav}<main>${title}${paragraphs(0, 4)}${note}${paragraphs(4, 8)}</main>`), /NOTE/);
  });

  it('stay if the text is in boxes itself', () => {
    const parts = Array.from(
      { length: 4 },
      (_, index) => `<div class="${index}">${paragraphs(index, index + 1)}</div>`,
    );
    assert.match(markdown(`${nav}<div>${title}${parts.join('')}</div>`), /Paragraph 0\.[\s\S]*Paragraph 3\./);
  });
});
