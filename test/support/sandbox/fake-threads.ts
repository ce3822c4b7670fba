/** Sandbox threads that do what a test says. */
import type { SandboxThread, SandboxThreads } from '#core/host';
import type { FromThread, ToThread } from '#core/webhooks/sandbox/protocol.ts';

export interface FakeThread {
  posted: ToThread[];
  terminated: boolean;
  reply(message: FromThread): void;
  /** Ends as if it had crashed. */
  crash(): void;
}

/** Starts `FakeThread`s, and lists them in order. */
export class FakeThreads implements SandboxThreads {
  readonly started: FakeThread[] = [];

  start(): SandboxThread {
    let listener: (message: unknown) => void = () => {};
    let end: (cause: Error) => void = () => {};
    const gone = new Promise<Error>((resolve) => {
      end = resolve;
    });
    const thread: FakeThread = {
      posted: [],
      terminated: false,
      reply: (message) => listener(message),
      crash: () => end(new Error('out of threads')),
    };
    this.started.push(thread);
    return {
      post: (message) => void thread.posted.push(message as ToThread),
      onMessage: (receive) => {
        listener = receive;
      },
      gone,
      terminate: () => {
        thread.terminated = true;
      },
    };
  }
}
