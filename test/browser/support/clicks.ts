/** The number of clicks of a user in a page since it was opened. */
import type { BrowserContext, Page } from '@playwright/test';

/** Counts in pages that are opened from now on. */
export async function countClicks(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const counted = globalThis as unknown as { clicks: number };
    counted.clicks = 0;
    addEventListener(
      'click',
      ({ isTrusted }) => {
        if (isTrusted) counted.clicks += 1;
      },
      true,
    );
  });
}

export function clicks(page: Page): Promise<number> {
  return page.evaluate(() => (globalThis as unknown as { clicks: number }).clicks);
}
