import type { Redis } from 'ioredis';
import type { SocketLike } from '#core/frames';
import type { Log } from '#core/host';

/**
 * Carries the messages of any two processes of a cluster over Redis. Each process has a stream, its inbox, and reads it
 * alone. An entry has these fields:
 *
 * ```
 * s session   p sender   n number of the message in its session and direction
 * f frame, bytes   or   c the reason why the session ends   or   t a text that belongs to no session
 * ```
 */
export class RedisSockets {
  readonly #sessions = new Map<string, RedisSocket>();
  #onSession: ((socket: SocketLike) => void) | undefined;
  #onText: ((text: string, sender: string) => void) | undefined;
  #isClosed = false;
  /** The last entry that was read. */
  #last = '0';

  /**
   * @param redis a connection for commands
   * @param reader a connection of its own, because it waits for entries
   */
  constructor(
    private readonly redis: Redis,
    private readonly reader: Redis,
    private readonly prefix: string,
    readonly process: string,
    private readonly log: Log,
  ) {}

  /** Creates the inbox and begins to read it. */
  async open(): Promise<void> {
    await this.#createInbox();
    void this.#read();
  }

  /** Accepts the sessions of other processes. */
  onSession(listener: (socket: SocketLike) => void): void {
    this.#onSession = listener;
  }

  onText(listener: (text: string, sender: string) => void): void {
    this.#onText = listener;
  }

  /** Begins a session with another process. */
  connect(peer: string): SocketLike {
    const id = crypto.randomUUID();
    const socket = this.#socket(id, peer);
    this.#sessions.set(id, socket);
    return socket;
  }

  /** @returns whether the other process has an inbox */
  async sendText(peer: string, text: string): Promise<boolean> {
    return (await this.#add(peer, ['t', text])) !== null;
  }

  /** Ends the sessions with a process that no longer runs. */
  endSessions(isGone: (peer: string) => boolean): void {
    for (const socket of [...this.#sessions.values()]) {
      if (isGone(socket.peer)) socket.ended(1006, `the process ${socket.peer} is gone`);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const socket of [...this.#sessions.values()]) socket.close(1001, 'this process is stopping');
    await this.redis.del(this.#inbox(this.process)).catch(() => {});
  }

  /** The inbox outlives this process by a minute. `keepAlive` must be called more often. */
  async keepAlive(): Promise<void> {
    const found = await this.redis.pexpire(this.#inbox(this.process), INBOX_TTL);
    // Redis has lost its data. Messages may be missing, which the numbers show.
    if (found === 0 && !this.#isClosed) await this.#createInbox();
  }

  async #createInbox(): Promise<void> {
    const key = this.#inbox(this.process);
    // A Redis without its data numbers entries anew.
    this.#last = '0';
    await this.redis.xadd(key, '*', 't', '');
    await this.redis.pexpire(key, INBOX_TTL);
  }

  #inbox(process: string): string {
    return `${this.prefix}:inbox:${process}`;
  }

  #socket(id: string, peer: string): RedisSocket {
    return new RedisSocket(
      peer,
      (number, field, value) => this.#add(peer, ['s', id, 'n', String(number), field, value]),
      () => this.#sessions.delete(id),
    );
  }

  /** An entry for a process without an inbox is dropped: that process is gone. */
  #add(peer: string, fields: (string | Buffer)[]): Promise<string | null> {
    return this.redis.xadd(this.#inbox(peer), 'NOMKSTREAM', '*', 'p', this.process, ...fields);
  }

  async #read(): Promise<void> {
    const key = this.#inbox(this.process);
    while (!this.#isClosed) {
      try {
        const found = await this.reader.xreadBuffer('COUNT', 500, 'BLOCK', 2000, 'STREAMS', key, this.#last);
        const entries = found?.[0]?.[1] ?? [];
        for (const [id, fields] of entries) {
          this.#last = id.toString();
          this.#receive(fields);
        }
        const ids = entries.map(([id]) => id.toString());
        if (ids.length > 0) this.redis.xdel(key, ...ids).catch(() => {});
      } catch (error) {
        if (this.#isClosed) return;
        this.log.warn('the inbox of this process could not be read', { error: String(error) });
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }

  #receive(list: Buffer[]): void {
    const fields = new Map<string, Buffer>();
    for (let at = 0; at + 1 < list.length; at += 2) fields.set(list[at]!.toString(), list[at + 1]!);
    const [session, sender] = [fields.get('s')?.toString(), fields.get('p')?.toString()];
    if (!sender) return;
    if (!session) {
      this.#onText?.(fields.get('t')?.toString() ?? '', sender);
      return;
    }
    const number = Number(fields.get('n')?.toString());
    let socket = this.#sessions.get(session);
    if (!socket) {
      // A session that this process does not know, or no longer: its other end learns it.
      if (number !== 0 || !this.#onSession) {
        if (!fields.has('c'))
          void this.#add(sender, ['s', session, 'n', '0', 'c', 'there is no such session']);
        return;
      }
      socket = this.#socket(session, sender);
      this.#sessions.set(session, socket);
      this.#onSession(socket);
    }
    const [frame, reason] = [fields.get('f'), fields.get('c')];
    if (reason) socket.ended(1006, reason.toString());
    else if (frame) socket.receive(number, frame);
  }
}

/** Milliseconds. */
const INBOX_TTL = 60_000;

const OPEN = 1;
const CLOSED = 3;

/** One end of a session. */
class RedisSocket extends EventTarget implements SocketLike {
  binaryType = 'arraybuffer';
  readyState = OPEN;
  #sent = 0;
  #received = 0;

  constructor(
    readonly peer: string,
    private readonly add: (number: number, field: string, value: string | Buffer) => Promise<string | null>,
    private readonly onEnd: () => void,
  ) {
    super();
  }

  send(data: Uint8Array<ArrayBuffer>): void {
    if (this.readyState !== OPEN) return;
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    this.add(this.#sent++, 'f', bytes).then(
      (id) => id === null && this.ended(1006, `the process ${this.peer} is gone`),
      (error) => this.ended(1006, String(error)),
    );
  }

  close(_code?: number, reason = 'closed'): void {
    if (this.readyState !== OPEN) return;
    this.add(this.#sent++, 'c', reason).catch(() => {});
    this.ended(1000, reason);
  }

  /** @param number that of the message: a missing one ends the session */
  receive(number: number, frame: Buffer): void {
    if (this.readyState !== OPEN) return;
    // Redis may have stored a message twice when a connection broke.
    if (number < this.#received) return;
    if (number > this.#received) {
      this.close(1002, 'messages were lost');
      return;
    }
    this.#received += 1;
    const data = frame.buffer.slice(frame.byteOffset, frame.byteOffset + frame.byteLength);
    this.dispatchEvent(new MessageEvent('message', { data }));
  }

  /** The session ends without a message to the other side. */
  ended(code: number, reason: string): void {
    if (this.readyState === CLOSED) return;
    this.readyState = CLOSED;
    this.onEnd();
    this.dispatchEvent(Object.assign(new Event('close'), { code, reason }));
  }
}
