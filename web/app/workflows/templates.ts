import type { workflowStrings } from '../strings/workflows.ts';
import type { WorkflowDraft } from './api-types.ts';
import table from './templates.json' with { type: 'json' };

export type TemplateKey = keyof typeof workflowStrings.templates;

export interface Template extends WorkflowDraft {
  key: TemplateKey;
}

export const templates = table as unknown as Template[];

const WEBHOOK = 'n8n-nodes-base.webhook';

/** A new workflow from a template, with an unused name and address. */
export function fromTemplate(key: TemplateKey, existing: WorkflowDraft[]): WorkflowDraft {
  const { key: _key, ...draft } = structuredClone(templates.find((template) => template.key === key)!);
  const names = new Set(existing.map(({ name }) => name));
  const paths = new Set(
    existing.flatMap(({ nodes }) =>
      nodes.filter(({ type }) => type === WEBHOOK).map(({ parameters }) => parameters.path),
    ),
  );
  return {
    ...draft,
    name: uniqueName(draft.name, names, (number) => `${draft.name} ${number}`),
    nodes: draft.nodes.map((node) => {
      const id = crypto.randomUUID();
      if (node.type !== WEBHOOK) return { ...node, id };
      const path = String(node.parameters.path);
      return {
        ...node,
        id,
        parameters: { ...node.parameters, path: uniqueName(path, paths, (n) => `${path}-${n}`) },
      };
    }),
  };
}

function uniqueName(base: string, taken: Set<unknown>, numbered: (number: number) => string): string {
  let name = base;
  for (let number = 2; taken.has(name); number++) name = numbered(number);
  return name;
}
