import assert from 'node:assert/strict';
import { workbenchUrl } from '../../../scripts/lib/vscode-server.mjs';

const origin = 'http://127.0.0.1:4000';

function payload(url: string): Record<string, string> {
  return Object.fromEntries(JSON.parse(new URL(url).searchParams.get('payload') ?? ''));
}

describe('the address of a workbench', () => {
  it('has the token and the folder', () => {
    const url = new URL(workbenchUrl(origin, 'secret', { folder: '/a b/c' }));
    assert.equal(url.origin, origin);
    assert.equal(url.searchParams.get('tkn'), 'secret');
    assert.equal(url.searchParams.get('folder'), '/a b/c');
    assert.deepEqual(payload(url.href), { skipWelcome: 'true' });
  });

  it("uses the server's authority for its files", () => {
    const url = workbenchUrl(origin, 't', {
      file: '/a b/ü#1.js',
      extensionDevelopmentPath: '/r',
      extensionTestsPath: '/t.cjs',
    });
    assert.deepEqual(payload(url), {
      skipWelcome: 'true',
      openFile: 'vscode-remote://127.0.0.1:4000/a%20b/%C3%BC%231.js',
      extensionDevelopmentPath: 'vscode-remote://127.0.0.1:4000/r',
      extensionTestsPath: 'vscode-remote://127.0.0.1:4000/t.cjs',
    });
  });
});
