import assert from 'node:assert/strict';
import { findChrome } from '../../../src/service/browsers/chrome/find.ts';
import { crawl, pathsOf } from '../../harness/crawl-jobs.ts';
import { bytes, type FaultySite, page, startFaultySite } from '../../harness/faulty-site.ts';
import { pdfOf } from '../../harness/pdf.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

describe('documents that a page shows in a frame', () => {
  let service: TestService;
  let site: FaultySite;
  before(async () => {
    // The browser that most people have, which shows PDFs.
    const { path: chromePath } = findChrome();
    [service, site] = await Promise.all([startTestService({ chromePath }), startFaultySite()]);
  });
  after(() => Promise.all([service.close(), site.close()]));

  const frames: Record<string, string> = {
    'an iframe': '<iframe src="NAME.pdf" width="600" height="400"></iframe>',
    'a viewer': '<iframe src="viewer.html?file=NAME.pdf" width="600" height="400"></iframe>',
    'an object': '<object data="NAME.pdf" type="application/pdf" width="600" height="400"></object>',
  };
  for (const [index, [what, frame]] of Object.entries(frames).entries())
    it(`are crawled, also if a script writes a part of the page: ${what}`, async () => {
      const folder = `/frames/${index}`;
      const script = '<p id="at"></p><script>at.textContent = "Written by a script."</script>';
      site.answer(`${folder}/`, page(`<h1>Acts</h1><p>All acts.</p>${script}${frame.replace('NAME', 'act')}`));
      site.answer(`${folder}/viewer.html`, page('<h1>Viewer</h1><p>It shows a file.</p>'));
      site.answer(`${folder}/act.pdf`, bytes(pdfOf(`Act ${index}`), 'application/pdf'));
      const state = await crawl(service, { url: `${site.baseUrl}${folder}/`, sitemap: 'skip' });
      assert.deepEqual(pathsOf(state), [`${folder}/`, `${folder}/act.pdf`], JSON.stringify(state));
    });
});
