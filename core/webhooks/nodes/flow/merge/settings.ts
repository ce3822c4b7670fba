import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import type { JsonObject } from '#core/workflow-format';
import { commaList } from '../../shared/comma-list.ts';

/** The parameters of all versions in the words of the newest. */
export interface MergeSettings {
  mode: string;
  combineBy: string;
  fields: { field1: string; field2: string }[];
  joinMode: string;
  outputDataFrom: string;
  chosen: number | 'empty';
  multipleMatches: 'all' | 'first';
  includeUnpaired: boolean;
  fuzzyCompare: boolean;
  dots: boolean;
  clash: ClashSettings;
}

export interface ClashSettings {
  /** `preferInput1`, `preferInput2`, `preferLast`, `addSuffix`. */
  resolveClash: string;
  mergeMode: 'deepMerge' | 'shallowMerge';
  overrideEmpty: boolean;
}

export async function readSettings(context: NodeContext): Promise<MergeSettings> {
  const get = <T>(path: string, fallback?: T) => context.parameter(path, 0, fallback);
  const options = (await get<JsonObject>('options', {})) as JsonObject;
  const mode = String(await get('mode'));
  if (context.version < 2) return olderSettings(context, mode);
  const combining = context.version < 3 ? await get('combinationMode') : await get('combineBy');
  const clash = ((options.clashHandling as JsonObject | undefined)?.values ?? {}) as Partial<ClashSettings>;
  const output = String((await get('output', 'specifiedInput')) ?? '');
  const combineBy = COMBINE[String(combining)] ?? String(combining);
  return {
    mode,
    combineBy,
    fields: await readFields(context, mode === 'combine' && combineBy === 'combineByFields'),
    joinMode: String((await get('joinMode')) ?? 'keepMatches'),
    outputDataFrom: String((await get('outputDataFrom')) ?? 'both'),
    chosen: output === 'empty' ? 'empty' : await chosenInput(context, output),
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

const COMBINE: Record<string, string> = {
  mergeByFields: 'combineByFields',
  mergeByPosition: 'combineByPosition',
  multiplex: 'combineAll',
};

async function readFields(context: NodeContext, needed: boolean): Promise<MergeSettings['fields']> {
  const listed = (await context.parameter('mergeByFields.values', 0, [])) as MergeSettings['fields'];
  const simple = commaList(await context.parameter('fieldsToMatchString', 0, ''));
  const advanced = context.version < 3 || (await context.parameter('advanced', 0, false)) === true;
  const fields = advanced ? (listed ?? []) : simple.map((field) => ({ field1: field, field2: field }));
  if (needed && fields.every(({ field1, field2 }) => !field1 || !field2)) {
    throw new NodeError('You need to define at least one pair of fields in "Fields to Match" to match on');
  }
  return fields;
}

async function chosenInput(context: NodeContext, output: string): Promise<number> {
  // The second version names the input, the third numbers it.
  const older = /^input(\d)$/.exec(output);
  if (older) return Number(older[1]) - 1;
  return Math.max(0, Number(await context.parameter('useDataOfInput', 0, 1)) - 1) || 0;
}

async function olderSettings(context: NodeContext, mode: string): Promise<MergeSettings> {
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
    chosen: mode === 'wait' ? 'empty' : (await get('output')) === 'input2' ? 1 : 0,
    multipleMatches: 'first',
    includeUnpaired: mode === 'mergeByIndex' && join !== 'inner',
    fuzzyCompare: false,
    dots: true,
    clash: { resolveClash: 'preferInput2', mergeMode: 'shallowMerge', overrideEmpty: false },
  };
}
