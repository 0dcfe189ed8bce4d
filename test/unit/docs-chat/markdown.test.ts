import assert from 'node:assert/strict';
import { parseHTML } from 'linkedom';
import { visibleText } from '../../../src/extension/ui/text/visible-text.ts';
import { type MarkdownContext, maxRenderedLength, renderMarkdown } from '../../../src/webviews/docs/markdown.ts';
import { hostileMarkdown } from '../../harness/hostile-markdown.ts';

const elements = new Set(
  'div p span ul ol li blockquote table thead tbody tr th td strong em s code pre br hr h4 h5 h6 button'.split(' '),
);
const attributes = new Set(['class', 'type', 'role', 'title', 'start', 'tabindex', 'aria-label', 'data-host']);

describe('markdown of an answer', () => {
  let opened: string[];
  const { document: page } = parseHTML('<html><body></body></html>');
  beforeEach(() => {
    opened = [];
    Reflect.set(globalThis, 'document', page);
  });
  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'document');
  });

  function render(text: string, look: Partial<MarkdownContext> = {}): HTMLElement {
    return renderMarkdown(text, {
      evidence: 0,
      isBundledDoc: (file) => file === 'limits.md',
      openEvidence: (index) => opened.push(`evidence ${index}`),
      openLink: (href) => opened.push(href),
      codeActions: (code) => {
        const made = page.createElement('div');
        made.className = `actions-of-${code.length}`;
        return made as unknown as HTMLElement;
      },
      ...look,
    });
  }
  const names = (root: HTMLElement) => [root, ...root.querySelectorAll('*')].map((one) => one.tagName.toLowerCase());
  const attributesIn = (root: HTMLElement) =>
    [root, ...root.querySelectorAll('*')].flatMap((one) => [...one.attributes].map(({ name }) => name));
  const links = (root: HTMLElement) => [...root.querySelectorAll<HTMLElement>('button.link')];

  it('becomes paragraphs, lists, tables, code and emphasis', () => {
    const root = render(
      '## Head\n\nA **b** *c* ~~d~~ `e`\n\n- one\n- two\n\n3. three\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> said\n\n```js\nlet a = 1;\n```\n',
    );
    assert.equal(root.querySelector('h4')?.textContent, 'Head');
    assert.deepEqual(
      [...root.querySelectorAll('strong, em, s, p > code')].map(({ textContent }) => textContent),
      ['b', 'c', 'd', 'e'],
    );
    assert.deepEqual(
      [...root.querySelectorAll('ul li')].map(({ innerHTML }) => innerHTML),
      ['one', 'two'],
    );
    assert.equal(root.querySelector('ol')?.getAttribute('start'), '3');
    assert.deepEqual(
      [...root.querySelectorAll('td')].map(({ textContent }) => textContent),
      ['1', '2'],
    );
    assert.equal(root.querySelector('.code pre')?.textContent, 'let a = 1;');
    assert.equal(root.querySelector('.code')?.getAttribute('aria-label'), 'Code, js');
  });

  it('links its numbers to the evidence, and only to existing evidence', () => {
    const root = render('First [1]. Then [2][3] and [0].', { evidence: 2 });
    const numbers = [...root.querySelectorAll<HTMLElement>('.number')];
    assert.deepEqual(
      numbers.map(({ textContent }) => textContent),
      ['1', '2'],
    );
    assert.match(root.textContent ?? '', /\[3\] and \[0\]/);
    numbers[1]?.click();
    assert.deepEqual(opened, ['evidence 1']);
  });

  it('cites all of its evidence if it names none', () => {
    const root = render('One.\n\nTwo.', { evidence: 2 });
    assert.equal(root.lastElementChild?.textContent, 'Two. 1 2');
    assert.equal(render('```\ncode\n```', { evidence: 1 }).querySelectorAll('.number').length, 0, 'no text, no number');
  });

  it('shows where a link leads, and asks the extension to open it', () => {
    const root = render(
      '[docs](https://example.test/a) <https://example.test/> [limits](limits.md#ttl) [other](other.md)',
    );
    assert.deepEqual(
      links(root).map(({ textContent }) => textContent),
      ['docs (example.test)', 'https://example.test/', 'limits'],
    );
    for (const link of links(root)) link.click();
    assert.deepEqual(opened, ['https://example.test/a', 'https://example.test/', 'limits.md#ttl']);
  });

  it('opens only http, https and our own texts', () => {
    const bad = [
      'command:workbench.action.terminal.new',
      'vscode://file/etc/passwd',
      'javascript&#58;alert(1)',
      'JaVaScRiPt:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      '../../etc/passwd',
      '../limits.md',
      '//evil.test/x',
      'https://bank.test@evil.test/',
      'vscode-webview://x',
      'blob:https://evil.test/1',
    ];
    for (const href of bad) {
      const root = render(`[words](${href})`);
      assert.deepEqual(links(root), [], href);
      assert.equal(root.textContent, 'words', href);
      assert.equal(root.querySelectorAll('.left-out').length, 1, href);
    }
  });

  it('loads nothing and contains no markup, whatever the input (EXT-08)', () => {
    const root = render(visibleText(hostileMarkdown('http://127.0.0.1:9')), { evidence: 5 });
    assert.deepEqual(
      [...new Set(names(root))].filter((name) => !elements.has(name)),
      [],
    );
    assert.deepEqual(
      [...new Set(attributesIn(root))].filter((name) => !attributes.has(name)),
      [],
    );
    assert.match(root.textContent ?? '', /\[image: secret\]/);
    assert.match(root.textContent ?? '', /<script>fetch/);
    assert.deepEqual(
      links(root).map(({ dataset }) => dataset.host),
      ['127.0.0.1:9', '127.0.0.1:9', 'evil.test'],
    );
    assert.deepEqual(opened, []);
  });

  it('shows every invisible character of code (EXT-10)', () => {
    const root = render(visibleText('```sh\necho 1\r2 \u001b[2K\u202E\u200b\n```'));
    assert.equal(root.querySelector('pre')?.textContent, 'echo 1⟦U+000D⟧2 ⟦U+001B⟧[2K⟦U+202E U+200B⟧');
  });

  it('renders fast, whatever the input (EXT-08)', () => {
    const fill = (part: string) => part.repeat(Math.ceil(maxRenderedLength / part.length)).slice(0, maxRenderedLength);
    const parts = [
      '>',
      '> ',
      '*',
      '*a ',
      '_',
      '[',
      '![',
      '[a](',
      '`',
      '``a`',
      '<',
      '<a ',
      '&',
      '&amp',
      '\\',
      '|',
      '- ',
      '  - ',
      '1. ',
      '#',
      '~~',
      '**a_',
      '|-',
      'a\n',
      '\t',
      '[a]: <b> "',
      '```',
      '> - ',
    ];
    for (const part of parts) {
      const root = render(fill(part));
      assert.deepEqual(
        [...new Set(names(root))].filter((name) => !elements.has(name)),
        [],
        part,
      );
    }
  });
});
