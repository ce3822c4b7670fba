import {
  type FromServerWorker,
  type PortKind,
  type ServerIdentity,
  type SettingValues,
  serverLock,
  type ToServerWorker,
  waitForLockRelease,
} from '#relay';
import { StartError } from '../types.ts';

/** The server worker that the leading page owns. */
export class OwnedServer {
  /** Resolves when the server worker answers requests. Rejects with a `StartError`. */
  readonly ready: Promise<void>;
  /** Resolves when the worker died without a call of `end`. */
  readonly died: Promise<void>;
  readonly #worker: Worker;
  readonly #ended = new AbortController();

  constructor(
    url: URL,
    readonly scope: string,
    readonly name: ServerIdentity,
    settings: SettingValues,
  ) {
    this.#worker = new Worker(url, { type: 'module', name: 'tabd server' });
    let alive = false;
    let die!: () => void;
    this.died = new Promise((resolve) => {
      die = resolve;
    });
    this.ready = new Promise((resolve, reject) => {
      this.#worker.addEventListener('message', ({ data }: MessageEvent<FromServerWorker>) => {
        if (data.type === 'ready') resolve();
        else if (data.type === 'failed') reject(new StartError('server-failed', data.message));
        else if (data.type === 'alive') {
          alive = true;
          waitForLockRelease(serverLock(scope, name), this.#ended.signal).then(
            () => {
              reject(new StartError('server-failed', 'The server worker was ended by the browser.'));
              die();
            },
            () => {},
          );
        }
      });
      this.#worker.addEventListener('error', (event) => {
        if (alive) return;
        const detail = event.message ? `: ${event.message}` : '';
        reject(
          new StartError('worker-not-found', `The server worker at ${url} could not be loaded${detail}.`),
        );
      });
    });
    this.ready.catch(() => {});
    this.#post({ type: 'start', scope, name, settings });
  }

  /** Connects a port to the worker. */
  attach(port: MessagePort, kind: PortKind): void {
    this.#post({ type: 'attach', kind }, [port]);
  }

  /** Ends the worker with all its running requests. */
  end(): void {
    this.#ended.abort();
    this.#worker.terminate();
  }

  #post(message: ToServerWorker, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }
}
