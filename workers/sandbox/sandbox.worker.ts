/** Runs code of workflows in QuickJS, where it has no access to the page or the server. */
import wasm from '@jitl/quickjs-ng-wasmfile-release-sync/wasm?url';
import { serveSandbox } from '#core/webhooks';

const earlyMessages: unknown[] = [];
let listener = (message: unknown): void => void earlyMessages.push(message);
// Added before the first `await`, because messages without a listener are lost.
self.addEventListener('message', ({ data }: MessageEvent) => listener(data));

const bytes = await (await fetch(wasm)).arrayBuffer();
await serveSandbox(
  {
    post: (message) => self.postMessage(message),
    onMessage: (newListener) => {
      listener = newListener;
      for (const message of earlyMessages.splice(0)) newListener(message);
    },
  },
  bytes,
);
