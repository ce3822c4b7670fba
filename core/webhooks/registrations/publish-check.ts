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
import { noCommands } from '../nodes/flow/execute-command.ts';
import { noClients } from '../outgoing/connect-client.ts';
import { noPython } from '../sandbox/python/no-python.ts';

interface NodeIssues {
  node: string;
  issues: string[];
}

export interface FindOptions {
  nodeType(name: string): NodeType | undefined;
  /** Whether this server has a credential. Not set: its existence is not checked. */
  hasCredential?(type: string, reference: CredentialReference): Promise<boolean>;
  /** False: this platform makes no connections other than HTTP. */
  hasClients?: boolean;
  /** Whether commands of the computer may run. Default: yes. */
  hasCommands?: boolean;
  /** False: Python is missing. */
  hasPython?: boolean;
}

type CredentialReference = NonNullable<WorkflowNode['credentials']>[string];

/** The issues of enabled nodes, in the order of the workflow. */
export async function findIssues(
  workflow: Pick<Workflow, 'nodes'>,
  { nodeType, hasCredential = async () => true, ...platform }: FindOptions,
): Promise<NodeIssues[]> {
  const nodes = workflow.nodes.filter((node) => !node.disabled && node.type !== 'n8n-nodes-base.stickyNote');
  const found = await Promise.all(
    nodes.map(async (node) => {
      const type = nodeType(node.type);
      const missing = type ? await missingCredentials(node, type, hasCredential) : [];
      return { node: node.name, issues: [...nodeIssues(node, type, platform), ...missing] };
    }),
  );
  return found.filter(({ issues }) => issues.length > 0);
}

/** The issue of a node that cannot run here at all: its type or its version is not known, or needs another platform. */
export function nodeTypeIssue(
  node: WorkflowNode,
  type: NodeType | undefined,
  platform: PlatformParts,
): string | undefined {
  return type
    ? (versionIssues(node, type)[0] ?? platformIssue(type, platform))
    : `Unknown node type: ${node.type}`;
}

/** The parts of the platform that some nodes need. */
type PlatformParts = Pick<FindOptions, 'hasClients' | 'hasCommands' | 'hasPython'>;

/** Why a known node cannot run on this platform. */
export function platformIssue(
  { label, needsClients, needsCommands }: NodeType,
  { hasClients = true, hasCommands = true }: PlatformParts,
): string | undefined {
  if (needsClients && !hasClients) return noClients(label);
  return needsCommands && !hasCommands ? noCommands(label) : undefined;
}

/** Credentials that a node names, and would fail without at each run. */
async function missingCredentials(
  node: WorkflowNode,
  description: NodeDescription,
  hasCredential: NonNullable<FindOptions['hasCredential']>,
): Promise<string[]> {
  const settings = nodeSettings(description, node);
  const issues: string[] = [];
  for (const { type, required, versions, show } of description.credentials ?? []) {
    const reference = node.credentials?.[type];
    const isUsed = includesVersion(node.typeVersion, versions) && meetsConditions(show, settings);
    if (!reference || !required || !isUsed || (await hasCredential(type, reference))) continue;
    issues.push(
      `The credential "${reference.name}" of type "${type}" does not exist here: choose another one`,
    );
  }
  return issues;
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
    const { jsCode: _code, pythonCode: _python, ...parameters } = node.parameters;
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

function nodeIssues(node: WorkflowNode, type: NodeType | undefined, platform: PlatformParts): string[] {
  const unknown = nodeTypeIssue(node, type, platform);
  if (!type) return [unknown!];
  const settings = nodeSettings(type, node);
  return [
    ...(unknown === undefined ? [] : [unknown]),
    ...credentialIssues(node, type, settings),
    ...shownParameters(type.parameters, settings)
      .filter(({ name, required }) => required && isEmpty(settings.get(name)))
      .map(({ label }) => `Missing or invalid required parameter: ${label}`),
    ...(platform.hasPython === false && type.usesPython?.(settings) ? [noPython()] : []),
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
