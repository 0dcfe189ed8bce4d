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
});
