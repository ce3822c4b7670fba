/**
 * Threads for code that people wrote in workflows. The platform supplies the threads alone: a worker in the browser, a
 * worker thread in Node. Each runs `serveSandbox` (JavaScript) or `servePython` of core/webhooks over its `SandboxPort`.
 * The core brings QuickJS and the code around Python, their limits, and the pools of threads.
 */
export interface SandboxThreads {
  /** Starts a thread, which belongs to the caller until `terminate`. */
  start(): SandboxThread;
}

/** A thread as its owner sees it. */
export interface SandboxThread {
  /** Sends a message as a structured clone. Does nothing when the thread has ended. */
  post(message: unknown): void;
  /** Sets the one listener for messages of the thread. */
  onMessage(listener: (message: unknown) => void): void;
  /** Resolves with the cause when the thread has ended. Never rejects. */
  readonly gone: Promise<Error>;
  /** Ends the thread at once, in the middle of its work. */
  terminate(): void;
}

/** The thread's own end of the channel to its owner. */
export interface SandboxPort {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
}
