import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import type { JsonObject } from '#core/workflow-format';
import { commaList } from '../../shared/comma-list.ts';

/** The node's parameters, by the names and values of the newest version. */
export interface MergeSettings {
  mode: string;
  combineBy: string;
  fields: { field1: string; field2: string }[];
  joinMode: string;
  outputDataFrom: string;
  /** The index of the input to pass on, or `empty` for one empty item. */
  chosenInput: number | 'empty';
  multipleMatches: 'all' | 'first';
  includeUnpaired: boolean;
  fuzzyCompare: boolean;
  dots: boolean;
  clash: ClashSettings;
  /** Enriched items stay in their order: version 1. Otherwise those without a match come last. */
  keepsOrder?: boolean;
  /** An enriched item is paired with the item that it was alone: version 1. */
  pairsWithFirst?: boolean;
}

export interface ClashSettings {
  /** `preferInput1`, `preferInput2`, `preferLast`, `addSuffix`. */
  resolveClash: string;
  mergeMode: 'deepMerge' | 'shallowMerge';
  overrideEmpty: boolean;
}

/** Reads the parameters of any version. @throws NodeError when there are no fields to match */
export async function readMergeSettings(context: NodeContext): Promise<MergeSettings> {
  const get = <T>(path: string, fallback?: T) => context.parameter(path, 0, fallback);
  const options = (await get<JsonObject>('options', {})) as JsonObject;
  const mode = String(await get('mode'));
  if (context.version < 2) return readVersion1Settings(context, mode);
  const combining = context.version < 3 ? await get('combinationMode') : await get('combineBy');
  const clash = ((options.clashHandling as JsonObject | undefined)?.values ?? {}) as Partial<ClashSettings>;
  const output = String((await get('output', 'specifiedInput')) ?? '');
  const combineBy = VERSION_2_NAMES[String(combining)] ?? String(combining);
  return {
    mode,
    combineBy,
    fields: await readFields(context, mode === 'combine' && combineBy === 'combineByFields'),
    joinMode: String((await get('joinMode')) ?? 'keepMatches'),
    outputDataFrom: String((await get('outputDataFrom')) ?? 'both'),
    chosenInput: output === 'empty' ? 'empty' : await readChosenInput(context, output),
    multipleMatches: options.multipleMatches === 'first' ? 'first' : 'all',
    includeUnpaired: options.includeUnpaired === true,
    fuzzyCompare: options.fuzzyCompare === true,
    dots: options.disableDotNotation !== true,
    clash: {
      resolveClash: clash.resolveClash ?? 'preferLast',
      mergeMode: clash.mergeMode ?? 'deepMerge',
      overrideEmpty: clash.overrideEmpty === true,
    },
  };
}

/** Ways to combine in version 2, and their names in version 3. */
const VERSION_2_NAMES: Record<string, string> = {
  mergeByFields: 'combineByFields',
  mergeByPosition: 'combineByPosition',
  multiplex: 'combineAll',
};

async function readFields(context: NodeContext, needed: boolean): Promise<MergeSettings['fields']> {
  const pairs = (await context.parameter('mergeByFields.values', 0, [])) as MergeSettings['fields'];
  const sameNames = commaList(await context.parameter('fieldsToMatchString', 0, ''));
  const isAdvanced = context.version < 3 || (await context.parameter('advanced', 0, false)) === true;
  const fields = isAdvanced ? (pairs ?? []) : sameNames.map((field) => ({ field1: field, field2: field }));
  if (needed && fields.every(({ field1, field2 }) => !field1 || !field2)) {
    throw new NodeError('You need to define at least one pair of fields in "Fields to Match" to match on');
  }
  return fields;
}

async function readChosenInput(context: NodeContext, output: string): Promise<number> {
  // Version 2 names the input, version 3 has its number in another parameter.
  const [, number] = /^input(\d)$/.exec(output) ?? [];
  if (number !== undefined) return Number(number) - 1;
  return Math.max(0, Number(await context.parameter('useDataOfInput', 0, 1)) - 1) || 0;
}

async function readVersion1Settings(context: NodeContext, mode: string): Promise<MergeSettings> {
  const get = async (path: string) => String((await context.parameter(path, 0, '')) ?? '');
  const byKey = mode === 'mergeByKey' || mode === 'removeKeyMatches';
  const field1 = await get('propertyName1');
  const field2 = await get('propertyName2');
  const join = await get('join');
  return {
    mode:
      mode === 'append' ? 'append' : mode === 'passThrough' || mode === 'wait' ? 'chooseBranch' : 'combine',
    combineBy: byKey ? 'combineByFields' : mode === 'multiplex' ? 'combineAll' : 'combineByPosition',
    fields: byKey ? [{ field1, field2 }] : [],
    joinMode: mode === 'removeKeyMatches' ? 'keepNonMatches' : 'enrichInput1',
    outputDataFrom: mode === 'removeKeyMatches' ? 'input1' : 'both',
    chosenInput: mode === 'wait' ? 'empty' : (await get('output')) === 'input2' ? 1 : 0,
    multipleMatches: 'first',
    keepsOrder: true,
    pairsWithFirst: true,
    includeUnpaired: mode === 'mergeByIndex' && join !== 'inner',
    fuzzyCompare: false,
    dots: true,
    clash: { resolveClash: 'preferInput2', mergeMode: 'shallowMerge', overrideEmpty: false },
  };
}
