import { describe, expect, it } from 'vitest';
import { nodeTypes } from '#core/webhooks/nodes/index.ts';
import type { NodeInfo, WorkflowNode } from '../api-types.ts';
import { withValue } from '../editor/draft.ts';
import {
  type FieldContext,
  newEntry,
  settingsOf,
  toExpression,
  toFixedValue,
  visibleParameters,
} from './field-context.ts';
import { withStoredDefault } from './nested-fields.ts';
import { parameterFields } from './parameter-field.ts';

function contextOf(
  type: string,
  parameters: WorkflowNode['parameters'] = {},
  version?: number,
): FieldContext & { info: NodeInfo } {
  const info = nodeTypes.find(({ name }) => name.endsWith(`.${type}`)) as unknown as NodeInfo;
  const node: WorkflowNode = {
    id: '1',
    name: 'N',
    type: info.name,
    typeVersion: version ?? info.versions.at(-1)!,
    position: [0, 0],
    parameters,
  };
  const context = {
    info,
    node,
    settings: settingsOf(node, info),
    previewAt: () => undefined,
    hasData: false,
    workflows: [],
    set(path: (string | number)[], value: unknown) {
      context.node = {
        ...context.node,
        parameters: withValue(context.node.parameters, path, value) as object as WorkflowNode['parameters'],
      };
    },
  };
  return context;
}

/** Every text in what would be drawn. */
function textsIn(drawn: unknown): string[] {
  if (typeof drawn === 'string') return [drawn];
  if (Array.isArray(drawn)) return drawn.flatMap(textsIn);
  if (typeof drawn !== 'object' || drawn === null) return [];
  return textsIn((drawn as { values?: unknown[] }).values ?? []);
}
const texts = (context: FieldContext & { info: NodeInfo }) =>
  textsIn(parameterFields(context, context.info.parameters, []));

it.each(
  nodeTypes.flatMap(({ name, versions }) =>
    versions.map((version) => [name.split('.')[1]!, version] as const),
  ),
)('the form of %s %d can be drawn', (type, version) => {
  expect(() => texts(contextOf(type, {}, version))).not.toThrow();
});

describe('the form of a node', () => {
  it('has the names that people know', () => {
    const shown = texts(contextOf('webhook', { responseMode: 'lastNode' }));
    for (const label of [
      'HTTP Method',
      'Path',
      'Respond',
      'Authentication',
      'Response Data',
      'IP(s) Whitelist',
      'Response Headers',
    ])
      expect(shown).toContain(label);
    const respond = texts(contextOf('respondToWebhook', { respondWith: 'json' }));
    for (const label of ['Respond With', 'Response Body', 'Response Code', 'Response Headers'])
      expect(respond).toContain(label);
  });

  it('follows what is chosen in it', () => {
    expect(texts(contextOf('respondToWebhook', { respondWith: 'redirect' }))).toContain('Redirect URL');
    expect(texts(contextOf('respondToWebhook', { respondWith: 'text' }))).not.toContain('Redirect URL');
    // Beside one another inside of a group, defaults included.
    const hours = { rule: { interval: [{ field: 'hours' }] } };
    expect(texts(contextOf('scheduleTrigger', hours))).toContain('Hours Between Triggers');
    expect(texts(contextOf('scheduleTrigger'))).toContain('Days Between Triggers');
    expect(texts(contextOf('scheduleTrigger'))).not.toContain('Hours Between Triggers');
    expect(texts(contextOf('scheduleTrigger', { rule: { interval: [{}] } }))).toContain(
      'Days Between Triggers',
    );
  });

  it('shows options of the way that the node responds', () => {
    const fields = (parameters: WorkflowNode['parameters']) => {
      const context = contextOf('webhook', parameters);
      const options = context.info.parameters.find(({ name }) => name === 'options')!;
      return visibleParameters(options.fields!, context, ['options']).map(({ name }) => name);
    };
    expect(fields({})).toContain('responseData');
    expect(fields({ responseMode: 'lastNode' })).not.toContain('responseData');
    expect(fields({ responseMode: 'responseNode' })).not.toContain('responseCode');
  });
});

it('begins an entry with what other fields depend on', () => {
  const { info } = contextOf('scheduleTrigger');
  expect(newEntry(info.parameters[0]!.groups![0]!.fields)).toEqual({ field: 'days' });
});

it('keeps the rest of a default when a part of it is changed', () => {
  const context = contextOf('scheduleTrigger');
  const rule = context.settings.get('rule');
  withStoredDefault(context, ['rule'], rule).set(['rule', 'interval', 0, 'daysInterval'], 2);
  expect(context.node.parameters).toEqual({ rule: { interval: [{ field: 'days', daysInterval: 2 }] } });
  expect(rule).toEqual({ interval: [{ field: 'days' }] });
});

it.each([
  ['text', 'string', '=text', 'text'],
  [5, 'number', '=5', 5],
  [true, 'boolean', '=true', true],
  [undefined, 'string', '=', ''],
] as const)('a fixed %j as %s becomes an expression and back', (value, type, expression, back) => {
  expect(toExpression(value)).toBe(expression);
  expect(toFixedValue(expression, { name: 'x', label: 'X', type, default: '' })).toEqual(back);
});

it('an expression that is no such value becomes the default', () => {
  const parameter = { name: 'x', label: 'X', default: 7 };
  expect(toFixedValue('={{ $json.n }}', { ...parameter, type: 'number' })).toBe(7);
  expect(toFixedValue('={{ $json.n }}', { ...parameter, type: 'options' })).toBe(7);
});
