/** The servers that a soak can load: a process with its ports, and a tab of Chromium. */
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from '@playwright/test';
import { type Hub, startHub } from '../support/local-models/hub.ts';
import { addEmojiModel, EMOJI, writeEmojiModel } from '../support/model-files/emoji-model.ts';
import { tinyGguf } from '../support/model-files/tiny-gguf.ts';
import { smollm2 } from '../support/model-files/weights.ts';
import { chromiumLaunch } from '../support/processes/chromium.ts';
import { makeHome, removeHome } from '../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../support/processes/shim.ts';
import { filesOfTab, openAppTab, pullIntoTab } from '../support/processes/tab.ts';
import { workflowControl } from '../support/webhooks/workflow-control.ts';
import { ACTIVITIES, type Activity, SOAK_MODEL } from './activities.ts';
import { type Door, portDoor } from './door.ts';
import type { Usage } from './growth.ts';
import { PULLED, portActivities } from './port-activities.ts';
import { tabDoor } from './tab-door.ts';
import { homeUsage, processUsage, tabUsage } from './usage.ts';

export interface SoakServer {
  door: Door;
  activities: Activity[];
  usage(): Promise<Usage>;
  /** How much each value may grow: a little noise, and memory that allocators keep. */
  allowed: Usage;
  close(): Promise<void>;
}

export type SoakHost = 'node' | 'chromium';

export const openServer = (host: SoakHost): Promise<SoakServer> =>
  host === 'node' ? openPorts() : openTab();

async function openPorts(): Promise<SoakServer> {
  const tensors = [{ name: 'token_embd.weight', shape: [256, 4000], type: 'F32' }];
  const hub = await startHub({ [PULLED]: { files: { 'pulled.Q4_1.gguf': tinyGguf({ tensors }) } } });
  const home = await makeHome([{ name: SOAK_MODEL, path: await smollm2() }]);
  await addEmojiModel(home);
  const shim = await startShim(home, { env: { HF_ENDPOINT: hub.endpoint } });
  return {
    door: portDoor(shim, await workflowControl(home)),
    activities: [...ACTIVITIES, ...portActivities(shim)],
    usage: async () => ({ ...processUsage(shim.process.pid!), ...homeUsage(home) }),
    allowed: {
      processes: 1,
      descriptors: 10,
      sockets: 4,
      files: 4,
      'file megabytes': 20,
      records: 10,
      'main memory': 80,
      'other memory': 120,
    },
    close: () => closePorts(shim, home, hub),
  };
}

async function closePorts(shim: RunningShim, home: string, hub: Hub): Promise<void> {
  await shim.stop();
  await hub.close();
  await removeHome(home);
}

async function openTab(): Promise<SoakServer> {
  const home = await makeHome([{ name: SOAK_MODEL, path: await smollm2() }]);
  const shim = await startShim(home);
  const browser = await chromium.launchServer(await chromiumLaunch());
  const client = await chromium.connect(browser.wsEndpoint());
  const context = await client.newContext();
  const origin = `http://localhost:${shim.ports.app}`;
  const page = await openAppTab(context, origin);
  await pullIntoTab(page, SOAK_MODEL);
  await writeEmojiModel(filesOfTab(page), EMOJI);
  const tabs: Activity = {
    name: 'tabs',
    pause: 5000,
    async turn() {
      const other = await openAppTab(context, origin, '/#/models');
      await sleep(500);
      await other.close();
    },
  };
  return {
    door: tabDoor(page),
    activities: [...ACTIVITIES, tabs],
    usage: async () => {
      const { processes, 'main memory': main, 'other memory': other } = processUsage(browser.process().pid!);
      return { processes: processes!, memory: main! + other!, ...(await tabUsage(page)) };
    },
    allowed: { processes: 2, memory: 400, files: 6, 'file megabytes': 20, records: 20 },
    async close() {
      await client.close();
      await browser.close();
      await shim.stop();
      await removeHome(home);
    },
  };
}
