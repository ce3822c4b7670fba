import { readFile } from 'node:fs/promises';
import type { Browser } from '@playwright/test';

/** Bytes that all processes of the browser use together now, by the proportional set size of Linux. */
async function held(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  let sum = 0;
  for (const { id } of processInfo) {
    const rollup = await readFile(`/proc/${id}/smaps_rollup`, 'utf8').catch(() => '');
    sum += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) * 1024;
  }
  return sum;
}

/** The largest increase of the browser's memory in bytes while `work` ran. */
export async function grownDuring<T>(
  browser: Browser,
  work: () => Promise<T>,
): Promise<{ result: T; grown: number }> {
  const before = await held(browser);
  let peak = before;
  let over = false;
  const watch = (async () => {
    while (!over) {
      peak = Math.max(peak, await held(browser));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  const result = await work();
  over = true;
  await watch;
  return { result, grown: peak - before };
}
