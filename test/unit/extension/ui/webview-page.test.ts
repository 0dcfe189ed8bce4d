import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { Uri } from '../../../harness/fake-vscode.ts';

const webview = {
  cspSource: 'https://files.test',
  asWebviewUri: (uri: Uri) => `https://files.test${uri.path}`,
} as unknown as vscode.Webview;
const extension = Uri.file('/ext') as unknown as vscode.Uri;

describe('the page of a webview (EXT-03)', () => {
  const pageOf = async (options?: { frameOrigin?: string; inlineStyles?: boolean }) => {
    const { webviewPage } = await import('../../../../src/extension/ui/webview-host.ts');
    const html = webviewPage(webview, extension, 'usage', 'Usage', options);
    const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html) ?? [];
    const directives = policy.split('; ').map((part) => [part.split(' ')[0] ?? '', part] as const);
    return { html, policy, directives: Object.fromEntries(directives) };
  };

  it('loads its own script, styles and fonts, and connects to nothing', async () => {
    const { html, directives } = await pageOf();
    assert.deepEqual(Object.keys(directives), ['default-src', 'script-src', 'style-src', 'font-src', 'img-src']);
    assert.equal(directives['default-src'], "default-src 'none'");
    const [, nonce = ''] = /^script-src 'nonce-([\w+/=]{24})'$/.exec(directives['script-src'] ?? '') ?? [];
    assert.equal(directives['style-src'], 'style-src https://files.test');
    assert.equal(directives['img-src'], 'img-src data:');
    const scripts = html.match(/<script\b[^>]*>/g) ?? [];
    for (const script of scripts) assert.ok(script.includes(`nonce="${nonce}"`), script);
    assert.equal(scripts.length, 1);
    assert.notEqual((await pageOf()).policy, (await pageOf()).policy, 'a nonce is used once');
  });

  it('frames only the origin of a live view', async () => {
    const { directives } = await pageOf({ frameOrigin: 'https://live.test:8443' });
    assert.equal(directives['frame-src'], 'frame-src https://live.test:8443');
  });

  it('reads only built files, and runs no commands', async () => {
    const { webviewOptions } = await import('../../../../src/extension/ui/webview-host.ts');
    const { enableCommandUris, enableForms, localResourceRoots = [] } = webviewOptions(extension);
    assert.deepEqual([enableCommandUris, enableForms], [false, false]);
    assert.deepEqual(
      localResourceRoots.map((root) => root.path),
      ['/ext/dist/webviews', '/ext/dist/codicons'],
    );
  });
});
