import * as z from 'zod';
import { fewOf } from '../../../contract/fields.ts';
import { shorten } from '../../../contract/shorten.ts';
import { messageOf } from '../errors.ts';
import { isLarge } from '../large-json.ts';
import { readText } from '../network/read-text.ts';
import { readLargeJson } from '../read-large-json.ts';
import { type ChatMessage, type Completion, type LanguageModel, ModelError } from './language-model.ts';

export interface EndpointOptions {
  /** Base URL of the API, including its version if it has one, such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  model: string;
  apiKey?: string;
  /** Milliseconds to wait for a response. */
  limitMs?: number;
}

const toolCall = z.looseObject({
  id: z.string().nullish(),
  function: z.looseObject({
    name: z.string(),
    arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
  }),
});
const choice = z.looseObject({
  message: z.looseObject({ content: z.string().nullish(), tool_calls: fewOf(toolCall, 1_000).nullish() }),
});
const responseSchema = z.looseObject({
  choices: z.preprocess((all) => (Array.isArray(all) ? all.slice(0, 1) : all), z.tuple([choice])),
  usage: z.looseObject({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() }).nullish(),
});

/** Maximum size of a response that is read, which may also say how the model reasoned, and characters of the answer in it. */
const maxResponseMiB = 8;
const maxAnswer = 512 * 1024;

/** Returns a model on a server that speaks the OpenAI chat completions protocol, hosted or local. */
export function openAiCompatible({ baseUrl, model, apiKey, limitMs = 120_000 }: EndpointOptions): LanguageModel {
  const url = `${baseUrl.replace(/\/+$/, '')}/chat/completions`;
  return {
    name: model,
    async complete({ messages, tools, maxTokens, signal }) {
      const body = {
        model,
        messages: messages.map(toWire),
        ...(tools?.length && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
        ...(maxTokens && { max_tokens: maxTokens }),
        temperature: 0,
        stream: false,
      };
      let status: number;
      let text: string;
      try {
        const { fetch } = await import('undici');
        const response = await fetch(url, {
          method: 'POST',
          redirect: 'error',
          headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
          body: JSON.stringify(body),
          signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
        });
        status = response.status;
        text = await readText(response.body, maxResponseMiB, 'its response');
      } catch (error) {
        signal.throwIfAborted();
        throw new ModelError(
          `The language model at ${new URL(url).host} did not respond: ${describe(error, limitMs)}`,
          error,
        );
      }
      if (status !== 200) {
        throw new ModelError(
          `The language model at ${new URL(url).host} returned status ${status}${detail(text, apiKey)}`,
        );
      }
      return await read(text, new URL(url).host);
    },
  };
}

function toWire(message: ChatMessage): Record<string, unknown> {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  if (message.role !== 'assistant' || !message.toolCalls?.length)
    return { role: message.role, content: message.content };
  const toolCalls = message.toolCalls.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function',
    function: { name, arguments: text },
  }));
  return { role: 'assistant', content: message.content, tool_calls: toolCalls };
}

async function read(text: string, host: string): Promise<Completion> {
  let parsed: z.output<typeof responseSchema>;
  try {
    parsed = responseSchema.parse(await readLargeJson([Buffer.from(text)]));
  } catch (error) {
    throw new ModelError(`The language model at ${host} returned a response that isn't a chat completion.`, error);
  }
  const [{ message }] = parsed.choices;
  const input = parsed.usage?.prompt_tokens ?? 0;
  const output = parsed.usage?.completion_tokens ?? 0;
  const { content, tool_calls: calls } = message;
  if (isLarge([content, calls], maxAnswer))
    throw new ModelError(`The language model at ${host} returned an answer of more than ${maxAnswer} characters.`);
  return {
    text: content ?? '',
    toolCalls: (calls ?? []).map(({ id, function: call }, index) => ({
      id: id ?? `call_${index}`,
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {}),
    })),
    usage: { inputTokens: input, outputTokens: output, totalTokens: input + output },
  };
}

function describe(error: unknown, limitMs: number): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no response within ${limitMs / 1000} s.`;
  const { cause } = error as { cause?: unknown };
  return `${messageOf(cause ?? error)}. Check that it is running and that its URL is correct.`;
}

/** Returns the server's error text, without the API key that it may repeat. */
function detail(text: string, apiKey: string | undefined): string {
  const safe = shorten((apiKey ? text.replaceAll(apiKey, '…') : text).replaceAll(/\s+/g, ' ').trim());
  return safe ? `: ${safe}` : '.';
}
