/** The URL that an entered text means, or undefined where it is none that a viewer may open. */
export function addressOf(entered: string): string | undefined {
  const text = entered.trim();
  if (text === 'about:blank') return text;
  if (/^https?:\/\//i.test(text)) return parsed(text);
  // With another scheme: files, scripts and the browser's own pages are not for viewers.
  if (/^[a-z][a-z0-9+.-]*:(?!\d)/i.test(text) || /\s/.test(text)) return undefined;
  const host = /^[^/?#]*/.exec(text)?.[0] ?? '';
  const local = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i.test(host);
  if (!local && !/[^.]\.[^.]/.test(host)) return undefined;
  return parsed(`${local ? 'http' : 'https'}://${text}`);
}

function parsed(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).href : undefined;
}
