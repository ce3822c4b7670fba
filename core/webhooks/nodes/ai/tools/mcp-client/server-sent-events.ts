/** The older transport of MCP: the server names an address for messages in a stream, and answers in that stream. */
import { Deferred, isObject } from '#core/base';
import { readLines } from '#core/http';
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../../node-api/node-error.ts';
import { postMessage, statusError } from './post-message.ts';
import type { McpServer, McpTransport } from './transport.ts';

export class ServerSentEvents implements McpTransport {
  readonly #waiting = new Map<number, Deferred<JsonObject>>();
  readonly #address = new Deferred<string>();
  #ended: Error | undefined;
  #opened: Promise<void> | undefined;

  constructor(private readonly server: McpServer) {}

  async request(message: JsonObject & { id: number }): Promise<JsonObject | undefined> {
    const address = await this.#open();
    const answer = new Deferred<JsonObject>();
    this.#waiting.set(message.id, answer);
    try {
      if (this.#ended) throw this.#ended;
      await this.#post(address, message);
      return await this.#inTime(answer.promise);
    } finally {
      this.#waiting.delete(message.id);
      answer.promise.catch(() => undefined);
    }
  }

  async notify(message: JsonObject): Promise<void> {
    await this.#post(await this.#open(), message);
  }

  /** The address for messages. The stream stays open until the execution ends. */
  async #open(): Promise<string> {
    this.#opened ??= this.#read().then(
      () => this.#end(new NodeError('The MCP server has closed the connection')),
      (error) => this.#end(error),
    );
    return this.#inTime(this.#address.promise);
  }

  async #read(): Promise<void> {
    const { url, headers, signal, fetch } = this.server;
    const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal });
    if (!response.ok) throw await statusError(response);
    let event = '';
    for await (const line of readLines(response.body)) {
      const [, field, value = ''] = /^(event|data): ?(.*)$/.exec(line) ?? [];
      if (field === 'event') event = value;
      else if (field === 'data') {
        if (event === 'endpoint') this.#address.resolve(this.#addressOf(value));
        else this.#receive(value);
        event = '';
      }
    }
  }

  /** @throws NodeError for an address of another server, which must not receive the credential */
  #addressOf(path: string): string {
    const { url } = this.server;
    const address = new URL(path, url);
    if (address.origin === new URL(url).origin) return address.href;
    throw new NodeError(`The MCP server names the address of another server: ${address.origin}`);
  }

  #receive(data: string): void {
    const message: unknown = JSON.parse(data);
    if (isObject(message) && typeof message.id === 'number') this.#waiting.get(message.id)?.resolve(message);
  }

  #end(error: Error): void {
    this.#ended = error;
    this.#address.promise.catch(() => undefined);
    this.#address.reject(error);
    for (const answer of this.#waiting.values()) answer.reject(error);
  }

  async #post(address: string, message: JsonObject): Promise<void> {
    const response = await postMessage(this.server, address, message);
    await response.body?.cancel();
  }

  async #inTime<T>(work: Promise<T>): Promise<T> {
    const { timeout, signal } = this.server;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
    const { promise, reject } = new Deferred<never>();
    const onAbort = () =>
      reject(
        signal.aborted ? signal.reason : new NodeError(`The MCP server did not answer within ${timeout} ms`),
      );
    limit.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([work, promise]);
    } finally {
      limit.removeEventListener('abort', onAbort);
    }
  }
}
