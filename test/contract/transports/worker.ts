/** The page of a real Chromium: requests reach the core in the tab through the service worker. */
import { type Browser, chromium, type Page } from '@playwright/test';
import { chromiumLaunch } from '../../support/processes/chromium.ts';
import { removeHome } from '../../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../../support/processes/shim.ts';
import { fetchInTab, filesOfTab, openAppTab, pullIntoTab } from '../../support/processes/tab.ts';
import { type Answer, type Call, joinHeaders, type State, type Transport } from '../exchange.ts';
import { managed, toControlCall } from './process.ts';
import { ByState, makeStateHome, modelsOf, settingsOfState, writeCheckpoints } from './states.ts';

export interface TabState {
  home: string;
  shim: RunningShim;
  browser: Browser;
  page: Page;
}

/** A tab with all models of the state, which it pulled from its app server. */
export async function openTabState(
  state: State,
  options: { args?: string[]; nativeTemplate?: string; path?: (shim: RunningShim) => string } = {},
): Promise<TabState> {
  const home = await makeStateHome(state, options.nativeTemplate);
  const shim = await startShim(home, { env: settingsOfState(state), args: options.args ?? [] });
  const browser = await chromium.launch(await chromiumLaunch());
  const opened: TabState = { home, shim, browser, page: undefined as unknown as Page };
  try {
    opened.page = await openAppTab(browser, `http://localhost:${shim.ports.app}`, options.path?.(shim));
    await writeCheckpoints(filesOfTab(opened.page));
    for (const { name } of await modelsOf(state, options.nativeTemplate)) {
      await pullIntoTab(opened.page, name);
    }
    return opened;
  } catch (error) {
    await closeTabState(opened);
    throw error;
  }
}

export async function closeTabState({ home, shim, browser }: TabState): Promise<void> {
  await browser.close();
  await shim.stop();
  await removeHome(home);
}

export function workerTransport(nativeTemplate?: string): Transport {
  const tabs = new ByState((state) => openTabState(state, { ...(nativeTemplate && { nativeTemplate }) }));
  return {
    name: 'worker',
    realModel: true,
    async send(_api, state, call) {
      return sendInTab((await tabs.get(state)).page, call);
    },
    connect() {
      return Promise.reject(new Error('a service worker cannot intercept a WebSocket'));
    },
    async manage(state, method, path, json) {
      return managed(await sendInTab((await tabs.get(state)).page, toControlCall(method, path, json)));
    },
    close: () => tabs.close(closeTabState),
  };
}

export async function sendInTab(page: Page, call: Call): Promise<Answer> {
  const { status, headers, body } = await fetchInTab(page, call);
  return { status, headers: joinHeaders(headers), body: Buffer.from(body, 'base64').toString('utf8') };
}
