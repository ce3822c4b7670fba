/**
 * Sandboxes in the thread of the test: the real QuickJS and the real messages. A sandbox that hangs cannot be
 * terminated.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SandboxThread, SandboxThreads } from '#core/host';
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
  start(): SandboxThread {
    let toCore: Listener = () => {};
    let toThread: Listener = () => {};
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
    void quickJsModule().then((module) =>
      serveSandbox(
        {
          post: (message) => deliver(() => toCore, message),
          onMessage: (listener) => {
            toThread = listener;
            for (const message of early.splice(0)) listener(message);
          },
        },
        module,
      ),
    );
    const early: unknown[] = [];
    toThread = (message) => void early.push(message);
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
  },
};
