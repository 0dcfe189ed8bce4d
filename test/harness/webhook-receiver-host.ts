// Runs the webhook receiver as the extension host does: `node webhook-receiver-host.ts PROGRAM DIRECTORY SECRET`.
// Prints the port, and the number of stored deliveries for every line on standard input; exits when its standard input ends.
import { createInterface } from 'node:readline';
import { startReceiverThread } from '../../src/extension/webhooks/receiver/receiver.ts';

const [program = '', directory = '', secret = ''] = process.argv.slice(2);
const thread = startReceiverThread(program);
const bounds = { deliveries: 20_000, ageMs: 7 * 24 * 3600_000, bytes: 1024 ** 3 };
const settings = { secrets: [secret], publicHosts: [], bounds, forwardTo: undefined };
await thread.call('open', { directory, settings });
const { port } = await thread.call('listen', { port: 0 });
process.stdout.write(`${port}\n`);
for await (const _ of createInterface(process.stdin)) {
  const { total } = await thread.call('list', { jobId: undefined, limit: 1 });
  process.stdout.write(`${total}\n`);
}
await thread.dispose();
