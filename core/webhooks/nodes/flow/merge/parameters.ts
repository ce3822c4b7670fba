import type { Parameter } from '#core/workflow-format';
import { disableDotNotation } from '../../shared/fields.ts';
import {
  choice,
  fixedCollection,
  fixedCollectionList,
  flag,
  group,
  number,
  options,
  sourceCode,
  text,
} from '../../shared/parameters.ts';

const v1 = { to: 1 };
const v2 = { from: 2, to: 2.9 };
const v3 = { from: 3 };
const byFields = { mode: ['combine'], combineBy: ['combineByFields'] };

export const mergeParameters: Parameter[] = [
  choice('mode', 'Mode', 'append', {
    literal: true,
    versions: v1,
    options: {
      append: 'Append',
      mergeByIndex: 'Merge By Index',
      mergeByKey: 'Merge By Key',
      multiplex: 'Multiplex',
      passThrough: 'Pass-through',
      removeKeyMatches: 'Remove Key Matches',
      wait: 'Wait',
    },
  }),
  choice('mode', 'Mode', 'append', {
    literal: true,
    versions: { from: 2 },
    options: [
      { value: 'append', label: 'Append' },
      { value: 'combine', label: 'Combine' },
      { value: 'combineBySql', label: 'SQL Query', versions: v3 },
      { value: 'chooseBranch', label: 'Choose Branch' },
    ],
  }),
  number('numberInputs', 'Number of Inputs', 2, {
    minimum: 2,
    maximum: 10,
    literal: true,
    versions: v3,
    show: { mode: ['append', 'chooseBranch', 'combine', 'combineBySql'] },
  }),
  sourceCode('query', 'SQL Query', 'text', {
    default: 'SELECT *\nFROM input1\nLEFT JOIN input2 ON input1.id = input2.id',
    required: true,
    rows: 5,
    description: 'The items of each input are a table: input1, input2 …',
    versions: v3,
    show: { mode: ['combineBySql'] },
  }),
  text('join', 'Join', { versions: v1, default: 'left', show: { mode: ['mergeByIndex'] } }),
  text('propertyName1', 'Property Input 1', {
    versions: v1,
    show: { mode: ['mergeByKey', 'removeKeyMatches'] },
  }),
  text('propertyName2', 'Property Input 2', {
    versions: v1,
    show: { mode: ['mergeByKey', 'removeKeyMatches'] },
  }),
  text('output', 'Output Data', { versions: v1, default: 'input1', show: { mode: ['passThrough'] } }),
  choice('combinationMode', 'Combination Mode', 'mergeByFields', {
    literal: true,
    versions: v2,
    show: { mode: ['combine'] },
    options: {
      mergeByFields: 'Merge By Fields',
      mergeByPosition: 'Merge By Position',
      multiplex: 'Multiplex',
    },
  }),
  choice('combineBy', 'Combine By', 'combineByFields', {
    literal: true,
    versions: v3,
    show: { mode: ['combine'] },
    options: {
      combineByFields: 'Matching Fields',
      combineByPosition: 'Position',
      combineAll: 'All Possible Combinations',
    },
  }),
  flag('advanced', 'Fields To Match Have Different Names', { literal: true, versions: v3, show: byFields }),
  text('fieldsToMatchString', 'Fields to Match', {
    placeholder: 'id, email',
    versions: v3,
    show: { ...byFields, advanced: [false] },
  }),
  fixedCollectionList('mergeByFields', 'Fields to Match', {
    default: { values: [{ field1: '', field2: '' }] },
    versions: { from: 2 },
    show: { mode: ['combine'] },
    groups: [group('values', 'Pair', [text('field1', 'Input 1 Field'), text('field2', 'Input 2 Field')])],
  }),
  choice('joinMode', 'Output Type', 'keepMatches', {
    versions: { from: 2 },
    show: { mode: ['combine'] },
    options: {
      keepMatches: 'Keep Matches',
      keepNonMatches: 'Keep Non-Matches',
      keepEverything: 'Keep Everything',
      enrichInput1: 'Enrich Input 1',
      enrichInput2: 'Enrich Input 2',
    },
  }),
  choice('outputDataFrom', 'Output Data From', 'both', {
    versions: { from: 2 },
    show: { joinMode: ['keepMatches', 'keepNonMatches'] },
    options: { both: 'Both Inputs Merged Together', input1: 'Input 1', input2: 'Input 2' },
  }),
  choice('output', 'Output', 'input1', {
    versions: v2,
    show: { mode: ['chooseBranch'] },
    options: { input1: 'Input 1 Data', input2: 'Input 2 Data', empty: 'A Single, Empty Item' },
  }),
  choice('output', 'Output', 'specifiedInput', {
    versions: v3,
    show: { mode: ['chooseBranch'] },
    options: { specifiedInput: 'Data of Specified Input', empty: 'A Single, Empty Item' },
  }),
  number('useDataOfInput', 'Use Data of Input', 1, {
    versions: v3,
    show: { mode: ['chooseBranch'], output: ['specifiedInput'] },
  }),
  options({
    versions: { from: 2 },
    fields: [
      fixedCollection('clashHandling', 'Clash Handling', {
        groups: [
          group('values', 'Values', [
            choice('resolveClash', 'When Field Values Clash', 'preferLast', {
              options: {
                preferLast: 'Prefer the Last Input',
                preferInput1: 'Prefer Input 1',
                preferInput2: 'Prefer Input 2',
                addSuffix: 'Add Input Number to Field Names',
              },
            }),
            choice('mergeMode', 'Merging Nested Fields', 'deepMerge', {
              options: { deepMerge: 'Deep Merge', shallowMerge: 'Shallow Merge' },
            }),
            flag('overrideEmpty', 'Minimize Empty Fields'),
          ]),
        ],
      }),
      disableDotNotation,
      flag('fuzzyCompare', 'Fuzzy Compare'),
      flag('includeUnpaired', 'Include Any Unpaired Items'),
      choice('multipleMatches', 'Multiple Matches', 'all', {
        options: { all: 'Include All Matches', first: 'Include First Match Only' },
      }),
    ],
  }),
];
