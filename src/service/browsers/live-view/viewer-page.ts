import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { livePathPrefix } from '../../../contract/sessions/live-view.ts';
import { socketUrl } from '../../platform/http/address.ts';
import { type Capabilities, type CapabilityTarget, capabilityOfPath } from '../../platform/http/capabilities.ts';
import type { Pages } from '../../platform/http/http.ts';

// In the bundled service, `import.meta.dirname` is dist/, which also contains the built viewer page.
const built = import.meta.dirname.endsWith(join('browsers', 'live-view'))
  ? join(import.meta.dirname, '..', '..', '..', '..', 'dist', 'live-view')
  : join(import.meta.dirname, 'live-view');

/** Frame ancestors allowed for the page: VS Code's webviews, on the desktop and in the browser. */
const frameAncestors = "'self' vscode-webview: vscode-file: https://*.vscode-cdn.net";

/** The pages behind `liveViewUrl` and `interactiveLiveViewUrl`; `authorities` are VS Code's forwarded ports for this service. */
export function livePages(
  capabilities: Capabilities,
  authorities: () => readonly string[],
  publicUrl: string | undefined,
): Pages {
  let viewer: ReturnType<typeof readViewer> | undefined;
  return {
    allowance: (path) => (path.startsWith(`${livePathPrefix}/`) ? { authorities: authorities() } : undefined),
    respond(request, response, path) {
      if (request.method !== 'GET') {
        response.setHeader('allow', 'GET');
        return message(response, 405, 'Only GET is supported.');
      }
      const [, , secret, ...below] = path.slice(1).split('/');
      // Without a secret in the URL, the page itself restores the one that it stored, as after a reload.
      const found = secret === undefined ? undefined : capabilities.find(capabilityOfPath(path));
      if (found === 'gone') return message(response, 410, 'This browser session has ended.');
      if (secret !== undefined && !found?.page) {
        return message(
          response,
          404,
          "This live view doesn't exist. Get a new link from the browser session and open it.",
        );
      }
      if (below.length > 0) return void sendDownload(response, found as CapabilityTarget, below);
      viewer ??= readViewer();
      const host = request.headers.host ?? '';
      send(response, 200, viewer.html, [
        `script-src '${viewer.script}'`,
        `style-src '${viewer.style}'`,
        'img-src data:',
        'font-src data:',
        `connect-src 'self' ws://${host} wss://${host}${publicUrl ? ` ${socketUrl(publicUrl)}` : ''}`,
      ]);
    },
  };
}

async function sendDownload(response: ServerResponse, { download }: CapabilityTarget, below: string[]): Promise<void> {
  const [folder, id = '', more] = below;
  const asked = folder === 'downloads' && more === undefined ? download?.(id) : undefined;
  const file = await asked?.catch(() => undefined);
  if (!file) return message(response, 404, "This download doesn't exist, or its file has been deleted.");
  response.setHeader('content-security-policy', "default-src 'none'; sandbox");
  response.setHeader('content-type', 'application/octet-stream');
  response.setHeader('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`);
  response.setHeader('content-length', file.size);
  response.setHeader('cache-control', 'no-store');
  // Code may change the file meanwhile: of what comes after so many bytes, or too late, nothing is the next response.
  response.setHeader('connection', 'close');
  // Whoever asked has left, or the file has been cut: the response says so by its length.
  await pipeline(file.stream, response).catch(() => undefined);
}

const heading = '<header class="view-name"><h1>Live view</h1></header>';

/** Builds the page with inline script and style: no other URL needs protection or correct proxying. */
function readViewer() {
  const script = readFileSync(join(built, 'page.js'), 'utf8').replaceAll('</script', '<\\/script');
  const style = readFileSync(join(built, 'page.css'), 'utf8').replaceAll('</style', '<\\/style');
  return {
    html: htmlPage(`${heading}\n<main id="app"></main>\n<script>${script}</script>`, style),
    /** Hashes of the script and the style for the content security policy. */
    script: hash(script),
    style: hash(style),
  };
}

const plainStyle =
  'body{font:16px/1.5 system-ui,sans-serif;margin:20vh auto;max-width:36em;padding:0 1em;color-scheme:light dark}';

function message(response: ServerResponse, status: number, text: string): void {
  send(response, status, htmlPage(`<main><h1>Live view</h1><p>${text}</p></main>`, plainStyle), [
    `style-src '${hash(plainStyle)}'`,
  ]);
}

function send(response: ServerResponse, status: number, html: string, policy: readonly string[]): void {
  const rules = [
    "default-src 'none'",
    ...policy,
    `frame-ancestors ${frameAncestors}`,
    "base-uri 'none'",
    "form-action 'none'",
  ];
  response.setHeader('content-security-policy', rules.join('; '));
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.writeHead(status).end(html);
}

function htmlPage(body: string, style: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Live view</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>`;
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
