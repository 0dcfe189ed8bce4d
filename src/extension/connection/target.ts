import * as l10n from '@vscode/l10n';

/** Where calls go: the embedded service on this machine, or a server the user connected to. */
export type Target =
  | { kind: 'embedded' }
  | {
      kind: 'server';
      baseUrl: string;
      /** The origin its API key is bound to. */
      origin: string;
      /** Host and port, for display. */
      host: string;
    };

/** Returns the target in the setting: the embedded service if it is empty or isn't an http(s) URL. */
export function targetOf(setting: string): Target {
  const text = setting.trim();
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return { kind: 'embedded' };
  const { origin, host, pathname } = new URL(text);
  return { kind: 'server', baseUrl: (origin + pathname).replace(/\/+$/, ''), origin, host };
}

/** Returns the target's display name. */
export function targetName(target: Target): string {
  return target.kind === 'embedded' ? l10n.t('embedded') : target.host;
}
