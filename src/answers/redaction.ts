import { agentKeyPrefix } from '../contract/agent-keys.ts';

/** Removes secrets of the service from what agents receive. */
export type Redact = (text: string) => string;

/** URLs of this machine that end in an unguessable secret: of CDP, of live views and of runners. */
const capabilityUrl =
  /(?:(?:wss?|https?):\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?)?\/(?:cdp|runners|live(?:-view)?)\/[\w-]{1,200}(?:\/[\w-]{1,40})?\/[\w-]{43}(?![\w-])/g;

/** Keys of agents. */
const agentKey = new RegExp(`${agentKeyPrefix}[\\w-]{43}`, 'g');

/**
 * @param keys API keys
 */
export function createRedact(keys: readonly string[]): Redact {
  return (text) => {
    let safe = text.replaceAll(capabilityUrl, '(secret URL removed)').replaceAll(agentKey, '(key removed)');
    for (const key of keys) safe = safe.replaceAll(key, '(key removed)');
    return safe;
  };
}
