import type { ChatMessage, ToolCall, ToolDescription } from '../../../contract/embedded.ts';
import { orAborted } from '../async.ts';

export type { ChatMessage, ToolCall, ToolDescription };

export interface TokenCount {
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
}

export interface CompletionRequest {
  messages: ChatMessage[];
  tools?: ToolDescription[];
  /** Maximum number of tokens of the response. */
  maxTokens?: number;
  signal: AbortSignal;
}

export interface Completion {
  text: string;
  toolCalls: ToolCall[];
  /** As the model counts; zeros if it doesn't report them. */
  usage: TokenCount;
}

/** A language model, wherever it runs. */
export interface LanguageModel {
  /** For logs and messages. */
  readonly name: string;
  /** Throws a ModelError, or the signal's reason. */
  complete(request: CompletionRequest): Promise<Completion>;
}

/** The model didn't respond, or its response can't be used. The message can be shown to the user. */
export class ModelError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ModelError';
  }
}

/** Finds the language model to use. */
export interface LanguageModels {
  /** Returns the model for a team's requests, if there is one. */
  find(team: string): LanguageModel | undefined;
  /** Calls `listener` when models come or go. Returns a function that stops this. Missing where they never do. */
  onChange?(listener: () => void): () => void;
}

/** Returns the model for a team's requests, as soon as there is one. Rejects with the signal's reason. */
export async function awaitModel(models: LanguageModels, team: string, signal: AbortSignal): Promise<LanguageModel> {
  for (;;) {
    signal.throwIfAborted();
    const model = models.find(team);
    if (model) return model;
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = models.onChange?.(resolve);
    await orAborted(promise, signal).finally(() => stop?.());
  }
}

/** The message for a request that needs a model when there is none. */
export const noModelMessage =
  'This needs a language model, and none is configured. Set WEBDATA_LLM_BASE_URL and WEBDATA_LLM_MODEL to any server that speaks the OpenAI chat completions protocol, such as Ollama. In VS Code, use the setting "webdata.languageModel.baseUrl" or one of your own chat models.';
