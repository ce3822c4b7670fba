/** The core of tabd over a host: three APIs behind one `fetch`. */
import type { Host } from './host/host.ts';
import { composeServer } from './http/compose.ts';
import { imageWorkflowsApi } from './image-workflows/api.ts';
import { createRegistry } from './local-models/registry/registry.ts';
import type { ModelRegistry } from './local-models/registry/types.ts';
import { createLocalModelsApi } from './local-models/routes/api.ts';
import { createTextService } from './local-models/text-service.ts';
import type { TextService } from './local-models/types.ts';
import type { Server } from './server-types.ts';
import { webhooksApi } from './webhooks/api.ts';

/** The server with the parts that a platform itself looks at beside it. */
export interface Core {
  server: Server;
  registry: ModelRegistry;
  text: TextService;
}

export function createCore(host: Host, registry: ModelRegistry = createRegistry(host)): Core {
  const text = createTextService(host, registry);
  const server = composeServer(host, [
    createLocalModelsApi({ host, registry, text }),
    imageWorkflowsApi(host),
    webhooksApi(host),
  ]);
  return { server, registry, text };
}

/** `registry`: given by a platform that itself looks at the installed models beside the server. */
export function createServer(host: Host, registry?: ModelRegistry): Server {
  return createCore(host, registry).server;
}
