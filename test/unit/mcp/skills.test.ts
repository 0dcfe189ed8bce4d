import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createTools } from '../../../src/service/assistants/mcp/tools/tools.ts';
import { repository } from '../../harness/folders.ts';

describe('the skills and agents that the extension brings', () => {
  const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  const titles = Object.values(JSON.parse(readFileSync(join(repository, 'package.nls.json'), 'utf8')));
  const { chatSkills, chatAgents } = manifest.contributes;
  const skills: string[] = [...chatSkills, ...chatAgents].map(({ path }: { path: string }) => path);
  const tools = createTools({ readsFiles: true } as never).list();

  for (const path of skills) {
    const text = readFileSync(join(repository, path), 'utf8');
    const [, head = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
    // An agent's file may have any name.
    const name = path.endsWith('.agent.md') ? 'Web Data' : basename(dirname(path));

    it(`${name} is found by VS Code and is short`, () => {
      assert.match(head, new RegExp(`^name: ${name}$`, 'm'));
      const description = /^description: (.+)$/m.exec(head)?.[1] ?? '';
      assert.ok(description.length > 50 && description.length <= 1024, description);
      assert.ok(text.length < 2_500, `${text.length} characters`);
    });

    it(`${name} names only tools, arguments and commands that there are`, () => {
      const known = new Set(tools.map((tool) => tool.name));
      const others = new Set(tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {})));
      for (const word of ['saveAs', 'page', 'page.evaluate', 'context', 'browser', 'BEGIN untrusted', 'END untrusted'])
        others.add(word);
      const named = [...body.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
      assert.deepEqual(
        named.filter((word) => !known.has(word) && !others.has(word)),
        [],
      );
      assert.ok(named.filter((word) => known.has(word)).length >= 5);
      for (const [, title] of body.matchAll(/\*\*([^*]+)\*\*/g)) assert.ok(titles.includes(title), title);
    });
  }

  it('activate nothing', () => {
    assert.deepEqual(manifest.activationEvents, [
      'onStartupFinished',
      'onFileSystem:webdata',
      'onFileSystem:webdata-crawl',
    ]);
  });
});
