/** Supplies one of several models: that of the first rule whose conditions the item meets. */
import type { ConditionTable } from '#core/workflow-format';
import { conditionRules, meetsConditionTable } from '../../../conditions/meets-condition-table.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import { modelInput, subNode } from '../describe.ts';

interface Rule {
  /** The number of the model's input, from 1. */
  modelIndex?: unknown;
  conditions?: ConditionTable;
}

const MAX_MODELS = 10;

export const modelSelector: NodeType = subNode('modelSelector', {
  description: 'Chooses a model for each item by rules.',
  supplies: 'ai_languageModel',
  subNodes: ({ get }) => [{ ...modelInput, max: Math.min(MAX_MODELS, Number(get('numberInputs')) || 2) }],
  async supply(context, itemIndex) {
    const models = (await context.subNodes('ai_languageModel', itemIndex)).toReversed();
    if (models.length === 0) {
      throw new NodeError('No models connected', { description: 'No models found in connected inputs' });
    }
    const rules = (await context.parameter<Rule[] | undefined>('rules.rule', itemIndex)) ?? [];
    if (rules.length === 0) {
      throw new NodeError('No rules defined', {
        description: 'At least one rule must be defined to select a model',
      });
    }
    for (const { modelIndex, conditions = {} as ConditionTable } of rules) {
      const settings = { itemIndex, timezone: context.timezone, loose: false };
      if (!meetsConditionTable(conditions, conditionRules(conditions, settings))) continue;
      const model = models[Number(modelIndex) - 1];
      if (model) return model;
      throw new NodeError(`Invalid model index ${String(modelIndex)}`, {
        description: `Model index must be between 1 and ${models.length}`,
      });
    }
    throw new NodeError('No matching rule found', {
      description: 'None of the defined rules matched the workflow data',
    });
  },
});
