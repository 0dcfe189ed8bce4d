import { ownNames } from '../../../platform/own-names.ts';

const effects: Readonly<Record<string, boolean>> = ownNames({
  'Emulation.setDeviceMetricsOverride': true,
  'Emulation.clearDeviceMetricsOverride': false,
});

/**
 * Which pages have a viewport size that a CDP client has set, such as with Playwright's `page.setViewportSize`, by the
 * commands of CDP sessions. Chrome drops a size when the session that set it ends.
 */
export class ViewportTracker {
  /** Target IDs by CDP session. */
  #targets = new Map<string, string>();
  /** The CDP sessions that have set a size. */
  #setters = new Set<string>();
  #listeners: ((targetId: string) => void)[] = [];

  /** Whether a client has set the page's size. */
  isSet(targetId: string): boolean {
    for (const sessionId of this.#setters) if (this.#targets.get(sessionId) === targetId) return true;
    return false;
  }

  /** Adds a listener for every change; it receives the target ID of the page. */
  onChange(listener: (targetId: string) => void): void {
    this.#listeners.push(listener);
  }

  attached(sessionId: string, targetId: string): void {
    this.#targets.set(sessionId, targetId);
  }

  command(sessionId: string, method: string): void {
    const sets = effects[method];
    if (sets === undefined || !this.#targets.has(sessionId)) return;
    if (sets) this.#setters.add(sessionId);
    else this.#setters.delete(sessionId);
    this.#notify(sessionId);
  }

  detached(sessionId: string): void {
    if (this.#setters.delete(sessionId)) this.#notify(sessionId);
    this.#targets.delete(sessionId);
  }

  #notify(sessionId: string): void {
    const targetId = this.#targets.get(sessionId);
    if (targetId === undefined) return;
    for (const listener of this.#listeners) listener(targetId);
  }
}
