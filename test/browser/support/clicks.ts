/** How often a person has clicked in a page since it was opened. */
import type { BrowserContext, Page } from '@playwright/test';

/** For pages that are opened from then on. */
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
