// A converter program that aborts with "break", never answers "wait", says that it has much memory with "large", and tells its
// process ID.
import type { FromProgram, ToProgram } from '../../../src/service/web/scrape/convert/converter-process.ts';

let page = '';
process.on('disconnect', () => process.exit());
process.on('message', ({ id, part, asked }: ToProgram) => {
  if (part) page = Buffer.from(part).toString();
  if (page === 'break') process.abort();
  if (!asked || page === 'wait') return;
  process.send?.({ id, json: Buffer.from(JSON.stringify({ markdown: `${process.pid}` })) } satisfies FromProgram);
  process.send?.({ id, end: { memory: page === 'large' ? 2 ** 30 : 0 } } satisfies FromProgram);
});
