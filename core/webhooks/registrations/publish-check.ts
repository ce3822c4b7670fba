/** Checks workflows before they are published: for what is missing in their nodes. */
import { ApiError } from '#core/http';
import {
  includesVersion,
  meetsConditions,
  type NodeDescription,
  type NodeSettings,
  nodeSettings,
  shownParameters,
  type Workflow,
  type WorkflowNode,
} from '#core/workflow-format';
import { type NodeType, tooOldMessage } from '../node-api/node-type.ts';

interface NodeIssues {
  node: string;
  issues: string[];
}

/** The issues of enabled nodes, in the order of the workflow. */
export function findIssues(
  workflow: Pick<Workflow, 'nodes'>,
  typeOf: (name: string) => NodeType | undefined,
): NodeIssues[] {
  return workflow.nodes
    .filter((node) => !node.disabled && node.type !== 'n8n-nodes-base.stickyNote')
    .map((node) => ({ node: node.name, issues: nodeIssues(node, typeOf(node.type)) }))
    .filter(({ issues }) => issues.length > 0);
}

/** A workflow cannot be published. */
export class IssuesError extends ApiError {
  override name = 'IssuesError';
  constructor(
    message: string,
    readonly issues: NodeIssues[],
  ) {
    super(400, message);
  }
}

/** The error with n8n's message. */
export function issuesError(found: NodeIssues[]): IssuesError {
  const lines = found.map(
    ({ node, issues }) => `Node "${node}":\n${issues.map((issue) => `  - ${issue}`).join('\n')}`,
  );
  const count = `${found.length} ${found.length === 1 ? 'node have' : 'nodes have'}`;
  return new IssuesError(
    `Cannot publish workflow: ${count} configuration issues:\n\n${lines.join('\n\n')}`,
    found,
  );
}

/** Finds values with `{{ }}` that are no expressions: they are rarely intended. Code is not searched. */
export function findPlainBraces(workflow: Pick<Workflow, 'nodes'>): { node: string; parameter: string }[] {
  return workflow.nodes.flatMap((node) => {
    const { jsCode: _code, ...parameters } = node.parameters;
    return plainBracePaths(parameters, '').map((parameter) => ({ node: node.name, parameter }));
  });
}

function plainBracePaths(value: unknown, path: string): string[] {
  if (typeof value === 'string') {
    return !value.startsWith('=') && /\{\{[\s\S]*\}\}/.test(value) ? [path] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    plainBracePaths(inner, path === '' ? key : `${path}.${key}`),
  );
}

function nodeIssues(node: WorkflowNode, type: NodeType | undefined): string[] {
  if (!type) return [`Unknown node type: ${node.type}`];
  const settings = nodeSettings(type, node);
  return [
    ...versionIssues(node, type),
    ...credentialIssues(node, type, settings),
    ...shownParameters(type.parameters, settings)
      .filter(({ name, required }) => required && isEmpty(settings.get(name)))
      .map(({ label }) => `Missing or invalid required parameter: ${label}`),
    ...(type.issues?.(settings) ?? []),
  ];
}

function versionIssues(node: WorkflowNode, type: NodeDescription): string[] {
  const { typeVersion } = node;
  const highest = type.versions.at(-1) ?? 1;
  if (typeVersion > highest) {
    return [`Unknown version ${typeVersion} of ${type.name} (known up to ${highest})`];
  }
  return typeVersion < type.versions[0]! ? [tooOldMessage(node, type)] : [];
}

function credentialIssues(
  node: WorkflowNode,
  { credentials = [] }: NodeDescription,
  settings: NodeSettings,
): string[] {
  return credentials
    .filter(
      ({ type, required, versions, show }) =>
        required &&
        includesVersion(node.typeVersion, versions) &&
        meetsConditions(show, settings) &&
        !node.credentials?.[type],
    )
    .map(({ type }) => `Missing required credential: ${type}`);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  // The selector of a resource, such as a workflow, is empty if nothing is chosen.
  return typeof value === 'object' && '__rl' in value && isEmpty((value as { value?: unknown }).value);
}
