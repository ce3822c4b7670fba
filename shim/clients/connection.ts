/** Shared parts of clients: missing packages, cancellation, and the end of a connection. */
import { type Client, ClientUnavailable, type ConnectionLimits } from '#core/host';

/**
 * Loads the package of a client when it is first needed.
 * @throws ClientUnavailable
 */
export async function loadPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ClientUnavailable(`The package "${name}" is not installed: run "npm install ${name}"`, {
      cause: error,
    });
  }
}

/** A connection that ends once: by its owner, or by the signal. */
export class Connection implements Client {
  #closing: Promise<void> | undefined;
  readonly #stopListening: () => void;

  /**
   * @param end ends the connection; with `isAborted` at once, and pending work rejects
   */
  constructor(
    private readonly signal: AbortSignal,
    private readonly end: (isAborted: boolean) => Promise<unknown> | unknown,
  ) {
    const abort = () => void this.#close(true);
    signal.addEventListener('abort', abort, { once: true });
    this.#stopListening = () => signal.removeEventListener('abort', abort);
    if (signal.aborted) abort();
  }

  close(): Promise<void> {
    return this.#close(false);
  }

  /** Works with the connection. Rejects with the reason of the signal as soon as it aborts. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this;
    signal.throwIfAborted();
    let abort = () => {};
    const aborted = new Promise<never>((_resolve, reject) => {
      abort = () => reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
    });
    try {
      return await Promise.race([work(), aborted]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  #close(isAborted: boolean): Promise<void> {
    this.#closing ??= (async () => {
      this.#stopListening();
      try {
        await this.end(isAborted);
      } catch {
        // The connection is gone already.
      }
    })();
    return this.#closing;
  }
}

/** Rejects when the time to connect is over, or the signal aborts. `abandon` ends what was begun. */
export async function withinConnectTime<T>(
  { connectTimeout, signal }: Pick<ConnectionLimits, 'connectTimeout' | 'signal'>,
  connecting: Promise<T>,
  abandon: () => void,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let abort = () => {};
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`The server did not answer within ${connectTimeout / 1000} s`)),
      connectTimeout,
    );
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([connecting, tooLate]);
  } catch (error) {
    abandon();
    connecting.catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
