/**
 * Threads for JavaScript that people wrote in workflows. The platform only supplies a thread (a worker in the browser,
 * a worker thread in Node) that runs `serveSandbox` of `core/webhooks/sandbox/thread/serve.ts` over its port; QuickJS,
 * limits and pools are the core's business.
 */
export interface SandboxThreads {
  start(): SandboxThread;
}

export interface SandboxThread {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Settles, with the cause, when the thread has ended; never rejects. */
  readonly gone: Promise<Error>;
  /** Ends the thread at once, whatever it is doing. */
  terminate(): void;
}

/** The thread's own end. */
export interface SandboxPort {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
}
