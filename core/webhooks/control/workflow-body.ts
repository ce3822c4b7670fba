/** Workflows as the control API takes and gives them. */

import { isObject } from '#core/base';
import { ApiError } from '#core/http';
import { readWorkflow, type Workflow } from '#core/workflow-format';
import { newRecordId } from '../record-id.ts';

const REQUIRED = ['name', 'nodes', 'connections', 'settings'];
const TAKEN = new Set([...REQUIRED, 'staticData', 'pinData', 'meta', 'description', 'nodeGroups']);
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
const ADDRESSED = 'n8n-nodes-base.webhook';

/** What is stored for the body of POST or PUT; `former`: what it replaces. Throws `ApiError` 400. */
export function workflowOf(body: Record<string, unknown>, former?: Workflow): Workflow {
  for (const name of REQUIRED) {
    if (body[name] === undefined)
      throw new ApiError(400, `request/body must have required property '${name}'`);
  }
  for (const name of Object.keys(body)) {
    if (READ_ONLY.has(name)) throw new ApiError(400, `request/body/${name} is read-only`);
    if (!TAKEN.has(name))
      throw new ApiError(400, `request/body must NOT have additional properties: ${name}`);
  }
  if (typeof body.name !== 'string' || body.name.trim() === '') {
    throw new ApiError(400, 'request/body/name must be a string that is not empty');
  }
  for (const name of ['connections', 'settings']) {
    if (!isObject(body[name])) throw new ApiError(400, `request/body/${name} must be object`);
  }
  return newVersion(readWorkflow(body), former);
}

/** What is stored for an exported file: leftovers of the server it comes from do not matter. Throws `ApiError` 400. */
export function importedWorkflow(file: unknown): Workflow {
  const read = readWorkflow(file);
  const kept = Object.entries(read).filter(([name]) => !READ_ONLY.has(name));
  return newVersion({ ...Object.fromEntries(kept), active: false, id: '' } as Workflow);
}

/** Without what only this server knows: a file that others can import. */
export function exportedWorkflow(workflow: Workflow): object {
  const { name, nodes, connections, settings, pinData, meta, tags, versionId, id } = workflow;
  return { name, nodes, connections, settings, pinData, meta: meta ?? null, tags: tags ?? [], versionId, id };
}

function newVersion(workflow: Workflow, former?: Workflow): Workflow {
  const nodes = workflow.nodes.map((node) => {
    if (node.type !== ADDRESSED || node.webhookId) return node;
    // Its address without a path: unguessable, and the same for as long as the node is there.
    const known = former?.nodes.find(({ name }) => name === node.name)?.webhookId;
    return { ...node, webhookId: known ?? crypto.randomUUID() };
  });
  return {
    ...(former && {
      meta: former.meta,
      tags: former.tags,
      createdAt: former.createdAt,
    }),
    ...workflow,
    nodes,
    // Data that runs keep are theirs, unless they are given expressly.
    staticData:
      Object.keys(workflow.staticData).length > 0 ? workflow.staticData : (former?.staticData ?? {}),
    id: former?.id ?? newRecordId(),
    active: former?.active ?? false,
    ...versionOf({ ...workflow, nodes }, former),
  };
}

/** A version is what runs: another name or other settings make none. */
function versionOf(
  { nodes, connections }: Pick<Workflow, 'nodes' | 'connections'>,
  former: Workflow | undefined,
): Pick<Workflow, 'versionId' | 'versionCounter'> {
  const counter = former?.versionCounter ?? (former ? 1 : 0);
  const same =
    former?.versionId !== undefined &&
    JSON.stringify([nodes, connections]) === JSON.stringify([former.nodes, former.connections]);
  return same
    ? { versionId: former.versionId!, versionCounter: counter }
    : { versionId: crypto.randomUUID(), versionCounter: counter + 1 };
}

/** `live`: the version that answers. */
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
    triggerCount: live?.nodes.filter(({ type, disabled }) => type === ADDRESSED && !disabled).length ?? 0,
    nodes,
    connections,
    nodeGroups: groupsOf(workflow),
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
    nodeGroups: groupsOf(workflow),
    settings,
    name: null,
    description: null,
    autosaved: false,
    createdAt: updatedAt,
    updatedAt,
  };
}

function groupsOf(workflow: Workflow): unknown {
  return (workflow as { nodeGroups?: unknown }).nodeGroups ?? [];
}

function orNull(value: object): object | null {
  return Object.keys(value).length > 0 ? value : null;
}
