import assert from 'node:assert/strict';
import { markdown } from '../../harness/page-markdown.ts';

const sentence = 'The harbour was quiet that morning, and the boats lay still in the grey water. ';
const answers = ['KEPT by card.', ...Array.from({ length: 4 }, (_, at) => `KEPT ${at}. ${sentence.repeat(2)}`)];
const page = (entries: string) =>
  markdown(
    `<body><nav><a href="/">Home</a></nav><main><h1>Questions</h1>${entries}</main><footer><a href="/i">Imprint</a></footer></body>`,
  );
const entries = (write: (question: string, answer: string, at: number) => string, from = 0) =>
  answers
    .slice(from)
    .map((answer, at) => write(`Question ${at + from} of all`, answer, at))
    .join('');

describe('the questions of a page that consists of them', () => {
  const built: Record<string, (question: string, answer: string, at: number) => string> = {
    'in details': (question, answer) => `<details><summary>${question}</summary><p>${answer}</p></details>`,
    'in details, each in a box': (question, answer) =>
      `<div class="q"><details><summary>${question}</summary><div><p>${answer}</p></div></details></div>`,
    'in boxes with classes': (question, answer) =>
      `<div class="item"><div class="question">${question}</div><div class="answer">${answer}</div></div>`,
    'in boxes without classes': (question, answer) =>
      `<div itemscope><div>${question}</div><div><p>${answer}</p></div></div>`,
    'in buttons that declare nothing': (question, answer) =>
      `<button class="accordion">${question}</button><div class="panel"><p>${answer}</p></div>`,
    'in buttons, each in a box': (question, answer) =>
      `<div class="item"><button>${question}</button><div class="panel"><p>${answer}</p></div></div>`,
    'in terms': (question, answer) => `<dl><dt>${question}</dt><dd>${answer}</dd></dl>`,
  };
  for (const [how, write] of Object.entries(built)) {
    it(`has all ${how}, also with a short first answer`, () => {
      for (const from of [0, 1]) {
        const text = page(entries(write, from));
        for (let at = from; at < answers.length; at++) assert.match(text, new RegExp(`Question ${at} of all`));
        assert.equal(text.match(/KEPT/g)?.length, answers.length - from);
      }
    });
  }

  it('has all in links of declared buttons', () => {
    const text = page(
      entries(
        (question, answer, at) =>
          `<div class="item"><div role="button" aria-controls="a${at}" aria-expanded="false"><a href="">${question}</a></div><div id="a${at}"><p>${answer}</p></div></div>`,
        1,
      ),
    );
    assert.equal(text.match(/Question/g)?.length, answers.length);
  });

  it('has no line that is above each of its parts in the same words', () => {
    const text = page(
      entries(
        (question, answer) =>
          `<div class="item"><div class="close">DROPPED</div><h2>${question}</h2><p>${answer}</p></div>`,
        1,
      ),
    );
    assert.doesNotMatch(text.slice(0, text.indexOf('KEPT')), /DROPPED/);
  });

  it('has no buttons that do the same, nor such as stand together', () => {
    const same = page(entries((_, answer) => `<button>DROPPED</button><p>${answer}</p>`, 1));
    const beside = page(
      entries((_, answer, at) => `<p>${answer}</p><button>DROPPED ${at}</button><button>DROPPED</button>`, 1),
    );
    assert.doesNotMatch(same + beside, /DROPPED/);
  });
});
