import type { workflowStrings } from '../strings/workflows.ts';
import type { WorkflowDraft } from './api-types.ts';
import table from './templates.json' with { type: 'json' };

export type TemplateKey = keyof typeof workflowStrings.templates;

/** A workflow in short: each node follows the one before, and serves none. */
interface Template {
  key: TemplateKey;
  name: string;
  nodes: TemplateNode[];
}

interface TemplateNode {
  name: string;
  type: string;
  version: number;
  parameters: Record<string, unknown>;
  /** Another node and its output that the node follows. Null: it begins a part of its own. */
  after?: [node: string, output: number] | null;
  /** The kind of the connection, and the nodes that the node serves. */
  to?: [kind: string, ...nodes: string[]];
}

export const templates = table as unknown as Template[];

/** Types with an address of their own, which their parameter `path` names. */
const WITH_PATH = /\.(webhook|formTrigger|mcpTrigger)$/;

/** A new workflow from a template, with an unused name and address. */
export function fromTemplate(key: TemplateKey, existing: WorkflowDraft[]): WorkflowDraft {
  const template = templates.find((candidate) => candidate.key === key)!;
  const names = new Set(existing.map(({ name }) => name));
  const paths = new Set(
    existing.flatMap(({ nodes }) =>
      nodes.filter(({ type }) => WITH_PATH.test(type)).map(({ parameters }) => parameters.path),
    ),
  );
  return {
    name: uniqueName(template.name, names, (number) => `${template.name} ${number}`),
    nodes: placed(template.nodes).map(({ name, type, version, parameters, position }) => ({
      id: crypto.randomUUID(),
      name,
      type,
      typeVersion: version,
      position,
      parameters: WITH_PATH.test(type)
        ? {
            ...parameters,
            path: uniqueName(String(parameters.path), paths, (n) => `${parameters.path}-${n}`),
          }
        : structuredClone(parameters),
      ...(/[tT]rigger$|webhook$/.test(type) && { webhookId: crypto.randomUUID() }),
    })),
    connections: connectionsOf(template.nodes),
    settings: { executionOrder: 'v1' },
  };
}

/** The main nodes in a row, a new row for each part and branch, and below them the nodes that serve them. */
function placed(nodes: TemplateNode[]): (TemplateNode & { position: [number, number] })[] {
  let [column, row, served] = [-1, 0, 0];
  return nodes.map((node) => {
    if (node.to) return { ...node, position: [220 * served++, row + 220] };
    if (node.after === null) [column, row, served] = [-1, row + 440, 0];
    column += 1;
    return { ...node, position: node.after ? [220 * (column - 1), row + 220] : [220 * column, row] };
  });
}

function connectionsOf(nodes: TemplateNode[]): WorkflowDraft['connections'] {
  const connections: Record<string, Record<string, { node: string; type: string; index: number }[][]>> = {};
  const connect = (from: string, kind: string, output: number, to: string) => {
    connections[from] ??= {};
    connections[from][kind] ??= [];
    const outputs = connections[from][kind];
    while (outputs.length <= output) outputs.push([]);
    outputs[output]!.push({ node: to, type: kind, index: 0 });
  };
  let previous: string | undefined;
  for (const { name, after, to } of nodes) {
    if (to) {
      const [kind, ...served] = to;
      for (const node of served) connect(name, kind, 0, node);
      continue;
    }
    const [source, output] = after === undefined ? [previous, 0] : (after ?? [undefined, 0]);
    if (source !== undefined) connect(source, 'main', output, name);
    previous = name;
  }
  return connections as WorkflowDraft['connections'];
}

function uniqueName(base: string, taken: Set<unknown>, numbered: (number: number) => string): string {
  let name = base;
  for (let number = 2; taken.has(name); number++) name = numbered(number);
  return name;
}
