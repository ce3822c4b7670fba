/** Checks texts before and after a model, or hides what must not reach it. */
import { isObject } from '#core/base';
import type { Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import { modelInput } from '../describe.ts';
import { type Check, type CheckResult, type FailedCheck, sanitized, shownResult } from './check.ts';
import { inputChecks, needsModel, textChecks } from './checks-of-node.ts';
import { parameters } from './parameters.ts';

export const guardrails: NodeType = {
  name: '@n8n/n8n-nodes-langchain.guardrails',
  label: 'Guardrails',
  description: 'Checks a text for violations of rules, or hides sensitive parts of it.',
  group: 'model',
  versions: [1, 2],
  inputs: 1,
  outputs: ({ get }) => (get('operation') === 'sanitize' ? ['main'] : ['Pass', 'Fail']),
  subNodes: ({ get }) =>
    get('operation') !== 'sanitize' && needsModel(get('guardrails')) ? [modelInput] : [],
  parameters,
  async execute(context) {
    const isSanitizing = context.literal('operation') === 'sanitize';
    const passed: Item[] = [];
    const failed = isSanitizing ? passed : [];
    for (const index of context.items().keys()) {
      context.signal.throwIfAborted();
      try {
        const outcome = await checkItem(context, index, isSanitizing);
        const { guardrailsInput, checks } = outcome;
        const json = { guardrailsInput, checks: checks.map(shownResult) };
        (outcome.isPassed ? passed : failed).push({ json, pairedItem: { item: index } });
      } catch (error) {
        if (!context.continueOnFail || context.signal.aborted) throw error;
        failed.push({
          json: { error: (error as Error).message, guardrailsInput: '' },
          pairedItem: { item: index },
        });
      }
    }
    return isSanitizing ? [passed] : [passed, failed];
  },
};

interface Outcome {
  isPassed: boolean;
  guardrailsInput: string;
  checks: (CheckResult | FailedCheck)[];
}

async function checkItem(context: NodeContext, index: number, isSanitizing: boolean): Promise<Outcome> {
  const text = String((await context.parameter<unknown>('text', index)) ?? '');
  const stored = await context.parameter<JsonObject>('guardrails', index, {});
  const rules = isObject(stored) ? stored : {};
  const first = await runChecks(textChecks(context, rules), text);
  if (isSanitizing) {
    const failures = first.filter((result) => 'error' in result);
    if (failures.length > 0) throw sanitizeError(failures, index);
    const results = first as CheckResult[];
    return { isPassed: true, guardrailsInput: sanitized(text, results), checks: results };
  }
  const failedFirst = triggeredOf(first, context, index);
  if (failedFirst.length > 0) return { isPassed: false, guardrailsInput: text, checks: failedFirst };
  const second = await runChecks(await inputChecks(context, rules, index), text);
  const failedSecond = triggeredOf(second, context, index);
  if (failedSecond.length > 0) return { isPassed: false, guardrailsInput: text, checks: failedSecond };
  return { isPassed: true, guardrailsInput: text, checks: [...first, ...second] };
}

function runChecks(checks: Check[], text: string): Promise<(CheckResult | FailedCheck)[]> {
  return Promise.all(
    checks.map(async ({ name, run }) => {
      try {
        return await run(text);
      } catch (error) {
        return { name, error: error instanceof Error ? error : new Error(String(error)) };
      }
    }),
  );
}

/**
 * The checks that the text does not pass. One that could not be made counts among them.
 * @throws the error of such a check, unless the node continues after errors
 */
function triggeredOf(
  results: (CheckResult | FailedCheck)[],
  context: NodeContext,
  itemIndex: number,
): (CheckResult | FailedCheck)[] {
  context.signal.throwIfAborted();
  const failure = results.find((result) => 'error' in result);
  if (failure && 'error' in failure && !context.continueOnFail) {
    const { error } = failure;
    const description = (error instanceof NodeError && error.description) || error.message;
    throw new NodeError(error.message, { description, itemIndex, cause: error });
  }
  return results.filter((result) => 'error' in result || result.triggered);
}

function sanitizeError(failures: FailedCheck[], itemIndex: number): NodeError {
  const list = failures.map(({ name, error }) => `${name} - ${error.message}`).join(',\n');
  return new NodeError('Failed to sanitize text', { description: `Failed checks:\n${list}`, itemIndex });
}
