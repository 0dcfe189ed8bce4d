import type { Handlers } from '../../platform/http/bind.ts';
import type { DocsSearch } from './docs-search.ts';
import type { DocsSources } from './sources.ts';

type DocsEndpoint = 'searchDocs' | 'askSupport' | 'listDocsSources' | 'addDocsSource' | 'removeDocsSource';

/** Handlers for questions and for the list of sources. */
export function docsHandlers(search: DocsSearch, sources: DocsSources): Pick<Handlers, DocsEndpoint> {
  return {
    searchDocs: ({ body }, { caller, signal }) => search.ask(caller.team, body.question, signal),
    async askSupport({ body }, { caller, signal }) {
      const answer = await search.ask(caller.team, body.question, signal);
      const confidence = answer.evidence?.length ? 'medium' : 'low';
      return { ...answer, confidence, fixParameters: null, validation: { tested: false } };
    },
    listDocsSources: (_request, { caller }) => ({ success: true, sources: sources.list(caller.team) }),
    addDocsSource: async ({ body: { folder, crawlId, name } }, { caller }) => {
      const source =
        folder === undefined
          ? await sources.addCrawl(caller, crawlId ?? '', name)
          : await sources.addFolder(caller.team, folder, name);
      return { success: true, source };
    },
    removeDocsSource: async ({ params }, { caller }) => {
      await sources.remove(caller.team, params.sourceId);
      return { success: true };
    },
  };
}
