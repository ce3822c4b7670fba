/** The shim's real ports, answered by an open tab: frames over a WebSocket, then the core in the tab. */
import type { Transport } from '../exchange.ts';
import { listenOn, sendRaw } from './port.ts';
import { ByState } from './states.ts';
import { closeTabState, openTabState } from './worker.ts';

export function bridgeTransport(nativeTemplate?: string): Transport {
  const tabs = new ByState((state) =>
    openTabState(state, {
      args: ['--via-tab'],
      path: (shim) => connectPath(shim.output()),
      ...(nativeTemplate && { nativeTemplate }),
    }),
  );
  return {
    name: 'bridge',
    realModel: true,
    async send(api, state, call) {
      return sendRaw((await tabs.get(state)).shim.ports, api, call);
    },
    async listen(api, state, path, count) {
      return listenOn((await tabs.get(state)).shim.ports, api, path, count);
    },
    close: () => tabs.close(closeTabState),
  };
}

/** The link that `--via-tab` prints, without its origin. */
function connectPath(output: string): string {
  const link = /https?:\/\/localhost:\d+(\/\S+)/.exec(output)?.[1];
  if (!link) throw new Error(`--via-tab printed no link:\n${output}`);
  return link;
}
