import type { ConditionTable, Item, NodeSettings, Parameter, VersionRange } from '#core/workflow-format';
import { LEGACY_TYPES, type LegacyType, meetsLegacyCondition } from '../../conditions/legacy.ts';
import { meetsConditionTable } from '../../conditions/meets-condition-table.ts';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { conditionTable, ignoreCase, legacyOperation, looseTypes, rulesFor } from '../shared/conditions.ts';
import { pairedInput } from '../shared/paired-input.ts';
import { choice, fixedCollectionList, flag, group, number, options, text } from '../shared/parameters.ts';

interface SwitchRule {
  conditions: ConditionTable;
  renameOutput?: boolean;
  outputKey?: string;
}

/** A rule of versions 1 and 2. */
interface LegacySwitchRule {
  operation?: string;
  value2?: unknown;
  output?: number;
}

/** The output for items that meet no rule: its index, `extra` for an output of its own, or `none`. */
type Fallback = 'none' | 'extra' | number;

const rulesMode = { mode: ['rules'] };

/** The rules of some versions: a list of groups with these fields. */
const rules = (versions: VersionRange, name: string, fields: Parameter[]): Parameter =>
  fixedCollectionList('rules', 'Routing Rules', {
    versions,
    show: rulesMode,
    groups: [group(name, 'Rule', fields)],
  });

export const switchNode: NodeType = {
  name: 'n8n-nodes-base.switch',
  label: 'Switch',
  description: 'Sends items to one of several branches.',
  group: 'flow',
  versions: [1, 2, 3, 3.1, 3.2, 3.3, 3.4],
  inputs: 1,
  outputs: outputLabels,
  parameters: [
    choice('mode', 'Mode', 'rules', {
      literal: true,
      options: { rules: 'Rules', expression: 'Expression' },
    }),
    number('numberOutputs', 'Number of Outputs', 4, {
      minimum: 1,
      versions: { from: 3 },
      show: { mode: ['expression'] },
    }),
    number('outputsAmount', 'Number of Outputs', 4, {
      minimum: 1,
      versions: { from: 2, to: 2 },
      show: { mode: ['expression'] },
    }),
    number('output', 'Output Index', 0, { required: true, show: { mode: ['expression'] } }),
    choice('dataType', 'Data Type', 'number', {
      versions: { to: 2 },
      show: rulesMode,
      options: LEGACY_TYPES,
    }),
    text('value1', 'Value 1', { versions: { to: 2 }, show: rulesMode }),
    rules({ to: 2 }, 'rules', [
      legacyOperation('string'),
      text('value2', 'Value 2'),
      number('output', 'Output', 0, { versions: { to: 1 } }),
      text('outputKey', 'Output Name', { versions: { from: 2 } }),
    ]),
    number('fallbackOutput', 'Fallback Output', -1, { versions: { to: 2 }, show: rulesMode }),
    rules({ from: 3 }, 'values', [
      conditionTable(),
      flag('renameOutput', 'Rename Output'),
      text('outputKey', 'Output Name'),
    ]),
    looseTypes({ versions: { from: 3.1 }, show: rulesMode }),
    options({
      versions: { from: 3 },
      show: rulesMode,
      fields: [
        choice('fallbackOutput', 'Fallback Output', 'none', {
          options: { none: 'None (default)', extra: 'Extra Output' },
        }),
        ignoreCase,
        flag('allMatchingOutputs', 'Send data to all matching outputs'),
        text('renameFallbackOutput', 'Rename Fallback Output', { default: 'Fallback' }),
      ],
    }),
  ],
  async execute(context) {
    const outputs: Item[][] = outputLabels({
      node: context.node,
      version: context.version,
      get: (path) => context.literal(path),
    }).map(() => []);
    for (const [index, item] of pairedInput(context).entries()) {
      context.signal.throwIfAborted();
      try {
        for (const output of await outputsFor(context, index, outputs.length)) {
          const list = outputs[output];
          if (!list) {
            throw outputNotAllowed(context.version, output, outputs.length, index);
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

function outputNotAllowed(version: number, output: number, count: number, itemIndex: number): NodeError {
  const range = `between 0 and ${count - 1}`;
  // Older versions have the range in the message.
  return version < 3
    ? new NodeError(`The ouput ${output} is not allowed. It has to be ${range}!`, { itemIndex })
    : new NodeError(`The ouput ${output} is not allowed`, { description: `It must be ${range}.`, itemIndex });
}

function outputLabels(settings: NodeSettings): string[] {
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => String(index));
  if (settings.get('mode') === 'expression') {
    if (settings.version < 2) return numbered(4);
    const name = settings.version < 3 ? 'outputsAmount' : 'numberOutputs';
    return numbered(Math.max(1, Number(settings.get(name)) || 4));
  }
  if (settings.version < 2) return numbered(4);
  const isLegacy = settings.version < 3;
  const rules = (settings.get(isLegacy ? 'rules.rules' : 'rules.values') ?? []) as SwitchRule[];
  const labels = rules.map(({ outputKey }, index) => outputKey || String(index));
  const fallback = settings.get(isLegacy ? 'fallbackOutput' : 'options.fallbackOutput');
  if (fallback === 'extra') {
    labels.push(String(settings.get('options.renameFallbackOutput') ?? 'Fallback'));
  }
  return labels;
}

/** The indexes of the outputs to which an item goes. */
async function outputsFor(context: NodeContext, index: number, count: number): Promise<number[]> {
  if ((await context.parameter('mode', index)) === 'expression') {
    return [Number(await context.parameter('output', index))];
  }
  const isLegacy = context.version < 3;
  const matches = isLegacy ? await legacyMatches(context, index) : await findMatches(context, index);
  if (matches.length > 0) return matches;
  const fallback = isLegacy
    ? await context.parameter<Fallback>('fallbackOutput', index)
    : await context.parameter<Fallback>('options.fallbackOutput', index, 'none');
  if (fallback === 'extra') return [count - 1];
  return fallback === 'none' || Number(fallback) < 0 ? [] : [Number(fallback)];
}

async function findMatches(context: NodeContext, index: number): Promise<number[]> {
  const allMatching = await context.parameter('options.allMatchingOutputs', index, false);
  const rules = context.literal<SwitchRule[]>('rules.values', []);
  const matches: number[] = [];
  for (const [output, rule] of rules.entries()) {
    // Rules are evaluated one at a time: an expression after the first match must not fail the item.
    const table = await context.evaluate<ConditionTable>(rule.conditions ?? {}, index);
    if (!meetsConditionTable(table, await rulesFor(context, table, index))) continue;
    matches.push(output);
    if (allMatching !== true) break;
  }
  return matches;
}

async function legacyMatches(context: NodeContext, index: number): Promise<number[]> {
  const type = await context.parameter<LegacyType>('dataType', index);
  const value1 = await context.parameter('value1', index);
  const rules = await context.parameter<LegacySwitchRule[]>('rules.rules', index, []);
  for (const [position, rule] of rules.entries()) {
    if (!meetsLegacyCondition(type, { ...rule, value1 }, context.timezone)) continue;
    return [context.version < 2 ? Number(rule.output ?? 0) : position];
  }
  return [];
}
