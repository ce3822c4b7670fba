/** Two ends of a channel of frames with a server behind one of them, for tests of `core/frames`. */
import { vi } from 'vitest';
import type { FrameChannel } from '#core/frames/channels/frame-channel.ts';
import { portChannel } from '#core/frames/channels/port-channel.ts';
import { type SocketLike, socketChannel } from '#core/frames/channels/socket-channel.ts';
import { FrameClient, type OutgoingRequest } from '#core/frames/frame-client.ts';
import { FrameServer } from '#core/frames/frame-server.ts';
import type { ServerReport } from '#core/frames/server-report.ts';
import type { CallContext, Server } from '#core/http/routing/server.ts';

export const context: CallContext = {
  listener: 'origin',
  loopback: true,
  clientAddress: '127.0.0.1',
  appOrigins: ['http://app'],
};
export const MB = 1024 * 1024;

export function ports(): [FrameChannel, FrameChannel] {
  const { port1, port2 } = new MessageChannel();
  return [portChannel(port1 as never), portChannel(port2 as never)];
}

/** The two ends of a WebSocket in memory. Messages arrive asynchronously and in order. */
export function sockets(): [FrameChannel, FrameChannel] {
  class End extends EventTarget implements SocketLike {
    binaryType = '';
    readyState = 1;
    other!: End;
    send(data: Uint8Array<ArrayBuffer>) {
      const copy = data.slice().buffer;
      setTimeout(() => this.other.dispatchEvent(new MessageEvent('message', { data: copy })));
    }
    close(code = 1005) {
      if (this.readyState === 3) return;
      this.readyState = this.other.readyState = 3;
      for (const end of [this, this.other])
        setTimeout(() => end.dispatchEvent(Object.assign(new Event('close'), { code, reason: '' })));
    }
  }
  const [a, b] = [new End(), new End()];
  a.other = b;
  b.other = a;
  return [socketChannel(a), socketChannel(b)];
}

type Handler = (request: Request, context: CallContext) => Promise<Response> | Response;

export function servePair(
  pair: [FrameChannel, FrameChannel],
  handler: Handler,
  connect: Server['connect'] = async () => new Response('no sockets', { status: 404 }),
  options: {
    acceptTimeout?: number;
    confirms?: boolean;
    stallTimeout?: number;
    report?: () => ServerReport;
  } = {},
) {
  const server = new FrameServer(
    pair[1],
    { fetch: async (request, call) => handler(request, call), connect },
    {
      context: (claimed) => ({ ...context, ...claimed }),
      stallTimeout: options.stallTimeout,
      report: options.report,
    },
  );
  const { acceptTimeout, confirms } = options;
  const client = new FrameClient(pair[0], { acceptTimeout, confirms });
  return { server, client };
}

export const get = (path: string, more: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  method: 'GET',
  url: `http://app${path}`,
  headers: [],
  ...more,
});

/** Waits, so that an event that must not happen would have had time to happen. */
export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
export const until = (check: () => unknown) => vi.waitFor(check, { timeout: 10_000, interval: 5 });

/** A stream of `total` bytes, and a count of the bytes that its reader has taken. */
export function source(total: number, chunkSize = 64 * 1024) {
  const state = { produced: 0, cancelled: undefined as unknown };
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (state.produced >= total) return controller.close();
        const bytes = new Uint8Array(Math.min(chunkSize, total - state.produced)).fill(state.produced % 251);
        state.produced += bytes.length;
        controller.enqueue(bytes);
      },
      cancel(reason) {
        state.cancelled = reason;
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, state };
}

export async function countBytes(stream: ReadableStream<Uint8Array>): Promise<number> {
  let total = 0;
  for await (const bytes of stream) total += bytes.length;
  return total;
}
