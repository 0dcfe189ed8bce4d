import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The model's response to a request: text, tool calls, an error status, raw bytes, or none. */
export type ModelAnswer =
  | { text: string }
  | { calls: { name: string; arguments: unknown }[]; text?: string }
  | { status: number; body: string }
  | { raw: string }
  | 'silence';

export interface SeenRequest {
  model: string;
  messages: { role: string; content: string; tool_call_id?: string }[];
  tools?: { function: { name: string } }[];
  authorization: string | undefined;
}

/** A chat completions server with scripted responses. */
export interface ScriptedModel {
  baseUrl: string;
  requests: SeenRequest[];
  /** Sets the models that the server lists, and the key that it then asks for. */
  serve(what: { models: string[]; apiKey?: string }): void;
  /** Sets the responses from now on; a function gets the request and its number, from 0. */
  script(answers: ModelAnswer[] | ((request: SeenRequest, number: number) => ModelAnswer)): void;
  close(): Promise<void>;
}

export async function startScriptedModel(): Promise<ScriptedModel> {
  const requests: SeenRequest[] = [];
  let answer: (request: SeenRequest, number: number) => ModelAnswer = () => ({ text: '' });
  let number = 0;
  let served: { models: string[]; apiKey?: string } = { models: [] };
  const server = createServer(async (request, response) => {
    if (served.apiKey !== undefined && request.headers.authorization !== `Bearer ${served.apiKey}`) {
      return response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"no key"}}');
    }
    if (request.url?.endsWith('/models')) {
      const data = served.models.map((id) => ({ id, object: 'model' }));
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
    }
    const body = JSON.parse(await read(request)) as Omit<SeenRequest, 'authorization'>;
    const seen = { ...body, authorization: request.headers.authorization };
    requests.push(seen);
    const given = answer(seen, number++);
    if (given === 'silence') return;
    if ('raw' in given) return response.writeHead(200, { 'content-type': 'application/json' }).end(given.raw);
    if ('status' in given)
      return response.writeHead(given.status, { 'content-type': 'application/json' }).end(given.body);
    const toolCalls =
      'calls' in given
        ? given.calls.map((call, index) => ({
            id: `call_${requests.length}_${index}`,
            type: 'function',
            function: {
              name: call.name,
              arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
            },
          }))
        : undefined;
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        choices: [
          { message: { role: 'assistant', content: given.text ?? null, ...(toolCalls && { tool_calls: toolCalls }) } },
        ],
        usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    serve(what) {
      served = what;
    },
    script(answers) {
      requests.length = 0;
      number = 0;
      answer =
        typeof answers === 'function'
          ? answers
          : (_request, index) => answers[index] ?? { text: 'the script has ended' };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

/** The ref of the element whose line in the newest snapshot matches. */
export function refOf(request: SeenRequest, pattern: RegExp): string {
  for (const { content } of request.messages.toReversed()) {
    const line = content?.split('\n').find((each) => pattern.test(each));
    // A line may name several elements, each before its ref.
    const ref = line && /\[(e\d+)\]/.exec(line.slice(line.search(pattern)))?.[1];
    if (ref) return ref;
  }
  throw new Error(`no ref for ${pattern} in:\n${request.messages.at(-1)?.content}`);
}
