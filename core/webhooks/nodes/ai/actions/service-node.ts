/** The node of a model service: its operations by resource. */
import type { NodeSettings, Parameter } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import { perItem } from '../../../node-api/per-item.ts';
import { rootError } from '../chains/root-error.ts';
import { withLocalChoice } from '../chat-models/with-local-model.ts';
import { toolInput } from '../describe.ts';
import type { ModelOperation } from './operation.ts';

interface ServiceNode {
  /** With its package. */
  name: string;
  label: string;
  description: string;
  versions: number[];
  credential: string;
  /** With `resource` and `operation`. */
  parameters: Parameter[];
  /** By resource and operation: `text message`. */
  operations: Record<string, ModelOperation>;
  /** The operations that a model of this server can do, too. */
  local: string[];
  /** A better reason than "not supported" for an operation of a resource that is missing. */
  missing?: Record<string, string>;
}

export function serviceNode({ operations, local, missing = {}, credential, ...rest }: ServiceNode): NodeType {
  const nameOf = (get: NodeSettings['get']) => `${String(get('resource'))} ${String(get('operation'))}`;
  const issues = ({ get }: NodeSettings) => {
    const name = nameOf(get);
    const [resource = '', operation = ''] = name.split(' ');
    if (!Object.hasOwn(operations, name)) return [missing[resource] ?? unsupported(resource, operation)];
    if (get('useLocalModel') !== true || local.includes(name)) return [];
    return [`A local model cannot do the operation "${operation}" of "${resource}"`];
  };
  return withLocalChoice({
    ...rest,
    group: 'model',
    inputs: 1,
    outputs: ['main'],
    subNodes: ({ get }) => (get('resource') === 'text' ? [toolInput] : []),
    credentials: [{ type: credential, required: true }],
    issues,
    execute: (context) => {
      const [issue] = issues({
        node: context.node,
        version: context.version,
        get: (path) => context.literal(path),
      });
      const run = operations[nameOf((path) => context.literal(path))];
      return perItem(context, async (_item, index) => {
        if (issue !== undefined || !run) throw new NodeError(issue ?? 'No operation');
        try {
          return await run(context, index);
        } catch (error) {
          throw rootError(error, index);
        }
      });
    },
  });
}

function unsupported(resource: string, operation: string): string {
  return `The operation "${operation}" of "${resource}" is not supported here`;
}
