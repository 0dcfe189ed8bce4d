import assert from 'node:assert/strict';
import type { CdpClient } from '../../../src/service/browsers/chrome/cdp-client.ts';
import { navigationHistory } from '../../../src/service/browsers/chrome/navigation-history.ts';
import { WatchedTab, type WatchedTabOptions } from '../../../src/service/browsers/live-view/live-tab.ts';
import { eventually } from '../../harness/eventually.ts';

const between = () => new Error('Page.getNavigationHistory: Not attached to an active page (-32000)');
const entry = { id: 1, url: 'http://shop.test/', title: '' };
const historyAt = (currentIndex: number) => ({ currentIndex, entries: [entry, { ...entry, id: 2 }] });

/** Returns or throws one answer after another, and the last one from then on. */
function inTurn<Answer extends object>(answers: (Answer | Error)[]): () => Answer {
  return () => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === undefined || answer instanceof Error) throw answer;
    return answer;
  };
}

describe('the history of a tab', () => {
  it('is asked for again while the tab is between two documents', async () => {
    const answer = inTurn([between(), between(), historyAt(1)]);
    assert.deepEqual(await navigationHistory(async () => answer() as never), historyAt(1));
  });

  it('has any other failure at once', async () => {
    let asked = 0;
    const gone = new Error('Page.getNavigationHistory: Session with given id not found.');
    const answer = navigationHistory(async () => {
      asked++;
      throw gone;
    });
    await assert.rejects(answer, gone);
    assert.equal(asked, 1);
  });
});

describe('the buttons of a watched tab', () => {
  /** Watches a tab whose history is what `history` returns or throws. Returns what to tell of it, and what was sent. */
  async function watch(history: () => object) {
    const listeners = new Map<string, (params: object, session: string) => void>();
    const sent: { method: string; params?: object | undefined }[] = [];
    const client = {
      send: async (method: string, params?: object) => {
        sent.push({ method, params });
        if (method === 'Target.attachToTarget') return { sessionId: 'session' };
        return method === 'Page.getNavigationHistory' ? history() : {};
      },
      on: (event: string, listener: (params: object, session: string) => void) => {
        listeners.set(event, listener);
        return () => undefined;
      },
      fault: (error: unknown) => assert.fail(String(error)),
    } as unknown as CdpClient;
    const nothing = () => undefined;
    const tab = new WatchedTab({
      ...{ client, targetId: 'tab', mac: false, nextSeq: () => 1, after: () => nothing, url: () => entry.url },
      icons: { of: async () => undefined } as unknown as WatchedTabOptions['icons'],
      ...{ onState: nothing, onLoaded: nothing, onIcon: nothing, onDialog: nothing },
      ...{ onChooser: nothing, onField: nothing, onNotice: nothing },
    });
    const read = () => sent.filter(({ method }) => method === 'Page.getNavigationHistory').length;
    await eventually(() => assert.equal(read(), 1));
    return { tab, sent, tell: (event: string, params: object) => listeners.get(event)?.(params, 'session') };
  }

  it('have the history of a document that the browser tells of before it is there', async () => {
    const { tab, tell } = await watch(inTurn([historyAt(1), between(), historyAt(0)]));
    await eventually(() => assert.equal(tab.state.canGoBack, true));
    tell('Page.frameNavigated', { frame: { id: 'tab' } });
    await eventually(() => assert.equal(tab.state.canGoForward, true));
    assert.equal(tab.state.canGoBack, false);
  });

  it('have it also if the browser says only once the page is loaded that it has moved', async () => {
    let history = historyAt(1);
    const { tab, tell } = await watch(() => history);
    tell('Page.frameNavigated', { frame: { id: 'tab' } });
    await eventually(() => assert.equal(tab.state.canGoBack, true));
    history = historyAt(0);
    tell('Page.frameStoppedLoading', { frameId: 'tab' });
    await eventually(() => assert.equal(tab.state.canGoForward, true));
  });

  it('go back from a document that is just coming', async () => {
    const { tab, sent } = await watch(inTurn([historyAt(1), between(), historyAt(1)]));
    await tab.move('back');
    assert.deepEqual(sent.at(-1), { method: 'Page.navigateToHistoryEntry', params: { entryId: 1 } });
  });
});
