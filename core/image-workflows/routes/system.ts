/** Facts about the server and its machine. */
import type { RouteCall } from '#core/http';
import { serverFeatures } from '../features.ts';
import { plainTextResponse, pythonJsonResponse } from '../responses.ts';
import type { ImageServer } from '../server/image-server.ts';
import { systemStats } from '../server/system-stats.ts';

export async function showSystemStats({ host }: ImageServer): Promise<Response> {
  return pythonJsonResponse(await systemStats(host));
}

export const showFeatures = (): Response => pythonJsonResponse(serverFeatures);

export const emptyList = (): Response => pythonJsonResponse([]);

export const emptyObject = (): Response => pythonJsonResponse({});

export const unknownSubgraph = (_server: ImageServer, { params }: RouteCall): Response =>
  pythonJsonResponse(
    { error: `There is no global subgraph ${params.id}: /global_subgraphs lists the existing ids` },
    404,
  );

/** A plain GET of the socket's path, without an upgrade. */
export const explainSocket = (_server: ImageServer, _call: RouteCall): Response =>
  plainTextResponse('No WebSocket UPGRADE hdr: this address is a WebSocket', 400);
