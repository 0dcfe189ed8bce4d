import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createPageReader, TooCostly } from '../../../../src/service/assistants/docs-search/thread/long-pages.ts';
import { workingFor } from '../../../../src/service/platform/asker.ts';
import { eventually } from '../../../harness/eventually.ts';

const page = { address: 'page.md', anchors: true };
const long = `# Kettle\n\n${'The kettle is blue.\n\n'.repeat(12_000)}`;

describe('long pages of docs', () => {
  it('are read as short ones are', async () => {
    const read = createPageReader();
    const [one, short, other] = await Promise.all([read(page, long), read(page, '# Cup\n\nRed.'), read(page, long)]);
    assert.deepEqual(
      [one, short].map(({ pages, passages }) => [pages[0]?.title, passages[0]?.blocks[0]?.text]),
      [
        ['Kettle', 'The kettle is blue.'],
        ['Cup', 'Red.'],
      ],
    );
    assert.deepEqual(one, other);
  });

  it('are ended when they take too long or too much, and those of other teams do not wait for them (DOC-02)', async () => {
    const read = createPageReader({ seconds: 2, heap: 1000 });
    const slow = workingFor({ team: 'one', work: '' }, () => read(page, '!['.repeat(10_000_000)));
    const isSlow = slow.then(
      () => 'read',
      (error: Error) => `${error instanceof TooCostly} ${error.message}`,
    );
    const others = workingFor({ team: 'other', work: '' }, () => read(page, 'Blue.\n'.repeat(40_000)));
    assert.equal(await isSlow, 'true It takes more than 2 seconds to read.');
    assert.equal((await others).pages.length, 1);
    await assert.rejects(createPageReader({ seconds: 60, heap: 10 })(page, '![x]()\n\n'.repeat(600_000)), {
      message: 'It takes more than 10 MB of memory to read.',
    });
  });

  it('are read whatever was read before them (DOC-02)', async () => {
    const read = createPageReader({ seconds: 60, heap: 400 });
    const section = (number: number) =>
      `### fn${number}(a, b)\n\n|Name|Type|Text|\n|-|-|-|\n|a|\`string\`|The [a](#a)|\n|b|\`number\`|The b|\n\n\`\`\`js\nfn${number}(1, 2)\n\`\`\`\n\n`;
    const reference = Array.from({ length: 21_000 }, (_, number) => section(number)).join('');
    for (let count = 0; count < 3; count++) assert.equal((await read(page, reference)).passages.length, 21_000);
  });

  it('leave no thread behind when they fail (DOC-02)', async function () {
    if (process.platform !== 'linux') this.skip();
    const read = createPageReader();
    const threads = () => readdirSync('/proc/self/task').length;
    const before = threads();
    const unsent = { ...page, title: () => '' } as unknown as typeof page;
    for (let count = 0; count < 6; count++) await assert.rejects(read(unsent, long), { name: 'DataCloneError' });
    await eventually(() => assert.ok(threads() <= before, `${threads()} threads, ${before} before`));
  });

  it('of reStructuredText are long from 50 KB', async () => {
    const read = createPageReader({ seconds: 60, heap: 10 });
    const text = 'The kettle is blue.\n\n'.repeat(3_000);
    assert.equal((await read(page, text)).passages.length > 0, true);
    await assert.rejects(read({ ...page, address: 'page.rst' }, text), { message: /10 MB/ });
  });
});
