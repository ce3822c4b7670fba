/** Workflows as the control API reads and shows them. */
import { isObject } from '#core/base';
import { ApiError } from '#core/http';
import { readWorkflow, type Workflow } from '#core/workflow-format';
import { newRecordId } from '../record-id.ts';
import { requireProperties } from './request-body.ts';

const REQUIRED = ['name', 'nodes', 'connections', 'settings'];
const ACCEPTED = new Set([...REQUIRED, 'staticData', 'pinData', 'meta', 'description', 'nodeGroups']);
const READ_ONLY = new Set([
  'id',
  'active',
  'activeVersion',
  'activeVersionId',
  'createdAt',
  'updatedAt',
  'isArchived',
  'shared',
  'sourceWorkflowId',
  'tags',
  'triggerCount',
  'versionCounter',
  'versionId',
]);
const WEBHOOK = 'n8n-nodes-base.webhook';
const FORM = 'n8n-nodes-base.formTrigger';

/**
 * The workflow to store for the body of POST or PUT.
 * @param former the workflow that it replaces
 * @throws ApiError 400
 */
export function readWorkflowBody(body: Record<string, unknown>, former?: Workflow): Workflow {
  requireProperties(body, REQUIRED);
  for (const name of Object.keys(body)) {
    if (READ_ONLY.has(name)) throw new ApiError(400, `request/body/${name} is read-only`);
    if (!ACCEPTED.has(name)) {
      throw new ApiError(400, `request/body must NOT have additional properties: ${name}`);
    }
  }
  if (typeof body.name !== 'string' || body.name.trim() === '') {
    throw new ApiError(400, 'request/body/name must be a string that is not empty');
  }
  for (const name of ['connections', 'settings']) {
    if (!isObject(body[name])) throw new ApiError(400, `request/body/${name} must be object`);
  }
  return newVersion(readWorkflow(body), former);
}

/**
 * The workflow to store for an exported file. Fields of the server that exported it are dropped.
 * @throws ApiError 400
 */
export function importedWorkflow(file: unknown): Workflow {
  const own = Object.entries(readWorkflow(file)).filter(([name]) => !READ_ONLY.has(name));
  return newVersion({ ...Object.fromEntries(own), active: false, id: '' } as Workflow);
}

/** A file that other servers can import: without what only this server needs. */
export function exportedWorkflow(workflow: Workflow): object {
  const { name, nodes, connections, settings, pinData, meta, tags, versionId, id } = workflow;
  return { name, nodes, connections, settings, pinData, meta: meta ?? null, tags: tags ?? [], versionId, id };
}

function newVersion(workflow: Workflow, former?: Workflow): Workflow {
  const nodes = workflow.nodes.map((node) => {
    if ((node.type !== WEBHOOK && node.type !== FORM) || node.webhookId) return node;
    // The address of a node without a path: it cannot be guessed, and stays the same in later versions.
    const webhookId = former?.nodes.find(({ name }) => name === node.name)?.webhookId;
    return { ...node, webhookId: webhookId ?? crypto.randomUUID() };
  });
  return {
    ...(former && {
      meta: former.meta,
      tags: former.tags,
      createdAt: former.createdAt,
    }),
    ...workflow,
    nodes,
    // Executions own the static data: an empty one in the body does not delete it.
    staticData:
      Object.keys(workflow.staticData).length > 0 ? workflow.staticData : (former?.staticData ?? {}),
    id: former?.id ?? newRecordId(),
    active: former?.active ?? false,
    ...versionOf({ ...workflow, nodes }, former),
  };
}

/** Other nodes or connections make a new version. Another name or other settings do not. */
function versionOf(
  { nodes, connections }: Pick<Workflow, 'nodes' | 'connections'>,
  former: Workflow | undefined,
): Pick<Workflow, 'versionId' | 'versionCounter'> {
  const counter = former?.versionCounter ?? (former ? 1 : 0);
  const isSame =
    former?.versionId !== undefined &&
    JSON.stringify([nodes, connections]) === JSON.stringify([former.nodes, former.connections]);
  return isSame
    ? { versionId: former.versionId!, versionCounter: counter }
    : { versionId: crypto.randomUUID(), versionCounter: counter + 1 };
}

/** @param live the published version */
export function workflowJson(workflow: Workflow, live: Workflow | undefined): object {
  const { id, name, createdAt, updatedAt, versionId, nodes, connections, settings } = workflow;
  return {
    id,
    name,
    description: (workflow as { description?: unknown }).description ?? null,
    active: live !== undefined,
    activeVersionId: live?.versionId ?? null,
    createdAt,
    updatedAt,
    isArchived: false,
    versionId: versionId ?? null,
    versionCounter: workflow.versionCounter ?? 1,
    sourceWorkflowId: null,
    triggerCount: live?.nodes.filter(({ type, disabled }) => type === WEBHOOK && !disabled).length ?? 0,
    nodes,
    connections,
    nodeGroups: nodeGroups(workflow),
    settings,
    staticData: orNull(workflow.staticData),
    pinData: orNull(workflow.pinData),
    meta: workflow.meta ?? null,
    tags: workflow.tags ?? [],
    activeVersion: live ? versionJson(live) : null,
  };
}

function versionJson(workflow: Workflow): object {
  const { id, versionId, nodes, connections, settings, updatedAt } = workflow;
  return {
    versionId: versionId ?? null,
    workflowId: id,
    nodes,
    connections,
    nodeGroups: nodeGroups(workflow),
    settings,
    name: null,
    description: null,
    autosaved: false,
    createdAt: updatedAt,
    updatedAt,
  };
}

function nodeGroups(workflow: Workflow): unknown {
  return (workflow as { nodeGroups?: unknown }).nodeGroups ?? [];
}

/** n8n shows an empty object as null. */
function orNull(value: object): object | null {
  return Object.keys(value).length > 0 ? value : null;
}
