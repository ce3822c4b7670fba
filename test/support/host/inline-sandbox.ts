/**
 * Sandboxes in the thread of the test: the real QuickJS and the real messages. A sandbox that hangs cannot be
 * terminated.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SandboxPort, SandboxThread, SandboxThreads } from '#core/host';
import { serveSandbox } from '#core/webhooks/sandbox/thread/serve.ts';

type Listener = (message: unknown) => void;

let wasm: Promise<WebAssembly.Module> | undefined;

/** QuickJS, compiled once for all tests of a file. */
export function quickJsModule(): Promise<WebAssembly.Module> {
  wasm ??= WebAssembly.compile(
    readFileSync(fileURLToPath(import.meta.resolve('@jitl/quickjs-ng-wasmfile-release-sync/wasm'))),
  );
  return wasm;
}

export const inlineSandbox: SandboxThreads = {
  start: () => inlineThread(async (port) => serveSandbox(port, await quickJsModule())),
};

/** A thread whose messages are copied, as those of a worker are, and which runs in the thread of the test. */
export function inlineThread(serve: (port: SandboxPort) => Promise<void>): SandboxThread {
  let toCore: Listener = () => {};
  const early: unknown[] = [];
  let toThread: Listener = (message) => void early.push(message);
  let end: (cause: Error) => void = () => {};
  let ended = false;
  const gone = new Promise<Error>((resolve) => {
    end = resolve;
  });
  const deliver = (listener: () => Listener, message: unknown) => {
    const copy = structuredClone(message);
    queueMicrotask(() => {
      if (!ended) listener()(copy);
    });
  };
  void serve({
    post: (message) => deliver(() => toCore, message),
    onMessage: (listener) => {
      toThread = listener;
      for (const message of early.splice(0)) listener(message);
    },
  });
  return {
    post: (message) => deliver(() => toThread, message),
    onMessage: (listener) => {
      toCore = listener;
    },
    gone,
    terminate() {
      ended = true;
      end(new Error('terminated'));
    },
  };
}
