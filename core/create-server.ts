/** The core of tabd over a host: three APIs behind one `fetch`. */
import type { Host } from './host/host.ts';
import { composeServer } from './http/compose.ts';
import { imageWorkflowsApi } from './image-workflows/api.ts';
import { createRegistry } from './local-models/registry/registry.ts';
import type { ModelRegistry } from './local-models/registry/types.ts';
import { createLocalModelsApi } from './local-models/routes/api.ts';
import { createTextService } from './local-models/text-service.ts';
import type { Server } from './server-types.ts';
import { webhooksApi } from './webhooks/api.ts';

/** `registry`: given by a platform that itself looks at the installed models beside the server. */
export function createServer(host: Host, registry: ModelRegistry = createRegistry(host)): Server {
  const text = createTextService(host, registry);
  return composeServer(host, [
    createLocalModelsApi({ host, registry, text }),
    imageWorkflowsApi(host),
    webhooksApi(host),
  ]);
}
