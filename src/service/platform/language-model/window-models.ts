import { randomUUID } from 'node:crypto';
import { shorten } from '../../../contract/shorten.ts';
import { orAborted } from '../async.ts';
import { messageOf } from '../errors.ts';
import type { ModelMessage, WindowLink } from '../link/link.ts';
import type { Log } from '../log.ts';
import { type Completion, type CompletionRequest, type LanguageModel, ModelError } from './language-model.ts';
import { modelFromEnvironment, modelVariables } from './models.ts';

/** Language models that linked windows configure in their settings or offer from VS Code. */
export type WindowModels = ReturnType<typeof createWindowModels>;

interface Waiting {
  from: WindowLink;
  resolve(completion: Completion): void;
  reject(error: Error): void;
}

/** VS Code may ask the user for consent before the model responds. */
const timeoutMs = 180_000;

/** @param endpoints whether windows may name endpoints, which the service connects to */
export function createWindowModels(log: Log, { endpoints: mayName = true } = {}) {
  const endpoints = new Map<WindowLink, LanguageModel>();
  const offered = new Map<WindowLink, string>();
  const waiting = new Map<string, Waiting>();
  const listeners = new Set<() => void>();

  async function ask(window: WindowLink, { messages, tools = [], signal }: CompletionRequest): Promise<Completion> {
    signal.throwIfAborted();
    const id = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<Completion>();
    waiting.set(id, { from: window, resolve, reject });
    const late = new ModelError(`VS Code's language model did not respond within ${timeoutMs / 1000} s.`);
    const timer = setTimeout(reject, timeoutMs, late);
    window.send({ type: 'model-request', id, messages, tools });
    return await orAborted(promise, signal).finally(() => {
      clearTimeout(timer);
      if (waiting.delete(id)) window.send({ type: 'model-cancel', id });
    });
  }

  function changed(): void {
    for (const listener of [...listeners]) listener();
  }

  function take(from: WindowLink, id: string): Waiting | undefined {
    const call = waiting.get(id);
    if (call?.from !== from) return undefined;
    waiting.delete(id);
    return call;
  }

  return {
    find(team: string): LanguageModel | undefined {
      for (const [window, model] of endpoints) if (window.caller.team === team) return model;
      for (const [window, name] of offered) {
        if (window.caller.team === team) return { name, complete: (request) => ask(window, request) };
      }
      return undefined;
    },
    onChange(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    heard(from: WindowLink, message: ModelMessage): void {
      if (message.type === 'model-endpoint') {
        if (!mayName) return;
        endpoints.delete(from);
        const { endpoint } = message;
        try {
          const model =
            endpoint &&
            modelFromEnvironment({
              [modelVariables.baseUrl]: endpoint.baseUrl,
              [modelVariables.model]: endpoint.model,
              [modelVariables.apiKey]: endpoint.apiKey,
            });
          if (model) endpoints.set(from, model);
        } catch (error) {
          log.warn({ reason: messageOf(error) }, 'the language model in the settings of a window is invalid');
        }
      } else if (message.type === 'window-model') {
        if (message.name === null) offered.delete(from);
        else offered.set(from, message.name);
      } else if (message.type === 'model-answer') {
        const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
        take(from, message.id)?.resolve({ text: message.text, toolCalls: message.toolCalls, usage });
      } else {
        take(from, message.id)?.reject(
          new ModelError(`VS Code's language model failed: ${shorten(message.message, 300)}`),
        );
      }
      if (message.type === 'model-endpoint' || message.type === 'window-model') changed();
    },
    gone(from: WindowLink): void {
      endpoints.delete(from);
      offered.delete(from);
      for (const [id, call] of waiting) {
        if (call.from !== from) continue;
        waiting.delete(id);
        call.reject(new ModelError('The VS Code window that provided the language model disconnected.'));
      }
      changed();
    },
  };
}
