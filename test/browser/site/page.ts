import { PageTabd } from '#web/client/page-tabd.ts';
import { patchWebSocket } from '#web/client/websocket.ts';
import worker from '../site-workers/scripted.worker.ts?worker&url';

// Lets a test end the server worker without tabd's knowledge.
window.workers = [];
window.Worker = class extends Worker {
  constructor(url: string | URL, options?: WorkerOptions) {
    super(url, options);
    window.workers.push(this);
  }
};

window.patchWebSocket = patchWebSocket;
window.startTabd = async (options = {}) => {
  const tabd = new PageTabd(
    { reach: 'whole', ...options },
    new URL(options.worker ?? worker, import.meta.url),
  );
  await tabd.start();
  window.tabd = tabd;
};
