/** Returns the URL for text entered in the address bar, or undefined if viewers aren't allowed to open it. */
export function parseAddress(entered: string): string | undefined {
  const text = entered.trim();
  if (text === 'about:blank') return text;
  if (/^https?:\/\//i.test(text)) return normalize(text);
  // Other schemes aren't allowed: files, scripts and the browser's internal pages.
  if (/^[a-z][a-z0-9+.-]*:(?!\d)/i.test(text) || /\s/.test(text)) return undefined;
  const host = /^[^/?#]*/.exec(text)?.[0] ?? '';
  const local = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i.test(host);
  if (!local && !/[^.]\.[^.]/.test(host)) return undefined;
  return normalize(`${local ? 'http' : 'https'}://${text}`);
}

function normalize(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).href : undefined;
}
