/** The server worker of tabd: the core over the browser's host, for as long as its page is the leader. */

import { Lazy } from '#core/base';
import type { Network } from '#core/host';
import { createRegistry, hearingEngine, sentenceEngine, speakingEngine } from '#core/local-models';
import { createCore } from '#core/server';
import { Consents } from './consents.ts';
import { browserTensorEngine } from './engines/onnx/index.ts';
import { webLlmEngine } from './engines/web-llm/index.ts';
import { wllamaEngine } from './engines/wllama/index.ts';
import { createBrowserHost } from './host/index.ts';
import { importFromOrigin } from './import-from-site.ts';
import { logRequests } from './logged-server.ts';
import { serveInWorker } from './serve.ts';
import { createServerControl } from './server-control.ts';
import { shimSource } from './sources/shim-source.ts';
import { siteSource } from './sources/site-source.ts';

const network: Network = { fetch: (url, init) => fetch(url, init) };

serveInWorker(async ({ settings, scope }, frames) => {
  const consents = new Consents();
  const host = await createBrowserHost({
    settings: () => settings,
    consent: (request, signal) => consents.ask(request, signal),
    tensorEngine: browserTensorEngine,
    engines: (parts) => [
      wllamaEngine(parts),
      webLlmEngine(parts),
      ...(parts.tensors
        ? [
            hearingEngine({ ...parts, tensors: parts.tensors }),
            speakingEngine({ ...parts, tensors: parts.tensors }),
            sentenceEngine({ ...parts, tensors: parts.tensors }),
          ]
        : []),
    ],
    prebuilt: async () => (await import('./engines/web-llm/prebuilt-list.ts')).prebuiltList(),
    weightSources: [
      shimSource(network, () => settings.TABD_WEIGHTS_FROM),
      siteSource(network, () => settings.TABD_WEIGHTS_FROM),
    ],
  });
  const registry = createRegistry(host);
  const { server, textService, webhooks } = createCore(host, registry, { importModule: importFromOrigin });
  // This signal never aborts, because the work ends with the worker.
  const { signal } = new AbortController();
  void textService.resume(signal);
  void registry
    .prune(signal)
    .catch((error) => host.log.warn('old downloads could not be removed', { error: String(error) }));
  void webhooks.start().catch((error) => {
    host.log.error('the workflows could not be started', { error: String(error) });
  });
  const bridge = new Lazy(async () => {
    const { createBridge } = await import('./bridge-parts.ts');
    return createBridge(frames, { registry, text: textService, machine: host.machine });
  });
  return {
    server: logRequests(server, scope),
    control: createServerControl({ text: textService, registry, consents, bridge: () => bridge.get() }),
  };
});
