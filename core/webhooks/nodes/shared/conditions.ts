/** What IF, Filter and Switch have in common: reading their conditions, new and old. */
import { meetsConditions, rulesOf } from '../../conditions/evaluate.ts';
import { meetsOlder, type OlderCondition, type OlderType } from '../../conditions/older.ts';
import type { ConditionTable } from '../../conditions/types.ts';
import type { NodeContext } from '../../workflow/node-context.ts';
import type { Parameter } from '../../workflow/node-type.ts';
import type { Item } from '../../workflow/types.ts';

const OPERATIONS: Record<OlderType, string[]> = {
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

export function olderOperation(type: OlderType): Parameter {
  const options = OPERATIONS[type].map((value) => ({ value, label: value }));
  return { name: 'operation', label: 'Operation', type: 'options', default: options[0]!.value, options };
}

/** The table of the first versions: one list for each type. */
export const olderConditions: Parameter[] = [
  {
    name: 'conditions',
    label: 'Conditions',
    type: 'groups',
    multiple: true,
    default: {},
    versions: { to: 1 },
    groups: (['boolean', 'dateTime', 'number', 'string'] as const).map((type) => ({
      name: type,
      label: type,
      fields: [
        { name: 'value1', label: 'Value 1', type, default: type === 'boolean' ? false : '' },
        {
          ...olderOperation(type),
          default: type === 'number' ? 'smaller' : type === 'dateTime' ? 'after' : 'equal',
        },
        { name: 'value2', label: 'Value 2', type, default: type === 'boolean' ? false : '' },
      ],
    })),
  },
  {
    name: 'combineOperation',
    label: 'Combine',
    type: 'options',
    default: 'all',
    versions: { to: 1 },
    options: [
      { value: 'all', label: 'ALL' },
      { value: 'any', label: 'ANY' },
    ],
  },
];

export const ignoreCase: Parameter = {
  name: 'ignoreCase',
  label: 'Ignore Case',
  type: 'boolean',
  default: true,
};

export const looseTypes: Parameter = {
  name: 'looseTypeValidation',
  label: 'Convert types where required',
  type: 'boolean',
  default: false,
  versions: { from: 2.1 },
};

/** Items with the index they came in at, paired with themselves. */
export function conditionItems(context: NodeContext): [number, Item][] {
  return context.items().map((item, index) => [index, { ...item, pairedItem: { item: index } }]);
}

/** Whether the item meets the node's conditions. A failure counts as no where the node goes on after errors. */
export async function meetsItem(context: NodeContext, index: number): Promise<boolean> {
  context.signal.throwIfAborted();
  try {
    if (context.version < 2) return await meetsOlderTable(context, index);
    const table = await context.parameter<ConditionTable>('conditions', index, {});
    return meetsConditions(table, await rulesFor(context, table, index));
  } catch (error) {
    if (!context.continueOnFail || context.signal.aborted) throw error;
    return false;
  }
}

export async function rulesFor(context: NodeContext, table: ConditionTable, index: number) {
  return rulesOf(table, {
    itemIndex: index,
    timezone: context.timezone,
    loose:
      context.version >= 2.1
        ? await context.parameter('looseTypeValidation', index, false)
        : await context.parameter('options.looseTypeValidation', index, false),
    ignoreCase: await context.parameter('options.ignoreCase', index, false),
  });
}

async function meetsOlderTable(context: NodeContext, index: number): Promise<boolean> {
  const lists = await context.parameter<Partial<Record<OlderType, OlderCondition[]>>>(
    'conditions',
    index,
    {},
  );
  const combine =
    (await context.parameter('combineOperation', index)) ??
    (await context.parameter('combineConditions', index));
  const any = combine === 'any' || combine === 'OR';
  const types = ['boolean', 'dateTime', 'number', 'string'] as const;
  const results = types.flatMap((type) =>
    (lists[type] ?? []).map((condition) => meetsOlder(type, condition, context.timezone)),
  );
  return any ? results.some(Boolean) : results.every(Boolean);
}
