import type { CDPEvents, CDPSession } from 'puppeteer-core';

export type { Protocol } from 'puppeteer-core';

/** There is none: what a command takes and returns is only in the type of its method. */
declare const session: CDPSession;

/** The commands of the Chrome DevTools Protocol, and what each takes and returns. */
export type CdpCommand = Parameters<CDPSession['send']>[0];
export type CdpParams<Command extends CdpCommand> = Parameters<typeof session.send<Command>>[1];
export type CdpResult<Command extends CdpCommand> = Awaited<ReturnType<typeof session.send<Command>>>;

/** The events of the Chrome DevTools Protocol, and what each says. */
export type CdpEvents = CDPEvents;
export type CdpEvent = keyof CdpEvents;

/** Sends a command to one page. */
export type CdpSend = <Command extends CdpCommand>(
  command: Command,
  params?: CdpParams<Command>,
) => Promise<CdpResult<Command>>;
