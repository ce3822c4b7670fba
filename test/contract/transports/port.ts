/** The built shim with its own core and real weights. Requests reach its real ports byte for byte. */

import { type RawRequest, rawRequest } from '../../support/network/raw-http.ts';
import { removeHome } from '../../support/processes/node-home.ts';
import { type RunningShim, type ShimPorts, startShim } from '../../support/processes/shim.ts';
import { workflowControl } from '../../support/webhooks/workflow-control.ts';
import { type Answer, type Call, joinHeaders, type RealSystem, type Transport } from '../exchange.ts';
import { connectTo, type MessageSocket } from '../socket.ts';
import { LISTENERS } from './process.ts';
import { ByState, makeStateHome, settingsOfState } from './states.ts';

export function portTransport(nativeTemplate?: string): Transport {
  const shims = new ByState(async (state) => {
    const home = await makeStateHome(state, nativeTemplate);
    return { home, shim: await startShim(home, { env: settingsOfState(state) }) };
  });
  return {
    name: 'port',
    realModel: true,
    async send(api, state, call) {
      return sendRaw((await shims.get(state)).shim.ports, api, call);
    },
    async connect(api, state, path) {
      return connectOn((await shims.get(state)).shim.ports, api, path);
    },
    async manage(state, method, path, json) {
      return (await workflowControl((await shims.get(state)).home)).json(method, path, json);
    },
    close: () => shims.close(closeShim),
  };
}

async function closeShim({ home, shim }: { home: string; shim: RunningShim }): Promise<void> {
  await shim.stop();
  await removeHome(home);
}

export async function sendRaw(ports: ShimPorts, api: RealSystem, call: Call): Promise<Answer> {
  const request: RawRequest = {
    method: call.method,
    path: call.path,
    headers: Object.entries({ accept: '*/*', connection: 'close', ...call.headers }),
    ...(call.body !== undefined && { body: call.body }),
    ...(call.signal && { signal: call.signal }),
    timeout: 100_000,
  };
  const port = ports[LISTENERS[api].listener as keyof ShimPorts];
  const { status, headers, body, chunks } = await rawRequest(port, request);
  return {
    status,
    headers: joinHeaders(headers),
    body: body.toString('utf8'),
    ...(chunks && { chunks: chunks.map((chunk) => chunk.toString('utf8')) }),
  };
}

export function connectOn(ports: ShimPorts, api: RealSystem, path: string): Promise<MessageSocket> {
  return connectTo(ports[LISTENERS[api].listener as keyof ShimPorts], path);
}
