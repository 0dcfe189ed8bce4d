/** Where calls go: the embedded service of this machine, or a server that the person connected to. */
export type Target =
  | { kind: 'embedded' }
  | {
      kind: 'server';
      baseUrl: string;
      /** What its key is bound to. */
      origin: string;
      /** Host and port, as shown. */
      host: string;
    };

/** The target that the setting names: the embedded service when it is empty or no address. */
export function targetOf(setting: string): Target {
  const text = setting.trim();
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return { kind: 'embedded' };
  const { origin, host, pathname } = new URL(text);
  return { kind: 'server', baseUrl: (origin + pathname).replace(/\/+$/, ''), origin, host };
}

/** How a target is called in one or two words. */
export function targetName(target: Target): string {
  return target.kind === 'embedded' ? 'embedded' : target.host;
}
