import type { ServerSocket, WebSocketSession } from '#core/http/routing/server.ts';
import type { BackendConnection } from '#web/app/images/image-client.ts';
import type { imageServer } from './image-server.ts';

const CONTEXT = { listener: 'image-workflows', loopback: true, clientAddress: '127.0.0.1', appOrigins: [] };

/** The app's way to a server in this process. */
export function imageConnection({ ask, api }: ReturnType<typeof imageServer>): BackendConnection {
  return {
    fetch: (path, init) => ask(init?.method ?? 'GET', path, init?.body ?? undefined),
    connect(path) {
      const url = new URL(path, 'http://127.0.0.1:8188');
      return socketOf(() => api.connect!(new Request(url), url, CONTEXT as never) as never);
    },
  };
}

/** The browser's socket, as far as the client uses it. */
function socketOf(open: () => Promise<WebSocketSession> | WebSocketSession): WebSocket {
  let closed = () => {};
  const socket = {
    binaryType: 'arraybuffer',
    onopen: () => {},
    onmessage: (_: { data: unknown }) => {},
    close: () => closed(),
  };
  void Promise.resolve(open()).then((session) => {
    session.start({
      bufferedAmount: 0,
      send: (data) =>
        socket.onmessage({ data: typeof data === 'string' ? data : new Uint8Array(data).buffer }),
      close() {},
      onMessage() {},
      onClose: (listener) => {
        closed = () => listener(1000, '');
      },
    } satisfies ServerSocket);
    socket.onopen();
  });
  return socket as unknown as WebSocket;
}
