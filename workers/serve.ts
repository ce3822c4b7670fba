/**
 * Runs a server worker over any core. The page that owns the worker starts and terminates it. The worker holds a lock as
 * long as it lives, and serves frames on every port that it receives.
 */
import { expose } from 'comlink';
import { Deferred, errorMessage } from '#core/base';
import { type FrameChannel, FrameServer, PeerLost, portChannel, type ServerReport } from '#core/frames';
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

export type StartMessage = Extract<ToServerWorker, { type: 'start' }>;

/** The parts of a server worker: the APIs, and the functions that only the pages of the app may call (through comlink). */
export interface ServedCore<Control extends object> {
  server: Server;
  control: Control;
}

/** The context of requests from this origin's pages. */
const pageContext: CallContext = {
  listener: 'origin',
  loopback: true,
  clientAddress: '127.0.0.1',
  appOrigins: [self.location.origin],
};

/** Serves the core that `open` resolves with. Requests that arrive before wait for it. */
export function serveInWorker<Control extends object>(
  open: (start: StartMessage, frames: FrameServers) => Promise<ServedCore<Control>>,
): void {
  // The core is wrapped, because a promise that resolves with a promise would wait for it.
  const started = new Deferred<{ core: Promise<ServedCore<Control>> }>();
  const frames = new FrameServers(async () => (await (await started.promise).core).server);

  self.addEventListener('message', async (event: MessageEvent<ToServerWorker>) => {
    const message = event.data;
    const [port] = event.ports;
    if (message.type === 'start') {
      await holdLock(serverLock(message.scope, message.name));
      frames.lock = serverLock(message.scope, message.name);
      const core = open(message, frames);
      listen(message, frames);
      started.resolve({ core });
      reportToPage({ type: 'alive' });
      core.then(
        () => reportToPage({ type: 'ready' }),
        (cause) => reportToPage({ type: 'failed', message: errorMessage(cause) }),
      );
    } else if (message.type === 'attach' && port) {
      const { core } = await started.promise;
      if (message.kind === 'frames') frames.serve(portChannel(port as never));
      else core.then(({ control }) => expose(control, port)).catch(() => port.close());
    }
  });
}

/** Serves frames on any number of channels, and counts the requests that run on all of them. */
export class FrameServers {
  /** The lock that this worker holds, for its `hello` frames. */
  lock: string | undefined;
  /** The facts about this server that the shim of a bridge gets. */
  report: (() => ServerReport) | undefined;
  readonly #servers = new Set<FrameServer>();

  constructor(private readonly server: () => Promise<Server>) {}

  /** How many requests are running. */
  get running(): number {
    let sum = 0;
    for (const server of this.#servers) sum += server.running;
    return sum;
  }

  /** @param isTrusted whether to believe what the caller says about its clients, as for a bridge */
  serve(channel: FrameChannel, isTrusted = false): FrameServer {
    const server = new FrameServer(
      channel,
      {
        fetch: async (request, call) => (await this.#core()).fetch(request, call),
        connect: async (request, call) => (await this.#core()).connect(request, call),
      },
      {
        build: `server ${BUILD}`,
        lock: this.lock,
        context: (claimed) =>
          isTrusted
            ? { ...pageContext, ...claimed }
            : { ...pageContext, listener: claimed?.listener ?? 'origin', caller: 'page' },
        running: () => this.running,
        ...(isTrusted && { report: () => this.report?.() }),
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
        server.lose(new PeerLost('the caller is gone'));
      })
      .catch(() => {});
    return server;
  }

  /** The core, or a server that answers 500 with the reason why there is none. */
  async #core(): Promise<Pick<Server, 'fetch' | 'connect'>> {
    try {
      return await this.server();
    } catch (cause) {
      const message = `tabd could not start: ${errorMessage(cause)}`;
      const refuse = async () => Response.json({ error: message }, { status: 500 });
      return { fetch: refuse, connect: refuse };
    }
  }
}

/**
 * Answers pings, which bypass the page because that may be frozen. Serves callers without a service worker on a
 * BroadcastChannel.
 */
function listen({ scope, name }: StartMessage, frames: FrameServers): void {
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

function reportToPage(message: FromServerWorker): void {
  self.postMessage(message);
}
