/** A door of a cluster with two workers, over PostgreSQL and Redis, with real weights. Requests reach its real ports. */
import { removeHome } from '../../support/processes/node-home.ts';
import type { ShimPorts } from '../../support/processes/shim.ts';
import { type RunningDoor, startTestCluster, type TestCluster } from '../../support/servers/cluster.ts';
import type { Transport } from '../exchange.ts';
import { connectOn, sendRaw } from './port.ts';
import { ByState, makeStateHome, settingsOfState } from './states.ts';

interface OpenCluster {
  home: string;
  cluster: TestCluster;
  door: RunningDoor;
  ports: ShimPorts;
}

export function doorTransport(nativeTemplate?: string): Transport {
  const clusters = new ByState<OpenCluster>(async (state) => {
    const home = await makeStateHome(state, nativeTemplate);
    const cluster = await startTestCluster({ home, settings: settingsOfState(state) });
    const door = await cluster.startDoor();
    await Promise.all([cluster.startWorker(), cluster.startWorker()]);
    await cluster.ready(door);
    const port = (name: keyof RunningDoor['ports']) => Number(new URL(door.ports[name]).port);
    const ports: ShimPorts = {
      app: 0,
      'local-models': port('local-models'),
      'image-workflows': port('image-workflows'),
      webhooks: port('webhooks'),
    };
    return { home, cluster, door, ports };
  });
  return {
    name: 'door',
    realModel: true,
    async send(api, state, call) {
      return sendRaw((await clusters.get(state)).ports, api, call);
    },
    async connect(api, state, path) {
      return connectOn((await clusters.get(state)).ports, api, path);
    },
    async manage(state, method, path, json) {
      const { cluster, door } = await clusters.get(state);
      return cluster.control(door, method, path, json as object | undefined);
    },
    close: () =>
      clusters.close(async ({ cluster, home }) => {
        await cluster.close();
        await removeHome(home);
      }),
  };
}
