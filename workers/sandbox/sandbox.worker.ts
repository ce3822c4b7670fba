/** A worker for code of workflows: it runs in QuickJS in here, and sees neither the page nor the server. */
import wasm from '@jitl/quickjs-ng-wasmfile-release-sync/wasm?url';
import { serveSandbox } from '#core/webhooks';

const early: unknown[] = [];
let listener = (message: unknown): void => void early.push(message);
// Before anything is awaited: messages that come meanwhile would be lost.
self.addEventListener('message', ({ data }: MessageEvent) => listener(data));

const bytes = await (await fetch(wasm)).arrayBuffer();
await serveSandbox(
  {
    post: (message) => self.postMessage(message),
    onMessage: (given) => {
      listener = given;
      for (const message of early.splice(0)) given(message);
    },
  },
  bytes,
);
