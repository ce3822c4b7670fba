/** The time without a server after the answering tab was closed, while another tab is open. */
import { type BrowserContext, chromium, type Page } from '@playwright/test';
import { chromiumLaunch } from '#test/support/processes/chromium.ts';
import { makeHome, removeHome } from '#test/support/processes/node-home.ts';
import { startShim } from '#test/support/processes/shim.ts';
import { openAppTab } from '#test/support/processes/tab.ts';
import type { Figure } from '../figure.ts';
import { median } from '../statistics.ts';

const ROUNDS = 10;

export default async function* handOver(): AsyncIterable<Figure> {
  const browser = await chromium.launch(await chromiumLaunch());
  const home = await makeHome([]);
  const shim = await startShim(home);
  try {
    const context = await browser.newContext();
    const times = await measureGaps(context, `http://localhost:${shim.ports.app}`);
    yield { name: 'hand-over: ms from closing a tab to the answer of another, median', value: median(times) };
    yield {
      name: 'hand-over: ms from closing a tab to the answer of another, longest',
      value: Math.max(...times),
      aim: '<= 1000',
    };
  } finally {
    await browser.close();
    await shim.stop();
    await removeHome(home);
  }
}

/**
 * The time without a server in each round, in milliseconds. A round closes the answering tab; the other one takes over.
 */
async function measureGaps(context: BrowserContext, origin: string): Promise<number[]> {
  let leader = await openAppTab(context, origin);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const other = await openAppTab(context, origin);
    const started = performance.now();
    await leader.close();
    await listModels(other);
    times.push(performance.now() - started);
    leader = other;
  }
  return times;
}

/** Requests the list of models, which the server must read from storage. */
async function listModels(page: Page): Promise<void> {
  const answer = await page.evaluate(async () => (await fetch('/api/tags')).text());
  if (answer !== '{"models":[]}') throw new Error(`not the list of models: ${answer}`);
}
