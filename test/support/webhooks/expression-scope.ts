/** Scopes of expressions and of code for a run of a node, without an engine. */
import type { CodeScope } from '#core/webhooks/expressions/code-scope.ts';
import type { ExpressionScope } from '#core/webhooks/expressions/expressions.ts';
import type { BinaryData } from '#core/webhooks/node-api/node-context.ts';
import type { InputSource, Item, Pairing, TaskData } from '#core/workflow-format';

/** Items from their json, each paired with the item of the same index. */
export function pairedItemsOf(...values: Record<string, unknown>[]): Item[] {
  return values.map((json, item) => ({ json, pairedItem: { item } }));
}

/** A run of a node with one output. */
export function taskOf(items: Item[], source: InputSource[] = []): TaskData {
  return {
    startTime: 0,
    executionIndex: 0,
    source,
    hints: [],
    executionTime: 0,
    executionStatus: 'success',
    data: { main: [items] },
  };
}

/**
 * The scope of the node `Current` behind `Start -> Middle`. The items of `Start` are paired with those of `Middle` by
 * their index, unless `pairing` says otherwise. The workflow also has a node `Unused` that did not run.
 */
export function sampleScope(changes: Partial<ExpressionScope> = {}, pairing?: Pairing): ExpressionScope {
  const start = pairedItemsOf({ n: 7, text: 'Ada' }, { n: 8, text: 'Bo' });
  const middle = pairedItemsOf({ m: 70 }, { m: 80 });
  if (pairing !== undefined) for (const item of middle) item.pairedItem = pairing;
  const parameters: Record<string, Record<string, unknown>> = {
    Start: { path: 'orders' },
    Middle: {},
    Current: { limit: 5 },
    Unused: {},
  };
  return {
    node: {
      id: 'id-1',
      name: 'Current',
      type: 'x',
      typeVersion: 2,
      position: [0, 0],
      parameters: { limit: 5 },
    },
    parameters: parameters.Current!,
    workflow: { id: 'w1', name: 'Test', active: true },
    execution: {
      id: '12',
      mode: 'production',
      resumeUrl: 'http://a.test/resume/12',
      resumeFormUrl: 'http://a.test/form/12',
      customData: {},
    },
    mode: 'webhook',
    inputs: [middle],
    sources: [{ previousNode: 'Middle' }],
    runIndex: 0,
    runData: { Start: [taskOf(start)], Middle: [taskOf(middle, [{ previousNode: 'Start' }])] },
    memory: { Start: { count: 1 } },
    parametersOf: (name) => (Object.hasOwn(parameters, name) ? parameters[name] : undefined),
    variables: { team: 'blue' },
    timezone: 'Europe/Berlin',
    now: () => Date.UTC(2025, 5, 15, 12),
    signal: new AbortController().signal,
    ...changes,
  };
}

/** The scope of code. `lines` receives what it writes to its console. */
export function codeScope(changes: Partial<CodeScope> = {}, lines: string[] = []): CodeScope {
  const staticData = { global: {}, node: {} };
  return {
    ...sampleScope(),
    continueOnFail: false,
    staticData: (scope) => staticData[scope],
    binary: {} as BinaryData,
    console: (line) => lines.push(line),
    ...changes,
  };
}
