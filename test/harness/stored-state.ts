import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';

/** Waits until the workbench has written a text to storage that survives a reload. */
export async function untilStored(page: Page, text: string): Promise<void> {
  for (const end = Date.now() + 30_000; !(await page.evaluate(isStored, text)); await sleep(100)) {
    if (Date.now() > end) throw new Error(`The workbench has not stored ${text} after 30 s.`);
  }
}

/** Runs in the page: searches all of IndexedDB. */
async function isStored(text: string): Promise<boolean> {
  const settled = <Value>(request: IDBRequest<Value>) =>
    new Promise<Value>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  for (const { name = '' } of await indexedDB.databases()) {
    const database = await settled(indexedDB.open(name));
    try {
      for (const store of database.objectStoreNames) {
        const values = await settled(database.transaction(store).objectStore(store).getAll());
        if (values.some((value) => String(value).includes(text))) return true;
      }
    } finally {
      database.close();
    }
  }
  return false;
}
