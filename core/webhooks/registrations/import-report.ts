/** Reports, node by node, how an imported workflow runs here. */
import { nodeSettings, type Workflow, type WorkflowNode } from '#core/workflow-format';
import type { NodeType } from '../node-api/node-type.ts';
import { missingModules } from '../sandbox/python/python-uses.ts';
import known from './known-nodes.json' with { type: 'json' };
import { type FindOptions, findIssues, nodeTypeIssue, platformIssue } from './publish-check.ts';

/** How a node of an imported workflow runs. */
export interface NodeReport {
  node: string;
  type: string;
  /**
   * - `runs`: as in the server that exported it.
   * - `differs`: with the differences of the message.
   * - `incomplete`: once the message is taken care of; publishing refuses it before.
   * - `missing`: not at all; publishing refuses it.
   */
  status: 'runs' | 'differs' | 'incomplete' | 'missing';
  message?: string;
  /** The node to use in place of a missing one. */
  replacement?: string;
}

/** One report for each node that runs, in the order of the workflow. Notes on the canvas are left out. */
export async function importReport(workflow: Workflow, options: FindOptions): Promise<NodeReport[]> {
  const found = await findIssues(workflow, options);
  const issues = new Map(found.map(({ node, issues }) => [node, issues]));
  return workflow.nodes
    .filter(({ type }) => type !== 'n8n-nodes-base.stickyNote')
    .map((node) => ({ node: node.name, type: node.type, ...stateOf(node, issues.get(node.name), options) }));
}

function stateOf(
  node: WorkflowNode,
  issues: string[] | undefined,
  { nodeType, ...platform }: FindOptions,
): Pick<NodeReport, 'status' | 'message' | 'replacement'> {
  if (node.disabled) return { status: 'runs', message: 'It is disabled.' };
  const type = nodeType(node.type);
  const unknown = nodeTypeIssue(node, type, platform);
  if (unknown !== undefined) {
    const replacement = type ? replacementHere(type, platform) : replacementOf(node.type);
    return { status: 'missing', message: unknown, ...(replacement !== undefined && { replacement }) };
  }
  if (issues) return { status: 'incomplete', message: issues.join('; ') };
  const message = differenceOf(node, type!);
  return message === undefined ? { status: 'runs' } : { status: 'differs', message };
}

/** The node to use in place of a known one that cannot run. */
function replacementHere(type: NodeType, platform: Omit<FindOptions, 'nodeType'>): string | undefined {
  if (platformIssue(type, platform) === undefined) return `a new "${type.label}" node`;
  return type.needsClients ? 'the same node on the ports of the tabd shim' : replacementOf(type.name);
}

function replacementOf(name: string): string | undefined {
  const { replacements, prefixes } = known as { replacements: Table; prefixes: Table };
  const own = Object.hasOwn(replacements, name) ? replacements[name] : undefined;
  return own ?? Object.entries(prefixes).find(([prefix]) => name.startsWith(prefix))?.[1];
}

type Table = Record<string, string>;

function differenceOf(node: WorkflowNode, type: NodeType): string | undefined {
  const differences: Table = known.differences;
  const settings = nodeSettings(type, node);
  const { get } = settings;
  if (type.usesPython?.(settings)) {
    const absent = missingModules(String(get('pythonCode') ?? ''));
    return absent.length > 0 ? `The code imports ${absent.join(', ')}, which is not there.` : undefined;
  }
  const code = String(get('jsCode') ?? get('functionCode') ?? '');
  const modules = [...code.matchAll(/\brequire\(\s*['"](?:node:)?([^'"]+)['"]\s*\)/g)].map(
    ([, name]) => name!,
  );
  const missing = modules.filter((name) => name !== 'crypto' && name !== 'buffer');
  if (missing.length > 0) return `The code requires ${missing.join(', ')}, which is not there.`;
  if (/\$env\b/.test(JSON.stringify(node.parameters)))
    return 'Expressions cannot read the environment ($env).';
  return Object.hasOwn(differences, node.type) ? differences[node.type] : undefined;
}
