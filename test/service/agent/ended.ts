import { eventually } from '../../harness/eventually.ts';
import type { Answer } from '../../harness/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of responses that they have just requested
type Loose = any;

/** Returns the state of an agent or extract job once it has ended. */
export async function ended(
  service: { call(method: string, path: string): Promise<Answer<Loose>> },
  id: string,
): Promise<Loose> {
  return await eventually(async () => {
    const { status, body } = await service.call('GET', `/v2/agent/${id}`);
    if (status !== 200) throw new Error(`status ${status}: ${JSON.stringify(body)}`);
    if (body.status === 'processing') throw new Error(`still processing: ${JSON.stringify(body.steps)}`);
    return body;
  });
}
