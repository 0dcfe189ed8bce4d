import type { LiveField, ViewerInput } from '../../../contract/sessions/live-view.ts';
import { shorten } from '../../../contract/shorten.ts';
import { parseAddress } from './address-bar.ts';
import { FileChoices, type FileChooser } from './file-chooser.ts';
import type { WatchedTab } from './live-tab.ts';
import type { LiveViewOptions } from './live-view.ts';
import type { Viewer } from './viewer.ts';
import type { WatchedBrowser } from './watched-browser.ts';

/** A dialog that opens this soon after viewer input is attributed to that input. */
const claimMs = 5_000;
/** What viewers do in the browser of a session. @param watched returns that browser, once it is watched */
export function createViewerActions(
  { clock, tabs, onInput }: Pick<LiveViewOptions, 'clock' | 'tabs' | 'onInput'>,
  viewers: ReadonlySet<Viewer>,
  watched: () => WatchedBrowser | undefined,
) {
  const choices = new FileChoices();
  let lastInput = Number.NEGATIVE_INFINITY;
  /** The viewer that the last input is from. */
  let lastActor: Viewer | undefined;
  /** The tab that each viewer records. */
  const recorded = new Map<Viewer, WatchedTab>();

  /** Whether the last input may have led to what happens now. */
  const areRecent = () => clock.monotonic() - lastInput < claimMs;

  /** Returns the tab that a viewer sees, if it is attached. */
  const tabOf = ({ shown }: Viewer) => (shown === undefined ? undefined : watched()?.known(shown));

  async function pick(viewer: Viewer, point: { x: number; y: number }): Promise<void> {
    // An element that goes while it is looked at is none.
    const element = await tabOf(viewer)
      ?.pick(point)
      .catch(() => undefined);
    viewer.send({ type: 'picked', element: element ?? null });
  }

  function act(viewer: Viewer, input: ViewerInput): void {
    lastInput = clock.monotonic();
    lastActor = viewer;
    onInput();
    const browser = watched();
    if (!browser) return;
    if (input.type === 'files') {
      const chooser = choices.answer(viewer, input);
      if (chooser)
        recorded.get(viewer)?.input.recordFiles(
          chooser,
          input.files.map(({ name }) => name),
        );
      return;
    }
    const { client } = browser;
    if (input.type === 'new-tab') return ignoreFailure(client.send('Target.createTarget', { url: 'about:blank' }));
    if (input.type === 'close-tab') return closeTab(viewer, input.tab);
    const tab = tabOf(viewer);
    if (!tab) return;
    if (input.type === 'navigate') return navigate(viewer, tab, input.url);
    if (input.type === 'history') return ignoreFailure(tab.move(input.to));
    if (input.type === 'choose') return ignoreFailure(tab.input.choose(input.field, input.value));
    if (input.type === 'record') return void record(viewer, input.on ? tab : undefined);
    if (input.type === 'dialog') return tab.answerDialog(input.accept, input.text);
    if (input.type === 'copy') {
      return ignoreFailure(tab.input.selection(input.cut).then((text) => viewer.send({ type: 'clipboard', text })));
    }
    tab.input.gesture(input);
  }

  /** Records in one tab at a time; without one, ends that. */
  async function record(viewer: Viewer, tab?: WatchedTab): Promise<void> {
    const before = recorded.get(viewer);
    recorded.delete(viewer);
    await before?.input.record();
    if (tab) {
      recorded.set(viewer, tab);
      await tab.input.record((statement) => viewer.send({ type: 'recorded', statement }));
    }
    viewer.send({ type: 'recording', on: tab !== undefined });
  }

  function navigate(viewer: Viewer, tab: WatchedTab, entered: string): void {
    const url = parseAddress(entered);
    if (url) ignoreFailure(tab.navigate(url));
    else viewer.send({ type: 'notice', text: `"${shorten(entered)}" isn't an http or https URL.` });
  }

  function closeTab(viewer: Viewer, targetId: string): void {
    const list = tabs.list();
    if (!list.some((tab) => tab.targetId === targetId)) return;
    if (list.length === 1)
      return viewer.send({ type: 'notice', text: "The last tab can't be closed: the browser would close with it." });
    ignoreFailure(watched()?.client.send('Target.closeTarget', { targetId }));
  }

  function onChooser(tab: WatchedTab, chooser: FileChooser): void {
    // One that code has opened is left to that code.
    const viewer = lastActor;
    if (!viewer || !viewers.has(viewer) || viewer.shown !== tab.targetId || clock.monotonic() - lastInput > claimMs)
      return;
    choices.ask(viewer, chooser);
  }

  return {
    act,
    pick,
    tabOf,
    areRecent,
    onChooser,
    /** Tells a viewer of the field that its input has focused. */
    onField(tab: WatchedTab, field: LiveField): void {
      if (lastActor?.shown === tab.targetId) lastActor.send({ type: 'field', field });
    },
    /** Takes bytes of a file that a viewer has chosen. */
    receive: (viewer: Viewer, bytes: Buffer): void => choices.receive(viewer, bytes),
    /** Ends what a viewer has begun that has left. */
    end(viewer: Viewer): void {
      choices.cancel(viewer);
      if (recorded.has(viewer)) void record(viewer);
    },
  };
}

/** Ignores failures, such as those of a tab that has just closed. */
function ignoreFailure(work: Promise<unknown> | undefined): void {
  work?.catch(() => undefined);
}
