// Lets the other one encode characters of East Asia.
import '@exodus/bytes/encoding.js';
import { percentEncodeAfterEncoding } from '@exodus/bytes/whatwg.js';

/** Returns how the queries of links are encoded on a page in an encoding (URL Standard, section 1.3). */
export function queryEncoding(encoding: string): (query: string) => string {
  const output = encoding.startsWith('utf-16') ? 'utf-8' : encoding;
  return (query) => percentEncodeAfterEncoding(output, query, ` "#'<>`);
}
