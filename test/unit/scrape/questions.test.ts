import assert from 'node:assert/strict';
import { markdown } from '../../harness/page-markdown.ts';

describe('the questions of a page that consists of them', () => {
  it('are its content, also in links of declared buttons', () => {
    const answer = 'KEPT: the harbour was quiet that morning, and the boats lay still in the grey water. '.repeat(2);
    const entries = Array.from(
      { length: 5 },
      (_, at) =>
        `<div class="item"><div role="button" aria-controls="a${at}" aria-expanded="false"><a href="">Question ${at}</a></div><div id="a${at}"><p>${answer}</p></div></div>`,
    ).join('');
    const text = markdown(
      `<body><nav><a href="/">Home</a></nav><main><h1>Questions</h1>${entries}</main><footer><a href="/i">Imprint</a></footer></body>`,
    );
    for (let at = 0; at < 5; at++) assert.match(text, new RegExp(`Question ${at}[^Q]*KEPT`));
  });

  const items: Record<string, (id: number, answer: string) => string> = {
    'that unfold': (id, answer) => `<details><summary>Question ${id}?</summary>${answer}</details>`,
    'that unfold in a box': (id, answer) =>
      `<details class="q"><summary><span>Question ${id}?</span></summary><div>${answer}</div></details>`,
    'in links that unfold answers': (id, answer) =>
      `<div class="panel"><div class="head"><a data-toggle="collapse" href="#c${id}">Question ${id}?</a></div><div id="c${id}" class="collapse">${answer}</div></div>`,
    'in headings with such links': (id, answer) =>
      `<div class="panel"><div class="head"><h4><a data-bs-toggle="collapse" href="#c${id}">Question ${id}?</a></h4></div><div id="c${id}" class="collapse">${answer}</div></div>`,
    'in links without an address': (id, answer) =>
      `<div class="item"><div role="button" aria-controls="c${id}" aria-expanded="false"><a tabindex="0">Question ${id}?</a></div><div id="c${id}">${answer}</div></div>`,
    'in lines': (id, answer) =>
      `<div class="item"><div class="q">Question ${id}?</div><div class="a">${answer}</div></div>`,
    'in boxes': (id, answer) =>
      `<div class="item"><div class="head"><div class="q">Question ${id}?</div></div><div class="a">${answer}</div></div>`,
    'in bold lines': (id, answer) => `<div class="item"><strong>Question ${id}?</strong>${answer}</div>`,
  };
  const pages: Record<string, (list: string) => string> = {
    'a page of questions': (list) => `<main><h1>Questions</h1><div>${list}</div></main>`,
    'a page without a main part': (list) =>
      `<div><h1>Questions</h1><div>${list}</div></div><footer><p>Imprint</p></footer>`,
    'an article': (list) =>
      `<article><h1>Questions</h1><p>Here are the answers that we give most often. Read on.</p>${list}</article><footer>Imprint</footer>`,
  };
  for (const [which, item] of Object.entries(items))
    it(`are all its content, with short answers too: ${which}`, () => {
      const long = 'Our shop sends all parcels within two days of the order, and returns are free for thirty days.';
      for (const [where, page] of Object.entries(pages))
        for (const short of [0, 1, 2, 4]) {
          const answer = (id: number) => `<p>Answer ${id}. ${id === short ? '' : long}</p>`;
          const list = [1, 2, 3, 4].map((id) => item(id, answer(id))).join('');
          const text = markdown(`<body><nav><a href="/">Home</a></nav>${page(`<div>${list}</div>`)}</body>`);
          for (const id of [1, 2, 3, 4])
            assert.match(text, new RegExp(`Question ${id}\\?[^]*Answer ${id}\\.`), `${where}, ${short}: ${text}`);
        }
    });

  it('bring along no byline that only the first part of a text has', () => {
    const words = 'The harbour was quiet that morning, and the boats lay still in the grey water. '.repeat(3);
    const part = (above: string) =>
      `<div class="part">${above}<p>${words} See <a href="/map">the map</a> and <span>others</span>.</p></div>`;
    for (const byline of [
      '<div class="by">DROPPED 5 May</div>',
      '<a href="/city">DROPPED</a>',
      '<span>DROPPED 5 May</span>',
    ]) {
      const text = markdown(
        `<body><article><h1>Harbour</h1>${part(byline)}${part('')}${part('')}</article><footer>Imprint</footer></body>`,
      );
      assert.doesNotMatch(text, /DROPPED/);
    }
  });

  it('are none in a menu that unfolds', () => {
    const entry = (name: string) =>
      `<div class="group"><a data-toggle="collapse" href="#${name}">DROPPED ${name}</a></div>`;
    const menu = `<div class="side">${['a', 'b', 'c', 'd'].map(entry).join('')}<a href="/all">DROPPED</a></div>`;
    const text = markdown(
      `<body><div><h1>Mug</h1>${'<p>The harbour was quiet that morning, and the boats lay still.</p>'.repeat(4)}</div>${menu}</body>`,
    );
    assert.doesNotMatch(text, /DROPPED/);
  });
});
