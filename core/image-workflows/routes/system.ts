/** Facts about the server and its machine. */
import type { RouteCall } from '#core/http';
import { serverFeatures } from '../features.ts';
import { json, text } from '../responses.ts';
import type { ImageServer } from '../server/image-server.ts';
import { systemStats } from '../server/system-stats.ts';

export async function showSystemStats({ host }: ImageServer): Promise<Response> {
  return json(await systemStats(host));
}

export const showFeatures = (): Response => json(serverFeatures);

export const emptyList = (): Response => json([]);

export const emptyObject = (): Response => json({});

/** A plain GET of the socket's path, without an upgrade. */
export const explainSocket = (_server: ImageServer, _call: RouteCall): Response =>
  text('No WebSocket UPGRADE hdr: this address is a WebSocket', 400);
