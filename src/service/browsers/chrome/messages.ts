/** A message of the Chrome DevTools Protocol: a command (id, method), a reply (id, result or error) or an event (method). */
export interface CdpMessage {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  sessionId?: string;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}
