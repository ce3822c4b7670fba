import { meetsConditions } from '../../conditions/evaluate.ts';
import { meetsOlder, type OlderType } from '../../conditions/older.ts';
import type { ConditionTable } from '../../conditions/types.ts';
import type { NodeContext } from '../../workflow/node-context.ts';
import { NodeError } from '../../workflow/node-error.ts';
import type { NodeSettings, NodeType, Parameter } from '../../workflow/node-type.ts';
import type { Item } from '../../workflow/types.ts';
import { conditionItems, ignoreCase, looseTypes, olderOperation, rulesFor } from '../shared/conditions.ts';

interface Rule {
  conditions: ConditionTable;
  renameOutput?: boolean;
  outputKey?: string;
}
interface OlderRule {
  operation?: string;
  value2?: unknown;
  output?: number;
}

/** `extra`, `none`, or the index of an output. */
type Fallback = 'none' | 'extra' | number;

const mode: Parameter = {
  name: 'mode',
  label: 'Mode',
  type: 'options',
  default: 'rules',
  literal: true,
  options: [
    { value: 'rules', label: 'Rules' },
    { value: 'expression', label: 'Expression' },
  ],
};

export const switchNode: NodeType = {
  name: 'n8n-nodes-base.switch',
  label: 'Switch',
  description: 'Sends items to one of several branches.',
  group: 'flow',
  versions: [1, 2, 3, 3.1, 3.2, 3.3, 3.4],
  inputs: 1,
  outputs: outputLabels,
  parameters: [
    mode,
    {
      name: 'numberOutputs',
      label: 'Number of Outputs',
      type: 'number',
      default: 4,
      minimum: 1,
      versions: { from: 3 },
      show: { mode: ['expression'] },
    },
    {
      name: 'output',
      label: 'Output Index',
      type: 'number',
      default: 0,
      required: true,
      show: { mode: ['expression'] },
    },
    {
      name: 'dataType',
      label: 'Data Type',
      type: 'options',
      default: 'number',
      versions: { to: 2 },
      show: { mode: ['rules'] },
      options: ['boolean', 'dateTime', 'number', 'string'].map((value) => ({ value, label: value })),
    },
    {
      name: 'value1',
      label: 'Value 1',
      type: 'string',
      default: '',
      versions: { to: 2 },
      show: { mode: ['rules'] },
    },
    {
      name: 'rules',
      label: 'Routing Rules',
      type: 'groups',
      multiple: true,
      default: {},
      versions: { to: 2 },
      show: { mode: ['rules'] },
      groups: [
        {
          name: 'rules',
          label: 'Rule',
          fields: [
            olderOperation('string'),
            { name: 'value2', label: 'Value 2', type: 'string', default: '' },
            { name: 'output', label: 'Output', type: 'number', default: 0, versions: { to: 1 } },
            { name: 'outputKey', label: 'Output Name', type: 'string', default: '', versions: { from: 2 } },
          ],
        },
      ],
    },
    {
      name: 'fallbackOutput',
      label: 'Fallback Output',
      type: 'number',
      default: -1,
      versions: { to: 2 },
      show: { mode: ['rules'] },
    },
    {
      name: 'rules',
      label: 'Routing Rules',
      type: 'groups',
      multiple: true,
      default: {},
      versions: { from: 3 },
      show: { mode: ['rules'] },
      groups: [
        {
          name: 'values',
          label: 'Rule',
          fields: [
            { name: 'conditions', label: 'Conditions', type: 'conditions', default: {} },
            { name: 'renameOutput', label: 'Rename Output', type: 'boolean', default: false },
            { name: 'outputKey', label: 'Output Name', type: 'string', default: '' },
          ],
        },
      ],
    },
    { ...looseTypes, versions: { from: 3.1 }, show: { mode: ['rules'] } },
    {
      name: 'options',
      label: 'Options',
      type: 'collection',
      default: {},
      versions: { from: 3 },
      show: { mode: ['rules'] },
      fields: [
        {
          name: 'fallbackOutput',
          label: 'Fallback Output',
          type: 'options',
          default: 'none',
          options: [
            { value: 'none', label: 'None (default)' },
            { value: 'extra', label: 'Extra Output' },
          ],
        },
        ignoreCase,
        {
          name: 'allMatchingOutputs',
          label: 'Send data to all matching outputs',
          type: 'boolean',
          default: false,
        },
        {
          name: 'renameFallbackOutput',
          label: 'Rename Fallback Output',
          type: 'string',
          default: 'Fallback',
        },
      ],
    },
  ],
  async execute(context) {
    const outputs: Item[][] = outputLabels({
      node: context.node,
      version: context.version,
      get: (path) => context.literal(path),
    }).map(() => []);
    for (const [index, item] of conditionItems(context)) {
      context.signal.throwIfAborted();
      try {
        for (const output of await outputsFor(context, index, outputs.length)) {
          const list = outputs[output];
          if (!list) {
            throw new NodeError(`The ouput ${output} is not allowed`, {
              description: `It must be between 0 and ${outputs.length - 1}.`,
              itemIndex: index,
            });
          }
          list.push(item);
        }
      } catch (error) {
        if (!context.continueOnFail || context.signal.aborted) throw error;
        outputs[0]?.push({
          json: { error: (error as Error).message },
          pairedItem: { item: index },
        });
      }
    }
    return outputs;
  },
};

function outputLabels(settings: NodeSettings): string[] {
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => String(index));
  if (settings.get('mode') === 'expression') {
    return numbered(settings.version < 3 ? 4 : Math.max(1, Number(settings.get('numberOutputs')) || 4));
  }
  if (settings.version < 2) return numbered(4);
  const older = settings.version < 3;
  const rules = (settings.get(older ? 'rules.rules' : 'rules.values') ?? []) as (Rule & OlderRule)[];
  const labels = rules.map(({ outputKey }, index) => outputKey || String(index));
  const fallback = settings.get(older ? 'fallbackOutput' : 'options.fallbackOutput');
  if (fallback === 'extra') {
    labels.push(String(settings.get('options.renameFallbackOutput') ?? 'Fallback'));
  }
  return labels;
}

async function outputsFor(context: NodeContext, index: number, count: number): Promise<number[]> {
  if ((await context.parameter('mode', index)) === 'expression') {
    return [Number(await context.parameter('output', index))];
  }
  const older = context.version < 3;
  const found = older ? await olderMatches(context, index) : await matches(context, index);
  if (found.length > 0) return found;
  const fallback = older
    ? await context.parameter<Fallback>('fallbackOutput', index)
    : await context.parameter<Fallback>('options.fallbackOutput', index, 'none');
  if (fallback === 'extra') return [count - 1];
  return fallback === 'none' || Number(fallback) < 0 ? [] : [Number(fallback)];
}

async function matches(context: NodeContext, index: number): Promise<number[]> {
  const all = await context.parameter('options.allMatchingOutputs', index, false);
  const rules = context.literal<Rule[]>('rules.values', []);
  const found: number[] = [];
  for (const [output, rule] of rules.entries()) {
    // One rule at a time: the values of those behind the first that matches are not looked at.
    const table = await context.evaluate<ConditionTable>(rule.conditions ?? {}, index);
    if (!meetsConditions(table, await rulesFor(context, table, index))) continue;
    found.push(output);
    if (all !== true) break;
  }
  return found;
}

async function olderMatches(context: NodeContext, index: number): Promise<number[]> {
  const type = await context.parameter<OlderType>('dataType', index);
  const value1 = await context.parameter('value1', index);
  const rules = await context.parameter<OlderRule[]>('rules.rules', index, []);
  for (const [position, rule] of rules.entries()) {
    if (!meetsOlder(type, { ...rule, value1 }, context.timezone)) continue;
    return [context.version < 2 ? Number(rule.output ?? 0) : position];
  }
  return [];
}
