/** What keeps a workflow from being published: parts that are missing, by node. */
import { ApiError } from '#core/http';
import {
  includesVersion,
  meetsConditions,
  nodeSettings,
  shownParameters,
  type Workflow,
  type WorkflowNode,
} from '#core/workflow-format';
import { type NodeType, tooOldMessage } from '../node-api/node-type.ts';

export interface NodeIssues {
  node: string;
  issues: string[];
}

/** Enabled nodes with something missing or unknown, in the order of the workflow. */
export function findIssues(
  workflow: Pick<Workflow, 'nodes'>,
  typeOf: (name: string) => NodeType | undefined,
): NodeIssues[] {
  return workflow.nodes
    .filter((node) => !node.disabled && node.type !== 'n8n-nodes-base.stickyNote')
    .map((node) => ({ node: node.name, issues: issuesOf(node, typeOf(node.type)) }))
    .filter(({ issues }) => issues.length > 0);
}

/** The refusal of a publish call, with what is missing by node. */
export class IssuesError extends ApiError {
  override name = 'IssuesError';
  constructor(
    message: string,
    readonly issues: NodeIssues[],
  ) {
    super(400, message);
  }
}

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

/** Plain values that hold `{{ }}`: they are sent as they stand, which is rarely meant. */
export function findPlainBraces(workflow: Pick<Workflow, 'nodes'>): { node: string; parameter: string }[] {
  const found: { node: string; parameter: string }[] = [];
  for (const node of workflow.nodes) {
    const walk = (value: unknown, path: string): void => {
      if (typeof value === 'string') {
        if (!value.startsWith('=') && /\{\{[\s\S]*\}\}/.test(value))
          found.push({ node: node.name, parameter: path });
      } else if (typeof value === 'object' && value !== null) {
        for (const [key, inner] of Object.entries(value)) walk(inner, path === '' ? key : `${path}.${key}`);
      }
    };
    const { jsCode: _code, ...rest } = node.parameters;
    walk(rest, '');
  }
  return found;
}

function issuesOf(node: WorkflowNode, type: NodeType | undefined): string[] {
  if (!type) return [`Unknown node type: ${node.type}`];
  const settings = nodeSettings(type, node);
  const issues: string[] = [];
  const highest = type.versions.at(-1) ?? 1;
  if (node.typeVersion > highest) {
    issues.push(`Unknown version ${node.typeVersion} of ${type.name} (known up to ${highest})`);
  }
  if (node.typeVersion < type.versions[0]!) issues.push(tooOldMessage(node, type));
  for (const use of type.credentials ?? []) {
    if (
      !use.required ||
      !includesVersion(node.typeVersion, use.versions) ||
      !meetsConditions(use.show, settings)
    )
      continue;
    if (!node.credentials?.[use.type]) issues.push(`Missing required credential: ${use.type}`);
  }
  for (const parameter of shownParameters(type.parameters, settings)) {
    if (parameter.required && isEmpty(settings.get(parameter.name))) {
      issues.push(`Missing or invalid required parameter: ${parameter.label}`);
    }
  }
  return [...issues, ...(type.issues?.(settings) ?? [])];
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  // A chosen resource: what counts is whether something was chosen.
  return typeof value === 'object' && '__rl' in value && isEmpty((value as { value?: unknown }).value);
}
