import assert from 'node:assert/strict';
import { createPageReader } from '../../../../src/service/assistants/docs-search/thread/long-pages.ts';
import { workingFor } from '../../../../src/service/platform/asker.ts';

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
      (error: Error) => error.message,
    );
    const others = workingFor({ team: 'other', work: '' }, () => read(page, 'Blue.\n'.repeat(40_000)));
    assert.equal(await isSlow, 'It takes more than 2 seconds to read.');
    assert.equal((await others).pages.length, 1);
    await assert.rejects(createPageReader({ seconds: 60, heap: 10 })(page, '![x]()\n\n'.repeat(600_000)), {
      message: 'It takes more than 10 MB of memory to read.',
    });
  });
});
