import { createRequire } from 'node:module';
import type { SandboxThreads } from '#core/host';
import { programFile, runsFromSource } from '../base/program-files.ts';
import { sandboxThread, startWorker } from './worker-thread.ts';

/** JavaScript of workflows, in QuickJS. */
export const nodeSandbox: SandboxThreads = {
  start: () =>
    sandboxThread(startWorker('sandbox-thread', { name: 'tabd sandbox', workerData: { wasm: quickJs() } })),
};

function quickJs(): string {
  if (!runsFromSource) return programFile('quickjs.wasm');
  return createRequire(import.meta.url).resolve('@jitl/quickjs-ng-wasmfile-release-sync/wasm');
}
