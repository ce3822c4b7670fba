/** The work of a sandbox thread: it takes scripts from the core, runs them and posts their results. */
import type { SandboxPort } from '#core/host';
import { answerRegexRequest, type RegexRequest } from '#core/regex';
import { answerXmlRequest, type XmlRequest } from '../../xml/xml-job.ts';
import library from '../library.json' with { type: 'json' };
import { EXPRESSION_MEMORY } from '../memory-limits.ts';
import type { FromThread, ToThread } from '../protocol.ts';
import { CodeRuns } from './code-runs.ts';
import { QuickJsInstance } from './quickjs-instance.ts';

/** Expressions share one frozen realm. After so many batches it is restored to free its memory. */
const BATCHES_PER_RESTORE = 2000;
/** An instance with more memory is replaced after a failure (bytes). */
const MAX_REUSED_MEMORY = 64 * 2 ** 20;

/**
 * Serves one sandbox thread: runs the scripts of messages, and posts their results. Resolves when QuickJS is ready.
 * A failure to start is posted as `unusable`; this never rejects.
 * @param port messages from and to the core
 * @param wasm bytes of QuickJS, or the compiled module
 */
export async function serveSandbox(
  port: SandboxPort,
  wasm: BufferSource | WebAssembly.Module,
): Promise<void> {
  const post = (message: FromThread) => port.post(message);
  const early: ToThread[] = [];
  let server: SandboxServer | undefined;
  port.onMessage((message) => {
    const { type } = message as ToThread | RegexRequest | XmlRequest;
    // These three need no QuickJS. Their sender ends the thread when an answer takes too long.
    if (type === 'pattern') port.post(answerRegexRequest(message as RegexRequest));
    else if (type === 'xml') port.post(answerXmlRequest(message as XmlRequest));
    else if (type === 'ping') post({ type: 'pong' });
    else if (server) server.receive(message as ToThread);
    else early.push(message as ToThread);
  });
  try {
    const module = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
    const started = await SandboxServer.start(module, post);
    for (const message of early.splice(0)) started.receive(message);
    server = started;
    post({ type: 'ready' });
  } catch (error) {
    post({ type: 'unusable', message: String(error) });
  }
}

class SandboxServer {
  readonly #codeRuns: CodeRuns;
  /** Batches of expressions that ran. */
  #batches = 0;
  /** Messages that wait for a new instance. Undefined while there is a usable one. */
  #waiting: ToThread[] | undefined;

  private constructor(
    private readonly module: WebAssembly.Module,
    private readonly post: (message: FromThread) => void,
    private expressions: QuickJsInstance,
  ) {
    this.#codeRuns = new CodeRuns(module, post);
  }

  static async start(
    module: WebAssembly.Module,
    post: (message: FromThread) => void,
  ): Promise<SandboxServer> {
    return new SandboxServer(module, post, await expressionInstance(module));
  }

  receive(message: ToThread): void {
    if (this.#waiting) {
      this.#waiting.push(message);
      return;
    }
    switch (message.type) {
      case 'evaluate':
        this.#evaluate(message);
        break;
      case 'code':
        this.#codeRuns.run(message.id, message.script, message.limits);
        break;
      case 'answer':
        this.#codeRuns.answer(message);
        break;
      case 'cancel':
        this.#codeRuns.cancel(message.id);
        break;
    }
  }

  #evaluate({ id, script, limits }: Extract<ToThread, { type: 'evaluate' }>): void {
    const { expressions } = this;
    try {
      if (++this.#batches % BATCHES_PER_RESTORE === 0) expressions.restore();
      expressions.startTimeLimit(limits);
      const text = expressions.callText(expressions.entry, JSON.stringify(script));
      this.post({ type: 'done', id, value: text });
    } catch (error) {
      const failure = expressions.failureFrom(error);
      const isUsable = failure.kind !== 'crashed' && !expressions.broken;
      // The script ended in the middle: its objects may be half changed.
      if (isUsable) expressions.restore();
      this.post({ type: 'failed', id, failure });
      if (!isUsable || expressions.memorySize > MAX_REUSED_MEMORY) this.#replaceInstance();
    }
  }

  /** Creates another instance for expressions; all messages wait for it. */
  #replaceInstance(): void {
    const waiting: ToThread[] = [];
    this.#waiting = waiting;
    expressionInstance(this.module).then(
      (instance) => {
        this.expressions = instance;
        this.#waiting = undefined;
        for (const message of waiting) this.receive(message);
      },
      (error: unknown) => this.post({ type: 'unusable', message: String(error) }),
    );
  }
}

function expressionInstance(module: WebAssembly.Module): Promise<QuickJsInstance> {
  return QuickJsInstance.create(module, library.expressions, EXPRESSION_MEMORY);
}
