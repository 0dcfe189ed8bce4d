import assert from 'node:assert/strict';
import { maskSecrets, questionAbout } from '../../../src/extension/docs-chat/question/question.ts';
import { chatMarkdown } from '../../../src/extension/docs-chat/vscode-chat/chat-markdown.ts';
import { visibleText, withoutCommands } from '../../../src/extension/ui/text/visible-text.ts';
import { commandLinks, hostileMarkdown } from '../../harness/hostile-markdown.ts';

describe('Markdown without commands (EXT-33)', () => {
  it('has no link that runs one, and everything else', () => {
    // How VS Code's Markdown finds addresses: as they are written, and those of HTML without references to characters.
    const links =
      /\]\(\s*<?command:|<command:|\]:[\t ]*<?command:|(?:href|src)\s*=\s*["']?(?:c|&#99;)omm(?:a|&#97;)nd:/gi;
    for (const link of commandLinks) {
      assert.equal(link.match(links)?.length, 1, link);
      assert.doesNotMatch(withoutCommands(link), links);
    }
    const others =
      'command: a\n`command:b` [c](https://c.test/?a="b&c"&command:d) <https://e.test/> <a href="/f?g&h">i</a> x="y&z"';
    assert.equal(withoutCommands(others), others);
    const words = '[INFO]: Command: run\nargs[0]: command: x\nuse <command: name> type="command:a" <a href="i&amp;x">';
    assert.equal(withoutCommands(words), words);
  });

  it('is made in a time that grows with its length (EXT-27)', () => {
    for (const part of ['](', ']( ', '] : ', 'href="', 'href = ', 'href=a', '<', ' ', '\t', '='])
      withoutCommands(part.repeat(200_000));
  });
});

describe('untrusted text', () => {
  it('shows invisible characters by name (EXT-09)', () => {
    assert.equal(
      visibleText('a\u202eb\u200bc\u0007d\u001b[31me\rf\u2028g'),
      'a⟦U+202E⟧b⟦U+200B⟧c⟦U+0007⟧d⟦U+001B⟧[31me⟦U+000D⟧f⟦U+2028⟧g',
    );
    const tags = [...'ignore all']
      .map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0)))
      .join('');
    assert.equal(visibleText(`x${tags}y`), 'x⟦U+E0069 U+E0067 U+E006E … 10 invisible characters⟧y');
    assert.equal(visibleText('\ud800'), '\ufffd');
  });

  it('keeps visible characters, and what belongs to them', () => {
    for (const text of ['tab\tline\n', 'Lövelace, 日本語, العربية', '👩‍👩‍👧 ❤️ 👍🏽 1️⃣', 'a − b'])
      assert.equal(visibleText(text), text);
    assert.equal(visibleText('a\r\nb'), 'a\nb');
    assert.equal(visibleText('a\u200db \ufe0f'), 'a⟦U+200D⟧b ⟦U+FE0F⟧');
  });

  it('is unchanged when it is processed again', () => {
    const once = visibleText(hostileMarkdown('http://127.0.0.1:9'));
    assert.equal(visibleText(once), once);
  });
});

describe('text that looks like a secret', () => {
  it('is masked', () => {
    for (const [text, expected] of [
      ['Authorization: Bearer abcdefgh1234', 'Authorization: Bearer •••'],
      [`const apiKey = 'hunter2!'`, 'const apiKey = •••'],
      ['password: swordfish, user: me', 'password: •••, user: me'],
      ['{"api_key":"abc"}', '{"api_key":•••}'],
      ['postgres://me:pass@db.test/x', 'postgres://•••@db.test/x'],
      ['sk-abcdefghijklmnopqrstuv', '•••'],
      ['token in ws://h/a1b2c3d4e5f6a1b2c3d4e5f6a1b2c3d4e5f6', 'token in ws://h/•••'],
    ])
      assert.equal(maskSecrets(text ?? ''), expected);
  });

  it("isn't masked just because it is long", () => {
    for (const text of [
      '0192f3a4-6c1e-4000-8000-000000000001',
      'aVeryLongIdentifierOfSomeFunctionInSomeModule',
      'What is a token?',
      'How many tokens does a credit buy?',
    ])
      assert.equal(maskSecrets(text), text);
  });
});

describe('the question about a place in an editor', () => {
  const place = { selection: '', language: 'javascript' };

  it('is about a selected term, or shows selected code', () => {
    assert.deepEqual(questionAbout({ ...place, selection: ' activityTtl ' }), {
      question: 'What does `activityTtl` mean?',
      context: '',
    });
    assert.deepEqual(questionAbout({ ...place, selection: '\n    if (a) {\n      b\u200b();\n    }\n' }), {
      question: '',
      context: '```javascript\nif (a) {\n  b⟦U+200B⟧();\n}\n```',
    });
    const fenced = questionAbout({ selection: 'a\n```\nb', language: 'plaintext' });
    assert.equal(fenced.context, '````\na\n```\nb\n````');
  });

  it('is about the error if nothing is selected', () => {
    const { question } = questionAbout({ ...place, error: 'Timeout 5000 ms exceeded' });
    assert.equal(question, 'How do I fix this error: Timeout 5000 ms exceeded');
    assert.deepEqual(questionAbout(place), { question: '', context: '' });
  });

  it('fits in the box, and contains no secret', () => {
    const long = questionAbout({ ...place, selection: 'x = 1;\n'.repeat(2_000) });
    assert.ok([...long.context].length < 2_500);
    assert.ok(questionAbout({ ...place, error: 'e'.repeat(9_000) }).question.length < 700);
    assert.equal(
      questionAbout({ ...place, selection: 'a\napiKey = "abc"' }).context,
      '```javascript\na\napiKey = •••\n```',
    );
  });
});

describe("an answer in VS Code's chat as markdown", () => {
  it('keeps code and lists, and is text otherwise', () => {
    assert.equal(
      chatMarkdown('Use `ttl` *now*.\n\n- one `a*b`\n2. two\n\n```ts\nlet a = `b`;\n```\nEnd'),
      'Use `ttl` \\*now\\*\\.\n\n- one `a*b`\n2. two\n\n\n```ts\nlet a = `b`;\n```\n\nEnd',
    );
  });

  it('contains no link, image or HTML', () => {
    const text = chatMarkdown(visibleText(hostileMarkdown('http://127.0.0.1:9')));
    const outside = text.replace(/\n(`{3,})[^\n]*\n[\s\S]*?\n\1\n/g, '').replace(/(?<!\\)`[^`]+`/g, '');
    assert.deepEqual(outside.match(/(?<!\\)[<>[\]()!&:#]/g), null);
    assert.match(text, /\n```\ncurl/, 'the name of a language is a word or nothing');
  });

  it('closes its code blocks where they are shown to close', () => {
    assert.equal(chatMarkdown('```\na\n    ```\n[x](y)'), '\n````\na\n    ```\n[x](y)\n````\n');
    assert.equal(chatMarkdown('    ```\n[x](y)'), '\\`\\`\\`\n\\[x\\]\\(y\\)');
  });
});
