import { embeddedService } from './embedded-service.ts';
import { showViews, statusItem } from './sidebar.ts';
import type { Workbench } from './workbench.ts';
import { runCommand } from './workbench-actions.ts';

/** Leaves a window that other tests have used without editors and sessions. */
export async function startOver({ page, dataDir }: Workbench): Promise<void> {
  // While its list is shown, a session that ends is noticed.
  await showViews(page, 'Browser Sessions');
  const service = embeddedService(dataDir);
  const { body } = await service.call('GET', '/v2/browser?status=active');
  for (const { id } of body.sessions) await service.call('DELETE', `/v2/browser/${id}`);
  await statusItem(page).filter({ hasText: 'Web Data: ' }).waitFor();
  await runCommand(page, 'View: Close All Editors');
}
