/** Query parameters that tell where a visit comes from, and never which page is meant. */
const tracker =
  /^(?:utm_\w+|gclid|gbraid|wbraid|dclid|fbclid|msclkid|yclid|ttclid|twclid|igshid|srsltid|mc_[ce]id|mkt_tok|_hsenc|_hsmi|_ga|_gl)$/i;

/** Before a parameter that follows another one. */
const nextParameter = /;(?=[^;=]+=)/;

export function isTracker(parameter: string): boolean {
  return tracker.test(parameter);
}

/**
 * Returns a query, such as `?page=2`, without some parameters; empty if none is left. The others stay as they are written: some
 * sites write `;` between parameters.
 */
export function withoutParameters(search: string, isDropped: (name: string, value: string) => boolean): string {
  const kept = search
    .slice(1)
    .split('&')
    .flatMap((pair) => {
      const parts = pair.split(nextParameter).filter((part) => {
        const [name = '', ...value] = part.split('=');
        return !isDropped(name, value.join('='));
      });
      return parts.length === 0 ? [] : [parts.join(';')];
    });
  return kept.length === 0 || kept.join('') === '' ? '' : `?${kept.join('&')}`;
}
