/** What the server is and can. */
import type { Route } from '#core/http';
import type { ImageServer } from '../server.ts';
import { serverFeatures } from '../sockets/socket-hub.ts';
import { systemStats } from '../system-stats.ts';
import { json, text } from './responses.ts';

export function systemRoutes({ host }: ImageServer): Route[] {
  return [
    { method: 'GET', path: '/system_stats', handle: async () => json(await systemStats(host)) },
    { method: 'GET', path: '/features', handle: () => json(serverFeatures) },
    // Scripts for the editor, templates and translations come with custom nodes, of which there are none.
    { method: 'GET', path: '/extensions', handle: () => json([]) },
    { method: 'GET', path: '/workflow_templates', handle: () => json({}) },
    { method: 'GET', path: '/i18n', handle: () => json({}) },
    {
      method: 'GET',
      path: '/ws',
      handle: () => text('No WebSocket UPGRADE hdr: this address is a WebSocket', 400),
    },
  ];
}
