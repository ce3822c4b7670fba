/** Converts XML in a thread: the parser cannot pause, and large documents take it seconds. */
import { Mutex } from '#core/base';
import type { SandboxThread, SandboxThreads } from '#core/host';
import { parsePlainJson } from '#core/http';
import { readXml, XmlError } from './read-xml.ts';
import { type XmlToObjectOptions, xmlToObject } from './to-object.ts';
import type { XmlReply, XmlRequest } from './xml-job.ts';

/** Characters that are converted at once on the server's own thread: some milliseconds. */
export const MAX_AT_ONCE = 16 * 1024;
/** Milliseconds without work after which the thread ends. */
const IDLE_TIME = 10_000;
/** The result has a container for each level of the document and each list of it. */
const MAX_DEPTH = 1000;

/** A sandbox thread for XML, started by the first large document. It converts one document at a time. */
export class XmlThread {
  readonly #turns = new Mutex();
  #thread: SandboxThread | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly threads: SandboxThreads) {}

  /**
   * `xmlToObject` that leaves the event loop free. An abort ends the thread in the middle of its work.
   * @throws XmlError, or the signal's reason
   */
  async toObject(text: string, options: Partial<XmlToObjectOptions>, signal: AbortSignal): Promise<unknown> {
    if (text.length <= MAX_AT_ONCE) return xmlToObject(readXml(text), options);
    const release = await this.#turns.acquire(signal);
    try {
      const reply = await this.#ask({ type: 'xml', text, options }, signal);
      if (reply.type === 'xml-failed') throw new XmlError(reply.message);
      return await parsePlainJson(reply.json, MAX_DEPTH, signal);
    } finally {
      release();
    }
  }

  /** Ends the thread. */
  close(): void {
    clearTimeout(this.#idleTimer);
    this.#thread?.terminate();
    this.#thread = undefined;
  }

  async #ask(request: XmlRequest, signal: AbortSignal): Promise<XmlReply> {
    clearTimeout(this.#idleTimer);
    this.#thread ??= this.threads.start();
    const thread = this.#thread;
    let abort = () => {};
    try {
      return await new Promise<XmlReply>((resolve, reject) => {
        abort = () => {
          this.close();
          reject(signal.reason);
        };
        signal.addEventListener('abort', abort, { once: true });
        thread.onMessage((message) => {
          const reply = message as XmlReply;
          if (reply.type === 'xml-done' || reply.type === 'xml-failed') resolve(reply);
        });
        thread.gone.then((cause) => {
          if (this.#thread === thread) this.#thread = undefined;
          reject(cause);
        });
        thread.post(request);
      });
    } finally {
      signal.removeEventListener('abort', abort);
      if (this.#thread) this.#idleTimer = setTimeout(() => this.close(), IDLE_TIME);
      // In Node, a thread that only waits for documents must not keep the process alive.
      (this.#idleTimer as { unref?: () => void } | undefined)?.unref?.();
    }
  }
}
