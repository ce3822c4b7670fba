import type { StartOptions, Tabd } from '../../../web/client/types.ts';
import type { patchWebSocket } from '../../../web/client/websocket.ts';

declare global {
  /** Functions that the pages of the test site offer to tests. */
  interface Window {
    tabd: Tabd;
    workers: Worker[];
    startTabd(options?: StartOptions): Promise<void>;
    patchWebSocket: typeof patchWebSocket;
  }
}
