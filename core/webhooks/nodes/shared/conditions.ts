/** The parameters of If, Filter and Switch that hold conditions, and the evaluation of these for an item. */

import type { ConditionTable, Item, NodeOutput, Parameter } from '#core/workflow-format';
import {
  LEGACY_TYPES,
  type LegacyCondition,
  type LegacyType,
  meetsLegacyCondition,
} from '../../conditions/legacy.ts';
import { conditionRules, meetsConditionTable } from '../../conditions/meets-condition-table.ts';
import type { NodeContext } from '../../node-api/node-context.ts';
import { pairedInput } from './paired-input.ts';
import { choice, fixedCollectionList, flag, group, options } from './parameters.ts';

const LEGACY_OPERATIONS: Record<LegacyType, string[]> = {
  string: [
    'equal',
    'notEqual',
    'contains',
    'notContains',
    'startsWith',
    'notStartsWith',
    'endsWith',
    'notEndsWith',
    'regex',
    'notRegex',
    'isEmpty',
    'isNotEmpty',
  ],
  number: ['smaller', 'smallerEqual', 'equal', 'notEqual', 'larger', 'largerEqual', 'isEmpty', 'isNotEmpty'],
  boolean: ['equal', 'notEqual'],
  dateTime: ['after', 'before'],
};

/** The operations on values of a type in version 1. The first is the default. */
export function legacyOperation(type: LegacyType): Parameter {
  const operations = LEGACY_OPERATIONS[type];
  return choice('operation', 'Operation', operations[0]!, { options: operations });
}

/** The table of conditions, since version 2. */
export function conditionTable(extras: Pick<Parameter, 'versions'> = {}): Parameter {
  return { name: 'conditions', label: 'Conditions', type: 'conditions', default: {}, ...extras };
}

export const ignoreCase = flag('ignoreCase', 'Ignore Case', { default: true });

/** Whether values are converted to the type of their condition. */
export function looseTypes(extras: Pick<Parameter, 'versions' | 'show'>): Parameter {
  return flag('looseTypeValidation', 'Convert types where required', extras);
}

/** How version 1 combines its conditions. */
export function combineChoice(
  name: string,
  label: string,
  value: string,
  choices: Record<string, string>,
): Parameter {
  return choice(name, label, value, { versions: { to: 1 }, options: choices });
}

/**
 * The parameters of If and Filter: version 1 has one list of conditions for each type, later ones have a table.
 * @param combine how version 1 combines its conditions
 */
export function conditionParameters(combine: Parameter): Parameter[] {
  return [
    fixedCollectionList('conditions', 'Conditions', {
      versions: { to: 1 },
      groups: LEGACY_TYPES.map((type) => group(type, type, legacyConditionFields(type))),
    }),
    combine,
    conditionTable({ versions: { from: 2 } }),
    looseTypes({ versions: { from: 2.1 } }),
    options({ versions: { from: 2 }, fields: [ignoreCase] }),
  ];
}

function legacyConditionFields(type: LegacyType): Parameter[] {
  const value = type === 'boolean' ? false : '';
  return [
    { name: 'value1', label: 'Value 1', type, default: value },
    legacyOperation(type),
    { name: 'value2', label: 'Value 2', type, default: value },
  ];
}

/** Two outputs: the items that meet the node's conditions, and the others. */
export async function partition(context: NodeContext): Promise<NodeOutput> {
  const met: Item[] = [];
  const unmet: Item[] = [];
  for (const [index, item] of pairedInput(context).entries()) {
    (await meetsNodeConditions(context, index)) ? met.push(item) : unmet.push(item);
  }
  return [met, unmet];
}

/** Where the node continues after errors, a failure counts as not met. */
async function meetsNodeConditions(context: NodeContext, index: number): Promise<boolean> {
  context.signal.throwIfAborted();
  try {
    if (context.version < 2) return await meetsLegacyConditions(context, index);
    const table = await context.parameter<ConditionTable>('conditions', index, {});
    return meetsConditionTable(table, await rulesFor(context, table, index));
  } catch (error) {
    if (!context.continueOnFail || context.signal.aborted) throw error;
    return false;
  }
}

/** How a table is evaluated for an item, by its own settings and the node's. */
export async function rulesFor(context: NodeContext, table: ConditionTable, index: number) {
  return conditionRules(table, {
    itemIndex: index,
    timezone: context.timezone,
    loose:
      context.version >= 2.1
        ? await context.parameter('looseTypeValidation', index, false)
        : await context.parameter('options.looseTypeValidation', index, false),
    ignoreCase: await context.parameter('options.ignoreCase', index, false),
  });
}

async function meetsLegacyConditions(context: NodeContext, index: number): Promise<boolean> {
  const lists = await context.parameter<Partial<Record<LegacyType, LegacyCondition[]>>>(
    'conditions',
    index,
    {},
  );
  const combine =
    (await context.parameter('combineOperation', index)) ??
    (await context.parameter('combineConditions', index));
  const results = LEGACY_TYPES.flatMap((type) =>
    (lists[type] ?? []).map((condition) => meetsLegacyCondition(type, condition, context.timezone)),
  );
  return combine === 'any' || combine === 'OR' ? results.some(Boolean) : results.every(Boolean);
}
