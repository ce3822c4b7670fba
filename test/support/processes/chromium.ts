/** The Chromium of the tests, and its launch options. `npm test` installs it. */
import type { LaunchOptions } from '@playwright/test';
import { findBrowser } from '#scripts/ensure-browser.mjs';

/** Flags for a quiet Chromium without requests to the internet. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function chromiumLaunch(flags: string[] = []): Promise<LaunchOptions> {
  const executablePath = await findBrowser();
  if (!executablePath) throw new Error('no Chromium: run `node scripts/ensure-browser.mjs` first');
  return { executablePath, args: [...CHROMIUM_FLAGS, ...flags] };
}
