/**
 * The life of a server worker, whatever core it serves: started by the page that owns it, it holds the lock that says
 * it lives and answers on every port it is handed. Its page ends it.
 */
import { expose } from 'comlink';
import { type FrameChannel, FrameServer, PeerLost, portChannel } from '#core/frames';
import type { CallContext, Server } from '#core/http';
import {
  BUILD,
  type CoordinationMessage,
  coordinationChannel,
  type FromServerWorker,
  holdLock,
  serverLock,
  type ToServerWorker,
  waitForLockRelease,
} from '#relay';

declare const self: DedicatedWorkerGlobalScope;

export type Start = Extract<ToServerWorker, { type: 'start' }>;

/** What a server worker is made of: answers, and calls that only the pages of the app may make (by comlink). */
export interface Core<Control extends object> {
  server: Server;
  control: Control;
}

const context: CallContext = {
  listener: 'origin',
  loopback: true,
  clientAddress: '127.0.0.1',
  appOrigins: [self.location.origin],
};

export function serve<Control extends object>(
  open: (start: Start, frames: FrameSource) => Promise<Core<Control>>,
): void {
  let begin!: (begun: { core: Promise<Core<Control>> }) => void;
  const begun = new Promise<{ core: Promise<Core<Control>> }>((resolve) => {
    begin = resolve;
  });
  const frames = new FrameSource(async () => (await (await begun).core).server);

  self.addEventListener('message', async (event: MessageEvent<ToServerWorker>) => {
    const message = event.data;
    const [port] = event.ports;
    if (message.type === 'start') {
      await holdLock(serverLock(message.scope, message.name));
      frames.lock = serverLock(message.scope, message.name);
      const core = open(message, frames);
      listen(message, frames);
      begin({ core });
      tell({ type: 'alive' });
      core.then(
        () => tell({ type: 'ready' }),
        (cause) => tell({ type: 'failed', message: cause instanceof Error ? cause.message : String(cause) }),
      );
    } else if (message.type === 'attach' && port) {
      const { core } = await begun;
      if (message.kind === 'frames') frames.serve(portChannel(port as never));
      else core.then(({ control }) => expose(control, port)).catch(() => port.close());
    }
  });
}

/** Serves frames on any number of channels, and knows how much is running on all of them. */
export class FrameSource {
  lock: string | undefined;
  readonly #servers = new Set<FrameServer>();

  constructor(private readonly server: () => Promise<Server>) {}

  get running(): number {
    let sum = 0;
    for (const server of this.#servers) sum += server.running;
    return sum;
  }

  /** `trusted`: the caller (a bridge) is believed what it says about its clients. */
  serve(channel: FrameChannel, trusted = false): FrameServer {
    const server = new FrameServer(
      channel,
      {
        fetch: async (request, call) => (await this.#core()).fetch(request, call),
        connect: async (request, call) => (await this.#core()).connect(request, call),
      },
      {
        build: `server ${BUILD}`,
        lock: this.lock,
        context: (told) =>
          trusted
            ? { ...context, ...told }
            : { ...context, listener: told?.listener ?? 'origin', caller: 'page' },
        running: () => this.running,
      },
    );
    this.#servers.add(server);
    const gone = new AbortController();
    server.gone.then(() => {
      this.#servers.delete(server);
      gone.abort();
    });
    server.handshakeDone
      .then(async ({ lock }) => {
        if (lock === undefined) return;
        await waitForLockRelease(lock, gone.signal);
        server.lose(new PeerLost('whoever asked is gone'));
      })
      .catch(() => {});
    return server;
  }

  async #core(): Promise<Pick<Server, 'fetch' | 'connect'>> {
    try {
      return await this.server();
    } catch (cause) {
      const message = `tabd could not start: ${cause instanceof Error ? cause.message : String(cause)}`;
      const refuse = async () => Response.json({ error: message }, { status: 500 });
      return { fetch: refuse, connect: refuse };
    }
  }
}

/** Pings come past the page, which may be busy; callers of tabs without a service worker meet here. */
function listen({ scope, name }: Start, frames: FrameSource): void {
  const calls = new BroadcastChannel(coordinationChannel(scope));
  calls.addEventListener('message', ({ data }: MessageEvent<CoordinationMessage>) => {
    if (data.call === 'ping' && data.epoch === name.epoch) {
      calls.postMessage({ call: 'pong', epoch: name.epoch } satisfies CoordinationMessage);
    } else if (data.call === 'meet' && data.epoch === name.epoch) {
      frames.serve(portChannel(new BroadcastChannel(data.channel) as never, { transfers: false }));
      calls.postMessage({ call: 'met', channel: data.channel } satisfies CoordinationMessage);
    }
  });
  calls.postMessage({ call: 'serving', epoch: name.epoch } satisfies CoordinationMessage);
}

function tell(message: FromServerWorker): void {
  self.postMessage(message);
}
