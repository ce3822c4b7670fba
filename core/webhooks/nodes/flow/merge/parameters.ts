import type { Parameter, ParameterType } from '#core/webhooks/workflow/node-type.ts';

const choice = (value: string, label: string) => ({ value, label });
const v1 = { to: 1 };
const v2 = { from: 2, to: 2.9 };
const v3 = { from: 3 };
const byFields = { mode: ['combine'], combineBy: ['combineByFields'] };

const text = (name: string, label: string, more: Partial<Parameter>): Parameter => ({
  name,
  label,
  type: 'string' as ParameterType,
  default: '',
  ...more,
});

const joinModes = [
  choice('keepMatches', 'Keep Matches'),
  choice('keepNonMatches', 'Keep Non-Matches'),
  choice('keepEverything', 'Keep Everything'),
  choice('enrichInput1', 'Enrich Input 1'),
  choice('enrichInput2', 'Enrich Input 2'),
];
const sides = [
  choice('both', 'Both Inputs Merged Together'),
  choice('input1', 'Input 1'),
  choice('input2', 'Input 2'),
];

export const mergeParameters: Parameter[] = [
  {
    name: 'mode',
    label: 'Mode',
    type: 'options',
    default: 'append',
    literal: true,
    versions: v1,
    options: [
      choice('append', 'Append'),
      choice('mergeByIndex', 'Merge By Index'),
      choice('mergeByKey', 'Merge By Key'),
      choice('multiplex', 'Multiplex'),
      choice('passThrough', 'Pass-through'),
      choice('removeKeyMatches', 'Remove Key Matches'),
      choice('wait', 'Wait'),
    ],
  },
  {
    name: 'mode',
    label: 'Mode',
    type: 'options',
    default: 'append',
    literal: true,
    versions: { from: 2 },
    options: [
      choice('append', 'Append'),
      choice('combine', 'Combine'),
      { ...choice('combineBySql', 'SQL Query'), versions: v3 },
      choice('chooseBranch', 'Choose Branch'),
    ],
  },
  {
    name: 'numberInputs',
    label: 'Number of Inputs',
    type: 'number',
    default: 2,
    minimum: 2,
    maximum: 10,
    literal: true,
    versions: v3,
    show: { mode: ['append', 'chooseBranch', 'combine', 'combineBySql'] },
  },
  {
    name: 'query',
    label: 'SQL Query',
    type: 'code',
    language: 'text',
    default: 'SELECT *\nFROM input1\nLEFT JOIN input2 ON input1.id = input2.id',
    required: true,
    rows: 5,
    description: 'The items of each input are a table: input1, input2 …',
    versions: v3,
    show: { mode: ['combineBySql'] },
  },
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
  {
    name: 'combinationMode',
    label: 'Combination Mode',
    type: 'options',
    default: 'mergeByFields',
    literal: true,
    versions: v2,
    show: { mode: ['combine'] },
    options: [
      choice('mergeByFields', 'Merge By Fields'),
      choice('mergeByPosition', 'Merge By Position'),
      choice('multiplex', 'Multiplex'),
    ],
  },
  {
    name: 'combineBy',
    label: 'Combine By',
    type: 'options',
    default: 'combineByFields',
    literal: true,
    versions: v3,
    show: { mode: ['combine'] },
    options: [
      choice('combineByFields', 'Matching Fields'),
      choice('combineByPosition', 'Position'),
      choice('combineAll', 'All Possible Combinations'),
    ],
  },
  {
    name: 'advanced',
    label: 'Fields To Match Have Different Names',
    type: 'boolean',
    default: false,
    literal: true,
    versions: v3,
    show: byFields,
  },
  text('fieldsToMatchString', 'Fields to Match', {
    placeholder: 'id, email',
    versions: v3,
    show: { ...byFields, advanced: [false] },
  }),
  {
    name: 'mergeByFields',
    label: 'Fields to Match',
    type: 'groups',
    multiple: true,
    default: { values: [{ field1: '', field2: '' }] },
    versions: { from: 2 },
    show: { mode: ['combine'] },
    groups: [
      {
        name: 'values',
        label: 'Pair',
        fields: [text('field1', 'Input 1 Field', {}), text('field2', 'Input 2 Field', {})],
      },
    ],
  },
  {
    name: 'joinMode',
    label: 'Output Type',
    type: 'options',
    default: 'keepMatches',
    versions: { from: 2 },
    show: { mode: ['combine'] },
    options: joinModes,
  },
  {
    name: 'outputDataFrom',
    label: 'Output Data From',
    type: 'options',
    default: 'both',
    versions: { from: 2 },
    show: { joinMode: ['keepMatches', 'keepNonMatches'] },
    options: sides,
  },
  {
    name: 'output',
    label: 'Output',
    type: 'options',
    default: 'input1',
    versions: v2,
    show: { mode: ['chooseBranch'] },
    options: [
      choice('input1', 'Input 1 Data'),
      choice('input2', 'Input 2 Data'),
      choice('empty', 'A Single, Empty Item'),
    ],
  },
  {
    name: 'output',
    label: 'Output',
    type: 'options',
    default: 'specifiedInput',
    versions: v3,
    show: { mode: ['chooseBranch'] },
    options: [choice('specifiedInput', 'Data of Specified Input'), choice('empty', 'A Single, Empty Item')],
  },
  {
    name: 'useDataOfInput',
    label: 'Use Data of Input',
    type: 'number',
    default: 1,
    versions: v3,
    show: { mode: ['chooseBranch'], output: ['specifiedInput'] },
  },
  {
    name: 'options',
    label: 'Options',
    type: 'collection',
    default: {},
    versions: { from: 2 },
    fields: [
      {
        name: 'clashHandling',
        label: 'Clash Handling',
        type: 'groups',
        default: {},
        groups: [
          {
            name: 'values',
            label: 'Values',
            fields: [
              {
                name: 'resolveClash',
                label: 'When Field Values Clash',
                type: 'options',
                default: 'preferLast',
                options: [
                  choice('preferLast', 'Prefer the Last Input'),
                  choice('preferInput1', 'Prefer Input 1'),
                  choice('preferInput2', 'Prefer Input 2'),
                  choice('addSuffix', 'Add Input Number to Field Names'),
                ],
              },
              {
                name: 'mergeMode',
                label: 'Merging Nested Fields',
                type: 'options',
                default: 'deepMerge',
                options: [choice('deepMerge', 'Deep Merge'), choice('shallowMerge', 'Shallow Merge')],
              },
              { name: 'overrideEmpty', label: 'Minimize Empty Fields', type: 'boolean', default: false },
            ],
          },
        ],
      },
      { name: 'disableDotNotation', label: 'Disable Dot Notation', type: 'boolean', default: false },
      { name: 'fuzzyCompare', label: 'Fuzzy Compare', type: 'boolean', default: false },
      { name: 'includeUnpaired', label: 'Include Any Unpaired Items', type: 'boolean', default: false },
      {
        name: 'multipleMatches',
        label: 'Multiple Matches',
        type: 'options',
        default: 'all',
        options: [choice('all', 'Include All Matches'), choice('first', 'Include First Match Only')],
      },
    ],
  },
];
