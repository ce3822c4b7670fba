/** Joins the items of several branches. */

import { type Item, type NodeOutput, pairedItems } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { pairedInput } from '../shared/paired-input.ts';
import { combineAll, combineByPosition } from './merge/combine.ts';
import { combineByFields } from './merge/combine-by-fields.ts';
import { combineBySql } from './merge/combine-by-sql.ts';
import { type MergeSettings, readMergeSettings } from './merge/merge-settings.ts';
import { mergeParameters } from './merge/parameters.ts';

export const merge: NodeType = {
  name: 'n8n-nodes-base.merge',
  label: 'Merge',
  description: 'Joins the items of several branches once all have arrived.',
  group: 'flow',
  versions: [1, 2, 2.1, 3, 3.1, 3.2],
  inputs: (settings) =>
    settings.version < 3 ? 2 : Math.min(10, Math.max(2, Number(settings.get('numberInputs')) || 2)),
  outputs: ['main'],
  parameters: mergeParameters,
  async execute(context) {
    const inputs = Array.from({ length: context.inputs }, (_, input) => pairedInput(context, input));
    const settings = await readMergeSettings(context);
    switch (settings.mode) {
      case 'append':
        return [inputs.flat()];
      case 'combine':
        return [combine(inputs, settings)];
      case 'combineBySql':
        return [await combineBySql(context, inputs)];
      case 'chooseBranch':
        return chooseBranch(context.version < 2 ? inputs.slice(0, 1) : inputs, settings, inputs);
      default:
        throw new NodeError(`Merge mode "${settings.mode}" is not supported here`, {
          description: 'Use Append, Combine, SQL Query or Choose Branch, or join the items in a Code node.',
        });
    }
  },
};

function combine(inputs: Item[][], settings: MergeSettings): Item[] {
  switch (settings.combineBy) {
    case 'combineByPosition':
      return combineByPosition(inputs, settings);
    case 'combineAll':
      return combineAll(inputs[0] ?? [], inputs[1] ?? [], settings);
    default:
      return combineByFields(inputs[0] ?? [], inputs[1] ?? [], settings);
  }
}

/** @param pairedWith the inputs whose items an empty item is paired with */
function chooseBranch(pairedWith: Item[][], settings: MergeSettings, inputs: Item[][]): NodeOutput {
  if (settings.chosenInput !== 'empty') return [inputs[settings.chosenInput] ?? []];
  return [[{ json: {}, pairedItem: pairedWith.flat().flatMap((item) => pairedItems(item.pairedItem)) }]];
}
