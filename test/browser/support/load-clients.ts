import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { build } from 'vite';

/** Stock clients, bundled as a site would, into `globalThis.clients`: past the page's CSP, as a developer's console would. */
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
