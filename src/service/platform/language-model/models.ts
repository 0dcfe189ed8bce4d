import type { LanguageModel } from './language-model.ts';
import { openAiCompatible } from './openai-compatible.ts';

export const modelVariables = {
  baseUrl: 'WEBDATA_LLM_BASE_URL',
  model: 'WEBDATA_LLM_MODEL',
  apiKey: 'WEBDATA_LLM_API_KEY',
} as const;

/** Returns the model that the environment configures, if any. Throws an error to show if it is incomplete or its URL is invalid. */
export function modelFromEnvironment(env: NodeJS.ProcessEnv): LanguageModel | undefined {
  const baseUrl = env[modelVariables.baseUrl];
  const model = env[modelVariables.model];
  const apiKey = env[modelVariables.apiKey];
  if (!baseUrl && !model) return undefined;
  if (!baseUrl || !model)
    throw new Error(`Set both ${modelVariables.baseUrl} and ${modelVariables.model}, or neither.`);
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol) || new URL(baseUrl).username) {
    throw new Error(`${modelVariables.baseUrl} must be an http or https URL without a user name.`);
  }
  return openAiCompatible({ baseUrl, model, ...(apiKey && { apiKey }) });
}
