import type { ServerControl } from '#relay/server-control.ts';
import { Bridge } from '#workers/bridge.ts';
import { serveInWorker } from '#workers/serve.ts';
import { scriptedServer } from './scripted-server.ts';

serveInWorker(async ({ name }, frames) => {
  const bridge = new Bridge(frames);
  frames.report = () => ({ models: ['scripted:latest'], loaded: [] });
  const control: Pick<ServerControl, 'bridge'> = { bridge: async (link) => bridge.connect(link) };
  return { server: scriptedServer(`server-${name.epoch}`), control };
});
