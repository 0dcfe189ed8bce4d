// Lets the other one encode characters of East Asia.
import '@exodus/bytes/encoding.js';
import { percentEncodeAfterEncoding } from '@exodus/bytes/whatwg.js';

/** Encodes the queries of a page's links and forms as browsers do: in its encoding, or in that of the form (URL Standard, section 1.3). */
export type QueryEncoding = ReturnType<typeof queryEncodingOf>;

/** What of ASCII is encoded in the data of forms. */
const encodedInForms = ' !"#$%&\'()+,/:;<=>?@[\\]^`{|}~';

/** @param encoding that of the page, by its name in the Encoding Standard */
export function queryEncodingOf(encoding: string) {
  const outputOf = (name: string) => (name.startsWith('utf-16') ? 'utf-8' : name);
  return {
    link: (query: string) => percentEncodeAfterEncoding(outputOf(encoding), query, ` "#'<>`),
    /** @param labels the form's `accept-charset` */
    form(sent: readonly [name: string, value: string][], labels: string | undefined): string {
      const chosen = labels === undefined ? encoding : (labels.split(/\s+/).flatMap(nameOf)[0] ?? 'utf-8');
      const encoded = (text: string) => percentEncodeAfterEncoding(outputOf(chosen), text, encodedInForms, true);
      return sent.map((pair) => pair.map(encoded).join('=')).join('&');
    },
  };
}

function nameOf(label: string): string[] {
  try {
    return [new TextDecoder(label).encoding];
  } catch {
    return [];
  }
}
