import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { eventually } from './eventually.ts';

/** Waits until the workbench has written a text to storage that survives a reload. */
export async function untilStored(page: Page, text: string): Promise<void> {
  await eventually(async () => assert.ok(await page.evaluate(isStored, text), `${text} is not stored`));
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
