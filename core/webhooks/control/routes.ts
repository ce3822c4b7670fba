/** The control API: the routes of n8n's public API, and further ones for the editor and the command line. */
import { bindRoutes, type Route, type RouteTable } from '#core/http';
import type { WebhookServices } from '../services.ts';
import { createKey, deleteKey, listKeys } from './api-keys.ts';
import { authorize } from './authorize.ts';
import {
  connectCredential,
  createCredential,
  deleteCredential,
  getCredentialSchema,
  listCredentials,
  listCredentialTypes,
  updateCredential,
} from './credentials.ts';
import { clearRows, deleteRows, insertRows, listRows, updateRows, upsertRow } from './data-tables/rows.ts';
import {
  addColumn,
  changeColumn,
  createDataTable,
  deleteColumn,
  deleteDataTable,
  getDataTable,
  listColumns,
  listDataTables,
  renameDataTable,
} from './data-tables/tables.ts';
import { streamEvents } from './event-stream.ts';
import {
  deleteExecution,
  getExecution,
  listExecutions,
  replayExecution,
  retryExecution,
  stopExecution,
} from './executions.ts';
import { previewExpressions } from './expression-preview.ts';
import { listNodeTypes, listPorts } from './node-types.ts';
import {
  listAddresses,
  listenForTestCall,
  publishWorkflow,
  runWorkflowByHand,
  stopListening,
  unpublishWorkflow,
} from './workflow-actions.ts';
import {
  createWorkflow,
  deleteWorkflow,
  exportWorkflow,
  getWorkflow,
  importWorkflows,
  listWorkflows,
  reportWorkflow,
  updateWorkflow,
} from './workflows.ts';

const PREFIX = '/api/v1';

const ROUTES: RouteTable<WebhookServices> = [
  ['GET', '/workflows', listWorkflows],
  ['POST', '/workflows', createWorkflow],
  ['POST', '/workflows/import', importWorkflows],
  ['GET', '/workflows/:id', getWorkflow],
  ['PUT', '/workflows/:id', updateWorkflow],
  ['DELETE', '/workflows/:id', deleteWorkflow],
  ['POST', '/workflows/:id/activate', publishWorkflow],
  ['POST', '/workflows/:id/deactivate', unpublishWorkflow],
  ['GET', '/workflows/:id/export', exportWorkflow],
  ['GET', '/workflows/:id/report', reportWorkflow],
  ['GET', '/workflows/:id/addresses', listAddresses],
  ['POST', '/workflows/:id/listen', listenForTestCall],
  ['DELETE', '/workflows/:id/listen', stopListening],
  ['POST', '/workflows/:id/run', runWorkflowByHand],
  ['GET', '/executions', listExecutions],
  ['GET', '/executions/:id', getExecution],
  ['DELETE', '/executions/:id', deleteExecution],
  ['POST', '/executions/:id/retry', retryExecution],
  ['POST', '/executions/:id/stop', stopExecution],
  ['POST', '/executions/:id/replay', replayExecution],
  ['POST', '/expressions/preview', previewExpressions],
  ['GET', '/credentials', listCredentials],
  ['POST', '/credentials', createCredential],
  ['GET', '/credentials/schema/:type', getCredentialSchema],
  ['PATCH', '/credentials/:id', updateCredential],
  ['DELETE', '/credentials/:id', deleteCredential],
  ['POST', '/credentials/:id/connect', connectCredential],
  ['GET', '/credential-types', listCredentialTypes],
  ['GET', '/node-types', listNodeTypes],
  ['POST', '/node-types/ports', listPorts],
  ['GET', '/events', streamEvents],
  ['GET', '/data-tables', listDataTables],
  ['POST', '/data-tables', createDataTable],
  ['GET', '/data-tables/:id', getDataTable],
  ['PATCH', '/data-tables/:id', renameDataTable],
  ['DELETE', '/data-tables/:id', deleteDataTable],
  ['GET', '/data-tables/:id/columns', listColumns],
  ['POST', '/data-tables/:id/columns', addColumn],
  ['PATCH', '/data-tables/:id/columns/:columnId', changeColumn],
  ['DELETE', '/data-tables/:id/columns/:columnId', deleteColumn],
  ['GET', '/data-tables/:id/rows', listRows],
  ['POST', '/data-tables/:id/rows', insertRows],
  ['PATCH', '/data-tables/:id/rows/update', updateRows],
  ['POST', '/data-tables/:id/rows/upsert', upsertRow],
  ['DELETE', '/data-tables/:id/rows/delete', deleteRows],
  ['DELETE', '/data-tables/:id/rows/clear', clearRows],
  ['GET', '/keys', listKeys],
  ['POST', '/keys', createKey],
  ['DELETE', '/keys/:id', deleteKey],
];

/**
 * Routes that require a key.
 * @param open opens the webhook server at the first call
 */
export function controlRoutes(open: () => Promise<WebhookServices>): Route[] {
  return bindRoutes(
    open,
    ROUTES.map(([methods, path, handler]) => [
      methods,
      PREFIX + path,
      async (_open, call) => {
        const services = await open();
        await authorize(call, services.keys);
        return handler(services, call);
      },
    ]),
  );
}
