/** The control API: its addresses, in the shape of the public API of document 3's system and beyond it. */
import type { Route } from '#core/http';
import * as keys from './api-keys.ts';
import { type ControlCall, type ControlParts, controlRoute } from './call.ts';
import * as credentials from './credentials.ts';
import * as executions from './executions.ts';
import * as nodeTypes from './node-types.ts';
import { previewExpressions } from './preview.ts';
import { pushEvents } from './push.ts';
import * as workflows from './workflows.ts';

const TABLE: [method: string, path: string, handle: (call: ControlCall) => Promise<unknown>][] = [
  ['GET', '/workflows', workflows.listWorkflows],
  ['POST', '/workflows', workflows.createWorkflow],
  ['POST', '/workflows/import', workflows.importWorkflows],
  ['GET', '/workflows/:id', workflows.getWorkflow],
  ['PUT', '/workflows/:id', workflows.updateWorkflow],
  ['DELETE', '/workflows/:id', workflows.deleteWorkflow],
  ['POST', '/workflows/:id/activate', workflows.publishWorkflow],
  ['POST', '/workflows/:id/deactivate', workflows.unpublishWorkflow],
  ['GET', '/workflows/:id/export', workflows.exportWorkflow],
  ['GET', '/workflows/:id/addresses', workflows.addressesOf],
  ['POST', '/workflows/:id/listen', workflows.listenForTest],
  ['DELETE', '/workflows/:id/listen', workflows.stopListening],
  ['POST', '/workflows/:id/run', workflows.runWorkflow],
  ['GET', '/executions', executions.listExecutions],
  ['GET', '/executions/:id', executions.getExecution],
  ['DELETE', '/executions/:id', executions.deleteExecution],
  ['POST', '/executions/:id/retry', executions.retryExecution],
  ['POST', '/executions/:id/stop', executions.stopExecution],
  ['POST', '/executions/:id/replay', executions.replayExecution],
  ['POST', '/expressions/preview', previewExpressions],
  ['GET', '/credentials', credentials.listCredentials],
  ['POST', '/credentials', credentials.createCredential],
  ['GET', '/credentials/schema/:type', credentials.credentialSchema],
  ['PATCH', '/credentials/:id', credentials.updateCredential],
  ['DELETE', '/credentials/:id', credentials.deleteCredential],
  ['GET', '/credential-types', credentials.listCredentialTypes],
  ['GET', '/node-types', nodeTypes.listNodeTypes],
  ['POST', '/node-types/ports', nodeTypes.portsOfNodes],
  ['GET', '/events', pushEvents],
  ['GET', '/keys', keys.listKeys],
  ['POST', '/keys', keys.createKey],
  ['DELETE', '/keys/:id', keys.deleteKey],
];

/** `open`: the parts, as soon as they are there. */
export function controlRoutes(open: () => Promise<ControlParts>): Route[] {
  return TABLE.map(([method, path, handle]) => controlRoute(open, method, path, handle));
}
