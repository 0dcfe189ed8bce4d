import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { livePathPrefix } from '../../contract/live-view.ts';
import type { Capabilities } from '../http/capabilities.ts';
import type { Pages } from '../http/http.ts';

// In the built service `import.meta.dirname` is dist/, where the viewer's page is built to.
const built = import.meta.dirname.endsWith(join('src', 'service', 'live-view'))
  ? join(import.meta.dirname, '..', '..', '..', 'dist', 'live-view')
  : join(import.meta.dirname, 'live-view');

/** Who may show the page in a frame: the webviews of VS Code, on the desktop and in the browser. */
const ancestors = "'self' vscode-webview: vscode-file: https://*.vscode-cdn.net";

/** The pages behind `liveViewUrl` and `interactiveLiveViewUrl`; `authorities` are those that VS Code forwards this service under. */
export function livePages(capabilities: Capabilities, authorities: () => readonly string[]): Pages {
  let viewer: ViewerPage | undefined;
  return {
    allowance: (path) => (path.startsWith(`${livePathPrefix}/`) ? { authorities: authorities() } : undefined),
    respond(request, response, path) {
      if (request.method !== 'GET') {
        response.setHeader('allow', 'GET');
        return message(response, 405, 'Only GET is answered here.');
      }
      const [, , secret] = path.slice(1).split('/');
      // Without its secret the page holds nothing; it finds the secret again where it kept it, as after a reload.
      const found = secret === undefined ? undefined : capabilities.find(path);
      if (found === 'gone') return message(response, 410, 'This browser session has ended, and its live view with it.');
      if (secret !== undefined && !found?.page) {
        return message(response, 404, 'There is no live view at this address. Open it again from where you got it.');
      }
      viewer ??= readViewer();
      const host = request.headers.host ?? '';
      send(response, 200, viewer.html, [
        `script-src '${viewer.script}'`,
        `style-src '${viewer.style}'`,
        'img-src data:',
        'font-src data:',
        `connect-src 'self' ws://${host} wss://${host}`,
      ]);
    },
  };
}

interface ViewerPage {
  html: string;
  /** Hashes of the one script and the one style, as the policy names them. */
  script: string;
  style: string;
}

/** Script and style are in the page itself: there is no second address to guard, or to get wrong behind a proxy. */
function readViewer(): ViewerPage {
  const script = readFileSync(join(built, 'page.js'), 'utf8').replaceAll('</script', '<\\/script');
  const style = readFileSync(join(built, 'page.css'), 'utf8').replaceAll('</style', '<\\/style');
  return {
    html: htmlPage('Live view', `<main id="app"></main>\n<script>${script}</script>`, style),
    script: hash(script),
    style: hash(style),
  };
}

const plainStyle =
  'body{font:16px/1.5 system-ui,sans-serif;margin:20vh auto;max-width:36em;padding:0 1em;color-scheme:light dark}';

function message(response: ServerResponse, status: number, text: string): void {
  send(response, status, htmlPage('Live view', `<p>${text}</p>`, plainStyle), [`style-src '${hash(plainStyle)}'`]);
}

function send(response: ServerResponse, status: number, html: string, policy: readonly string[]): void {
  const rules = [
    "default-src 'none'",
    ...policy,
    `frame-ancestors ${ancestors}`,
    "base-uri 'none'",
    "form-action 'none'",
  ];
  response.setHeader('content-security-policy', rules.join('; '));
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.writeHead(status).end(html);
}

function htmlPage(title: string, body: string, style: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
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
