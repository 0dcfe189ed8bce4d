import type { Protocol } from '../../chrome/protocol.ts';
import type { Tab } from '../tab.ts';

/** A frame of a page, with the CDP session of its process. */
export interface Frame {
  frameId: string;
  /** ID of its document. */
  loaderId: string;
  url: string;
  sessionId: string;
  /** The element that contains it, in the parent's document; the top frame has none. */
  owner?: { frame: Frame; backendNodeId: number };
}

/** Maximum number of frames of a page that are read: pages with more have them for advertisements. */
const maxFrames = 40;

/** The processes of a tab's frames that have one of their own. */
export type FrameProcesses = ReturnType<typeof followProcesses>;

/** Follows the processes of a tab's frames, once `framesOf` has asked for them. Chrome names each only once. */
export function followProcesses({ client }: Tab) {
  const attached = new Map<string, string>();
  const stops = [
    client.on('Target.attachedToTarget', ({ targetInfo, sessionId }, from) => {
      if (targetInfo.type === 'iframe' && from !== undefined) attached.set(sessionId, from);
    }),
    client.on('Target.detachedFromTarget', ({ sessionId }) => void attached.delete(sessionId)),
  ];
  return {
    /** CDP sessions of processes, each with that of the frame around it, in the order in which they were attached. */
    list: (): { sessionId: string; parent: string }[] =>
      [...attached].map(([sessionId, parent]) => ({ sessionId, parent })),
    stop(): void {
      for (const stop of stops) stop();
    },
  };
}

/** Returns the frames of a tab, parents first, including those that run in processes of their own. */
export async function framesOf(tab: Tab, processes: FrameProcesses): Promise<Frame[]> {
  const { client } = tab;
  const frames: Frame[] = [];

  async function add(tree: Protocol.Page.FrameTree, sessionId: string, parent?: Frame): Promise<void> {
    const { frame, childFrames = [] } = tree;
    if (frames.length >= maxFrames) return;
    const { id: frameId, loaderId, url } = frame;
    const owned = parent && client.send('DOM.getFrameOwner', { frameId }, parent.sessionId);
    const owner = await owned?.catch(() => undefined);
    // It was removed in the meantime.
    if (parent && !owner) return;
    const added: Frame = { frameId, loaderId, url, sessionId };
    if (parent && owner) added.owner = { frame: parent, backendNodeId: owner.backendNodeId };
    frames.push(added);
    for (const child of childFrames) await add(child, sessionId, added);
  }

  async function addProcess(sessionId: string): Promise<void> {
    const { frameTree } = await client.send('Page.getFrameTree', {}, sessionId);
    const { parentId } = frameTree.frame;
    const parent = frames.find(({ frameId }) => frameId === parentId);
    if (sessionId !== tab.sessionId && !parent) return;
    await add(frameTree, sessionId, parent);
    const options = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true };
    await client.send('Target.setAutoAttach', options, sessionId);
  }

  await addProcess(tab.sessionId);
  // Each process may report more of them.
  const done = new Set([tab.sessionId]);
  const next = () => processes.list().find(({ sessionId, parent }) => !done.has(sessionId) && done.has(parent));
  for (let process = next(); process; process = next()) {
    done.add(process.sessionId);
    await addProcess(process.sessionId).catch(() => undefined);
  }
  return frames;
}
