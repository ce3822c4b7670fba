import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { openAppServer } from '#shim/app-server/app-server.ts';
import { BRIDGE_PATH, TabBridge } from '#shim/bridge/tab-bridge.ts';
import type { PortListener } from '#shim/ports/listener.ts';
import { openPort, type PortName } from '#shim/ports/open-ports.ts';
import { test as base, expect } from '../support/fixtures.ts';

/** A running shim that serves the test site. A tab answers its ports. */
export interface Shim {
  origin: string;
  bridge: TabBridge;
  port(name: PortName): string;
  tab(): Promise<Page>;
}

export const test = base.extend<{ shim: Shim }>({
  shim: async ({ context }, use) => {
    const appOrigins: string[] = [];
    const bridge = new TabBridge({ appOrigins });
    const app = await openAppServer({
      port: 0,
      folder: fileURLToPath(new URL('../../../.cache/browser-site/old', import.meta.url)),
      connect: async (request, path) =>
        path === BRIDGE_PATH ? bridge.accept(request) : new Response(null, { status: 404 }),
    });
    const origin = `http://localhost:${app.port}`;
    appOrigins.push(origin);
    const ports = new Map<PortName, PortListener>();
    for (const name of ['local-models', 'image-workflows', 'webhooks'] as const) {
      ports.set(name, await openPort(bridge, name, { port: 0 }));
    }
    await use({
      origin,
      bridge,
      port: (name) => `http://127.0.0.1:${ports.get(name)!.port}`,
      async tab() {
        const page = await context.newPage();
        await page.goto(`${origin}/index.html`);
        await page.evaluate(() => window.startTabd());
        return page;
      },
    });
    await bridge.close();
    for (const listener of [app, ...ports.values()]) await listener.close(AbortSignal.abort());
  },
});

/** Opens a tab that answers the ports. */
export async function bridged(shim: Shim): Promise<Page> {
  const page = await shim.tab();
  await page.evaluate((token) => window.tabd.bridge(token), shim.bridge.pairing.token);
  await expect.poll(() => shim.bridge.connected).toBe(true);
  return page;
}
