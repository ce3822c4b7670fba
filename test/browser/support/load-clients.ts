import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { build } from 'vite';

/**
 * Loads stock clients, bundled as in a site, into `globalThis.clients`. The page's CSP does not apply, as in a
 * developer's console.
 */
export async function loadClients(page: Page, entry: string): Promise<void> {
  const [{ output }] = (await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      lib: {
        entry: fileURLToPath(new URL(`../clients/${entry}`, import.meta.url)),
        formats: ['iife'],
        name: 'clients',
      },
    },
  })) as unknown as [{ output: { code: string }[] }];
  await page.evaluate(`${output[0]!.code}; globalThis.clients = clients`);
}
