/** Compares the items of two branches: in one of them only, the same in both, or different. */
import { isObject } from '#core/base';
import { type Item, type JsonObject, pairedItems } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { commaList } from '../shared/comma-list.ts';
import { disableDotNotation, readField } from '../shared/fields.ts';
import { pairedInput } from '../shared/paired-input.ts';
import { choice, fixedCollectionList, flag, group, options, text } from '../shared/parameters.ts';

const resolutions = {
  preferInput1: 'Use Input A Version',
  preferInput2: 'Use Input B Version',
  mix: 'Use a Mix of Versions',
  includeBoth: 'Include Both Versions',
};

export const compareDatasets: NodeType = {
  name: 'n8n-nodes-base.compareDatasets',
  label: 'Compare Datasets',
  description: 'Compares the items of two branches.',
  group: 'flow',
  versions: [1, 2, 2.1, 2.2, 2.3],
  inputs: 2,
  outputs: ['In A only', 'Same', 'Different', 'In B only'],
  parameters: [
    fixedCollectionList('mergeByFields', 'Fields to Match', {
      default: { values: [{ field1: '', field2: '' }] },
      groups: [group('values', 'Pair', [text('field1', 'Input A Field'), text('field2', 'Input B Field')])],
    }),
    choice('resolve', 'When There Are Differences', 'preferInput1', {
      versions: { to: 1 },
      options: resolutions,
    }),
    choice('resolve', 'When There Are Differences', 'includeBoth', {
      versions: { from: 2 },
      options: resolutions,
    }),
    flag('fuzzyCompare', 'Fuzzy Compare'),
    choice('preferWhenMix', 'Prefer', 'input1', {
      show: { resolve: ['mix'] },
      options: { input1: 'Input A Version', input2: 'Input B Version' },
    }),
    text('exceptWhenMix', 'For Everything Except', { show: { resolve: ['mix'] } }),
    options({
      fields: [
        text('skipFields', 'Fields to Skip Comparing'),
        disableDotNotation,
        choice('multipleMatches', 'Multiple Matches', 'first', {
          options: { first: 'Include First Match Only', all: 'Include All Matches' },
        }),
        flag('fuzzyCompare', 'Fuzzy Compare', { versions: { to: 1 } }),
      ],
    }),
  ],
  async execute(context) {
    const settings = await readSettings(context);
    const outputs: [Item[], Item[], Item[], Item[]] = [[], [], [], []];
    const [onlyA, same, different, onlyB] = outputs;
    const second = pairedInput(context, 1);
    const used = new Set<Item>();
    for (const item of pairedInput(context, 0)) {
      const key = keyOf(item, 0, settings);
      const found = key === undefined ? [] : second.filter((other) => keyOf(other, 1, settings) === key);
      const free = settings.all ? found : found.filter((other) => !used.has(other)).slice(0, 1);
      if (free.length === 0) onlyA.push(item);
      for (const other of free) {
        used.add(other);
        const names = differingNames(item.json, other.json, settings);
        if (names.length === 0) same.push(item);
        else different.push(resolve(item, other, names, settings));
      }
    }
    for (const item of second) if (!used.has(item)) onlyB.push(item);
    return outputs;
  },
};

interface CompareSettings {
  fields: { field1: string; field2: string }[];
  resolve: string;
  fuzzy: boolean;
  skip: string[];
  dots: boolean;
  all: boolean;
  prefer: number;
  except: string[];
}

async function readSettings(context: NodeContext): Promise<CompareSettings> {
  const get = <T>(path: string, fallback?: T) => context.parameter(path, 0, fallback);
  const chosen = (await get<JsonObject>('options', {})) ?? {};
  const pairs = (await get<CompareSettings['fields']>('mergeByFields.values', [])) ?? [];
  const fields = pairs.filter(({ field1, field2 }) => field1 && field2);
  if (fields.length === 0) {
    throw new NodeError('You need to define at least one pair of fields in "Fields to Match" to match on');
  }
  return {
    fields,
    resolve: String(await get('resolve')),
    fuzzy: (await get('fuzzyCompare', false)) === true || chosen.fuzzyCompare === true,
    skip: commaList(chosen.skipFields),
    dots: chosen.disableDotNotation !== true,
    all: chosen.multipleMatches === 'all',
    prefer: (await get('preferWhenMix', 'input1')) === 'input2' ? 1 : 0,
    except: commaList(await get('exceptWhenMix', '')),
  };
}

function keyOf({ json }: Item, side: 0 | 1, settings: CompareSettings): string | undefined {
  const values: unknown[] = [];
  for (const pair of settings.fields) {
    const value = readField(json, side === 0 ? pair.field1 : pair.field2, settings.dots);
    if (value === undefined) return undefined;
    values.push(comparable(value, settings));
  }
  return JSON.stringify(values);
}

/** With fuzzy comparison `3` equals `"3"`, and all empty values are equal. */
function comparable(value: unknown, { fuzzy }: Pick<CompareSettings, 'fuzzy'>): unknown {
  if (Array.isArray(value)) return value.map((element) => comparable(element, { fuzzy }));
  if (isObject(value)) {
    const keys = Object.keys(value).sort();
    return keys.map((key) => [key, comparable(value[key], { fuzzy })]);
  }
  if (!fuzzy) return value;
  if (value === undefined || value === null || value === '') return null;
  return String(value).toLowerCase().trim();
}

/** The fields in which two items differ, without those that are matched or skipped. */
function differingNames(a: JsonObject, b: JsonObject, settings: CompareSettings): string[] {
  const ignored = new Set([
    ...settings.skip,
    ...settings.fields.flatMap(({ field1, field2 }) => [field1, field2]),
  ]);
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => !ignored.has(name));
  const text = (value: unknown) => JSON.stringify(comparable(value, settings));
  return names.filter((name) => text(a[name]) !== text(b[name]));
}

function resolve(a: Item, b: Item, names: string[], settings: CompareSettings): Item {
  const pairedItem = [...pairedItems(a.pairedItem), ...pairedItems(b.pairedItem)];
  if (settings.resolve === 'preferInput1') return a;
  if (settings.resolve === 'preferInput2') return b;
  if (settings.resolve === 'mix') {
    const [main, other] = settings.prefer === 1 ? [b, a] : [a, b];
    const exceptions = settings.except.filter((name) => Object.hasOwn(other.json, name));
    const json = { ...main.json, ...Object.fromEntries(exceptions.map((name) => [name, other.json[name]])) };
    return { ...main, json, pairedItem };
  }
  const keys = Object.fromEntries(
    settings.fields.map(({ field1 }) => [field1, readField(a.json, field1, settings.dots)]),
  );
  const skip = new Set(settings.skip);
  const same: JsonObject = {};
  const skipped: JsonObject = {};
  for (const [name, value] of Object.entries(a.json)) {
    if (skip.has(name)) skipped[name] = { inputA: value ?? null, inputB: b.json[name] ?? null };
    else if (!names.includes(name) && !Object.hasOwn(keys, name)) same[name] = value;
  }
  const different = Object.fromEntries(
    names.map((name) => [name, { inputA: a.json[name] ?? null, inputB: b.json[name] ?? null }]),
  );
  const json = { keys, same, different, ...(skip.size > 0 && { skipped }) };
  return { json, pairedItem };
}
