/**
 * The entry of a sandbox thread. It runs the code of workflows in QuickJS, so that the ports stay responsive.
 */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { serveSandbox } from '#core/webhooks';

const port = parentPort;
if (port) {
  await serveSandbox(
    {
      post: (message) => port.postMessage(message),
      onMessage: (listener) => port.on('message', listener),
    },
    readFileSync((workerData as { wasm: string }).wasm),
  );
}
