/** Tokens a second through a tab's API, compared with wllama alone. Both run alternately in one browser. */
import { chromium, type Page } from '@playwright/test';
import { makeStateHome } from '#test/contract/transports/states.ts';
import { chromiumLaunch } from '#test/support/processes/chromium.ts';
import { removeHome } from '#test/support/processes/node-home.ts';
import { startShim } from '#test/support/processes/shim.ts';
import { openAppTab, pullIntoTab } from '#test/support/processes/tab.ts';
import type { Bare } from '../bare-page/page.ts';
import { bareSite } from '../bare-page/site.ts';
import type { Figure } from '../figure.ts';
import { CONTEXT, generateBody, MODEL, PROMPT, speed, THREADS, TOKENS } from '../generation.ts';
import { interleaved, median, pairedRatio } from '../statistics.ts';

const PAIRS = 5;

export default async function* browserSpeed(): AsyncIterable<Figure> {
  const home = await makeStateHome('ready');
  const shim = await startShim(home);
  const site = await bareSite();
  const browser = await chromium.launch(await chromiumLaunch());
  try {
    const tab = await openAppTab(browser, `http://localhost:${shim.ports.app}`);
    await pullIntoTab(tab, MODEL);
    const alone = await (await browser.newContext()).newPage();
    await alone.goto(site.origin);
    await alone.waitForFunction(() => 'bare' in window);
    const threads = await callBare(alone, 'load', { contextLength: CONTEXT, threads: THREADS });
    yield { name: 'browser: threads', value: threads as number };
    const api = async () => speed(await timesInTab(tab));
    const bare = async () =>
      speed((await callBare(alone, 'run', { prompt: PROMPT, tokens: TOKENS })) as number[]);
    await api();
    await bare();
    const measured = await interleaved(PAIRS, api, bare);
    yield { name: 'browser: tokens/s of the bare engine', value: median(measured.b) };
    yield { name: 'browser: tokens/s through the API', value: median(measured.a) };
    yield {
      name: 'browser: API against bare engine',
      value: pairedRatio(measured.a, measured.b),
      aim: '>= 0.97',
    };
  } finally {
    await browser.close();
    site.close();
    await shim.stop();
    await removeHome(home);
  }
}

function callBare(page: Page, method: keyof Bare, argument: unknown): Promise<unknown> {
  return page.evaluate(
    ({ method, argument }) =>
      (window as unknown as { bare: Record<string, (argument: unknown) => Promise<unknown>> }).bare[method]!(
        argument,
      ),
    { method, argument },
  );
}

/** Arrival times of the lines in the page, through its service worker. */
function timesInTab(page: Page): Promise<number[]> {
  return page.evaluate(async (body) => {
    const response = await fetch('/api/generate', { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    const times: number[] = [];
    const decoder = new TextDecoder();
    const reader = response.body!.getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return times;
      const now = performance.now();
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop()!;
      for (const line of lines) if (!line.includes('"done":true')) times.push(now);
    }
  }, generateBody());
}
