/** A client of ComfyUI's API that submits prompts and waits for their end. */
import { WebSocket } from 'ws';
import { Deferred } from '#core/base';
import { ask, askJson, readText, type Side, SideError, shortened } from './sides/side.ts';

/** Simultaneous prompts of a burst, each with its own connection. */
const CLIENTS = 8;
/** Milliseconds until the WebSocket is open. */
const CONNECT_LIMIT = 10_000;
/** Milliseconds until a prompt of a moment counts as lost. */
const PROMPT_LIMIT = 60_000;

let color = 0;

/** A graph with one small image, of another color each time. Nothing of it is cached. */
export const trivialPrompt = () => ({
  '1': { class_type: 'EmptyImage', inputs: { width: 64, height: 64, batch_size: 1, color: color++ } },
  '2': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
});

export class ImageClient {
  /** Prompts that are not done, by id: their promises, and the end if it came before the id. */
  readonly #waiting = new Map<string, Deferred<number>>();
  #failure: Error | undefined;

  private constructor(
    private readonly side: Side,
    private readonly socket: WebSocket,
    private readonly clientId: string,
  ) {
    socket.on('message', (data, isBinary) => {
      if (!isBinary) this.#hear(JSON.parse(String(data)));
    });
    socket.once('close', () => this.#fail('its WebSocket closed'));
    socket.on('error', ({ message }) => this.#fail(`its WebSocket failed: ${message}`));
  }

  /** @throws SideError */
  static async connect(side: Side): Promise<ImageClient> {
    const clientId = crypto.randomUUID();
    const socket = new WebSocket(`${side.origin.replace(/^http/, 'ws')}/ws?clientId=${clientId}`, {
      handshakeTimeout: CONNECT_LIMIT,
      headers: side.headers,
    });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject)).catch(
      (error) => {
        throw new SideError(side, `/ws: ${error.message}`, { cause: error });
      },
    );
    return new ImageClient(side, socket, clientId);
  }

  /** Runs a prompt. Returns the milliseconds from its submission to the event of its end. @throws SideError */
  async run(prompt: object): Promise<number> {
    const started = performance.now();
    const { prompt_id } = await askJson<{ prompt_id: string }>(this.side, '/prompt', {
      json: { prompt, client_id: this.clientId },
    });
    const timer = setTimeout(
      () => this.#fail(`a prompt did not end in ${PROMPT_LIMIT / 1000} s`),
      PROMPT_LIMIT,
    );
    try {
      return (await this.#entry(prompt_id).promise) - started;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(prompt_id);
    }
  }

  /** Runs trivial prompts on several connections. Returns prompts a second. */
  async burst(count: number): Promise<number> {
    const started = performance.now();
    let left = count;
    const client = async () => {
      while (left-- > 0) await this.run(trivialPrompt());
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    return (count * 1000) / (performance.now() - started);
  }

  /** Runs prompts one after the other. Returns the milliseconds of each. */
  async latencies(count: number, prompt: () => object): Promise<number[]> {
    const all: number[] = [];
    for (let i = 0; i < count; i++) all.push(await this.run(prompt()));
    return all;
  }

  /** Milliseconds of `/object_info`, with its body. */
  async objectInfo(): Promise<number> {
    const started = performance.now();
    await readText(this.side, '/object_info', await ask(this.side, '/object_info'));
    return performance.now() - started;
  }

  close(): void {
    this.socket.removeAllListeners('close').close();
  }

  #hear({ type, data }: { type: string; data: { prompt_id?: string; node?: string | null } }): void {
    const id = data?.prompt_id;
    if (id === undefined) return;
    if (type === 'executing' && data.node === null) this.#entry(id).resolve(performance.now());
    if (type === 'execution_error' || type === 'execution_interrupted')
      this.#fail(`a prompt failed: ${shortened(JSON.stringify(data))}`);
  }

  /** The event of the end may come before the answer with the id. */
  #entry(id: string): Deferred<number> {
    let entry = this.#waiting.get(id);
    if (!entry) {
      entry = new Deferred<number>();
      // It can fail before anybody waits for it.
      entry.promise.catch(() => {});
      this.#waiting.set(id, entry);
      if (this.#failure) entry.reject(this.#failure);
    }
    return entry;
  }

  #fail(why: string): void {
    this.#failure ??= new SideError(this.side, why);
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
  }
}
