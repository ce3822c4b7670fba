/** The shim's real ports, answered by an open tab: frames over a WebSocket to the core in the tab. */
import { setTimeout as sleep } from 'node:timers/promises';
import { tabPath } from '../../support/processes/shim.ts';
import type { Transport } from '../exchange.ts';
import { connectOn, sendRaw } from './port.ts';
import { managed, toControlCall } from './process.ts';
import { ByState } from './states.ts';
import { closeTabState, openTabState, sendInTab } from './worker.ts';

export function bridgeTransport(nativeTemplate?: string): Transport {
  const tabs = new ByState(async (state) => {
    const tab = await openTabState(state, {
      args: ['--via-tab'],
      path: tabPath,
      ...(nativeTemplate && { nativeTemplate }),
    });
    await connected(tab.shim.ports['local-models']);
    return tab;
  });
  return {
    name: 'bridge',
    realModel: true,
    async send(api, state, call) {
      return sendRaw((await tabs.get(state)).shim.ports, api, call);
    },
    async connect(api, state, path) {
      return connectOn((await tabs.get(state)).shim.ports, api, path);
    },
    async manage(state, method, path, json) {
      return managed(await sendInTab((await tabs.get(state)).page, toControlCall(method, path, json)));
    },
    close: () => tabs.close(closeTabState),
  };
}

/** The page loads before it connects to the shim. */
async function connected(port: number): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const response = await fetch(`http://127.0.0.1:${port}/api/version`);
    await response.body?.cancel();
    if (response.headers.get('x-tabd-served-by') === 'tab') return;
    await sleep(100);
  }
  throw new Error('the tab did not connect to the shim within a minute');
}
