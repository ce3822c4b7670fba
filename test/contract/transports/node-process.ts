/** The core in this process on the Node platform, with real weights: for replays without a port. */

import type { CallContext } from '#core/http/routing/server.ts';
import { createCore } from '#core/server/create-core.ts';
import { nodeLlamaCppEngine } from '#shim/engines/llama/node-llama-cpp.ts';
import { nodeTensorEngine } from '#shim/engines/onnx/index.ts';
import { createNodeHost } from '#shim/host/node-host.ts';
import { removeHome } from '../../support/processes/node-home.ts';
import type { Transport } from '../exchange.ts';
import { collectEvents } from '../followed-events.ts';
import { connectIn, contextFor, managed, readAnswer, toControlCall, toRequest } from './process.ts';
import { ByState, makeStateHome, settingsOfState } from './states.ts';

export function nodeProcessTransport(nativeTemplate?: string): Transport {
  const servers = new ByState(async (state) => {
    const home = await makeStateHome(state, nativeTemplate);
    const host = await createNodeHost({
      home,
      env: settingsOfState(state),
      log: { debug() {}, info() {}, warn: console.warn, error: console.error },
      tensorEngine: (blobs, log, placeOf) =>
        nodeTensorEngine({ pathOf: (digest) => blobs.pathOf(digest), placeOf, log }),
      languageEngines: (blobs, log) => [
        nodeLlamaCppEngine({ pathOf: (digest) => blobs.pathOf(digest), log }),
      ],
    });
    return { home, host, server: createCore(host).server };
  });
  return {
    name: 'process',
    realModel: true,
    async send(api, state, call) {
      const { server } = await servers.get(state);
      return readAnswer(await server.fetch(toRequest(api, call), contextFor(api)));
    },
    async connect(api, state, path) {
      return connectIn((await servers.get(state)).server, api, path);
    },
    async manage(state, method, path, json) {
      const { server } = await servers.get(state);
      const context: CallContext = { ...contextFor('n8n'), caller: 'operator' };
      const request = toRequest('n8n', toControlCall(method, path, json));
      return managed(await readAnswer(await server.fetch(request, context)));
    },
    async follow(state, path) {
      const { server } = await servers.get(state);
      const context: CallContext = { ...contextFor('n8n'), caller: 'operator' };
      return collectEvents((signal) =>
        server.fetch(toRequest('n8n', { ...toControlCall('GET', path, undefined), signal }), context),
      );
    },
    close: () =>
      servers.close(async ({ home, host, server }) => {
        await server.close();
        await host.close();
        await removeHome(home);
      }),
  };
}
