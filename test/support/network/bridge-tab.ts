/** The server worker of a tab, as the bridge of the shim sees it: a WebSocket with frames, and a `Server` behind it. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { type SocketLike, socketChannel } from '#core/frames/channels/socket-channel.ts';
import { FrameServer } from '#core/frames/frame-server.ts';
import type { ServerReport } from '#core/frames/server-report.ts';
import type { CallContext, Server } from '#core/http/routing/server.ts';
import { BRIDGE_PROTOCOL } from '#shim/bridge/pairing.ts';
import { BRIDGE_PATH } from '#shim/bridge/tab-bridge.ts';

export interface BridgeTabOptions {
  /** The port of the app server. */
  port: number;
  origin: string;
  server: Partial<Server>;
  /** Subprotocols with secrets, such as `key.…`. */
  secrets: string[];
  agent?: string;
  report?(): ServerReport;
}

/** Connects. Rejects with the status of the refusal. */
export async function connectBridgeTab(options: BridgeTabOptions): Promise<WebSocket> {
  const { port, origin, server, secrets, agent, report } = options;
  const socket = new WebSocket(`ws://127.0.0.1:${port}${BRIDGE_PATH}`, [BRIDGE_PROTOCOL, ...secrets], {
    origin,
    ...(agent && { headers: { 'user-agent': agent } }),
  });
  new FrameServer(
    socketChannel(socket as unknown as SocketLike),
    {
      fetch: server.fetch ?? (async () => new Response('from the tab')),
      connect: server.connect ?? (async () => new Response('no', { status: 404 })),
    },
    { context: (claimed) => claimed as CallContext, ...(report && { report }) },
  );
  await once(socket, 'open');
  return socket;
}
