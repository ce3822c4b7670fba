import { expect, it } from 'vitest';
import { aiWorkflow, itemsOf, model, openAi } from '#test/support/webhooks/ai-workflow.ts';

const rule = (modelIndex: number, kind: string) => ({
  modelIndex,
  conditions: {
    combinator: 'and',
    options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
    conditions: [
      {
        id: 'c',
        leftValue: '={{ $json.kind }}',
        rightValue: kind,
        operator: { type: 'string', operation: 'equals' },
      },
    ],
  },
});

const named = (name: string) => {
  const { parameters, ...node } = model('Selector');
  return { ...node, parameters: { ...parameters, model: { __rl: true, mode: 'id', value: name } } };
};

function workflow(rules: object[]) {
  return aiWorkflow({
    Chain: {
      type: 'chainLlm',
      version: 1.7,
      parameters: { promptType: 'define', text: '={{ $json.kind }}' },
    },
    Selector: {
      type: 'modelSelector',
      parameters: { rules: { rule: rules } },
      to: ['ai_languageModel', 'Chain'],
    },
    Small: named('small'),
    Large: named('large'),
  });
}

it('asks the model of the first rule that an item meets', async () => {
  const { run, models } = await openAi([{ text: 'a' }, { text: 'b' }]);
  const result = await run(workflow([rule(2, 'hard'), rule(1, 'easy')]), [
    { kind: 'easy' },
    { kind: 'hard' },
  ]);
  expect(itemsOf(result, 'Chain')).toHaveLength(2);
  const requested = models.requests.map(({ body }) => {
    const { model: name, messages } = body as { model: string; messages: { content: string }[] };
    return [messages.at(-1)!.content, name];
  });
  expect(Object.fromEntries(requested)).toEqual({ easy: 'small', hard: 'large' });
});

it.each([
  ['No rules defined', []],
  ['No matching rule found', [rule(1, 'other')]],
  ['Invalid model index 3', [rule(3, 'easy')]],
])('fails with "%s"', async (message, rules) => {
  const { run } = await openAi([]);
  const { error, state } = await run(workflow(rules), [{ kind: 'easy' }]);
  expect(JSON.stringify([error, state.runData.Selector])).toContain(message);
});
