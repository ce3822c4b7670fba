import { proxy, type Remote, releaseProxy, transfer, wrap } from 'comlink';
import type { Battery } from '#core/frames';
import {
  type BridgeLink,
  heldLockNames,
  type ImportLine,
  type ServerControl,
  type ServerIdentity,
  serversInLocks,
} from '#relay';
import type { StartOptions } from '../types.ts';
import { followBattery } from './battery.ts';
import { openServerPort, type ServerRoutes } from './server-channel.ts';

/** Calls functions of the newest server worker through comlink, for everything that is not a request to an API. */
export class ServerControlClient {
  #current: { epoch: number; remote: Remote<ServerControl> } | undefined;
  #followsBattery = false;

  constructor(
    private readonly ways: ServerRoutes,
    private readonly onConsent: StartOptions['onConsent'],
  ) {}

  async devices(): ReturnType<ServerControl['devices']> {
    return (await this.#remote()).devices();
  }

  async bridge(link: BridgeLink | undefined): Promise<void> {
    await (await this.#remote()).bridge(link);
    if (!link || this.#followsBattery) return;
    this.#followsBattery = true;
    // A server that cannot be reached now gets the next change.
    await followBattery((battery) => void this.#sendBattery(battery).catch(() => {}));
  }

  async #sendBattery(battery: Battery): Promise<void> {
    await (await this.#remote()).battery(battery);
  }

  /** Lets the newest server worker ask the user of this page for consent. */
  async offerConsent(): Promise<void> {
    const { onConsent } = this;
    if (!onConsent) return;
    const openQuestions = new Map<number, AbortController>();
    const page = proxy({
      async ask(id: number, request: Parameters<typeof onConsent>[0]) {
        const withdrawal = new AbortController();
        openQuestions.set(id, withdrawal);
        try {
          return await onConsent(request, withdrawal.signal);
        } finally {
          openQuestions.delete(id);
        }
      },
      withdraw(id: number) {
        openQuestions.get(id)?.abort();
      },
    });
    await (await this.#remote()).onConsent(page);
  }

  async *importFiles(name: string, files: readonly File[], signal?: AbortSignal): AsyncGenerator<ImportLine> {
    signal?.throwIfAborted();
    const remote = await this.#remote();
    const lines: ImportLine[] = [];
    let wake = () => {};
    let isDone = false;
    let failure: unknown;
    const stop = new MessageChannel();
    const abort = () => {
      stop.port1.postMessage('stop');
      isDone = true;
      failure = signal?.reason;
      wake();
    };
    signal?.addEventListener('abort', abort);
    const onLine = proxy((line: ImportLine) => {
      lines.push(line);
      wake();
    });
    remote
      .importFiles(name, files, onLine, transfer(stop.port2, [stop.port2]))
      .then(
        () => {},
        (cause) => {
          failure ??= cause;
        },
      )
      .finally(() => {
        isDone = true;
        wake();
      });
    try {
      for (;;) {
        yield* lines.splice(0);
        if (isDone && lines.length === 0) break;
        if (lines.length > 0) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (failure !== undefined) throw failure;
    } finally {
      signal?.removeEventListener('abort', abort);
      if (!isDone) stop.port1.postMessage('stop');
      stop.port1.close();
    }
  }

  close(): void {
    this.#current?.remote[releaseProxy]();
    this.#current = undefined;
  }

  async #remote(): Promise<Remote<ServerControl>> {
    const held = await heldLockNames();
    const server: ServerIdentity | undefined = serversInLocks(this.ways.scope, held)[0];
    if (!server) throw new Error('No open tab answers.');
    if (this.#current?.epoch === server.epoch) return this.#current.remote;
    const port = openServerPort(this.ways, server, held, 'control');
    if (!port) {
      throw new Error(
        'Without a service worker this works only in the tab that answers: the first one opened.',
      );
    }
    this.close();
    this.#current = { epoch: server.epoch, remote: wrap<ServerControl>(port) };
    return this.#current.remote;
  }
}
