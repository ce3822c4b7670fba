import { describe, expect, it } from 'vitest';
import { nodeTypes } from '#core/webhooks/nodes/index.ts';
import type { NodeInfo, WorkflowNode } from '../api-types.ts';
import { withValue } from '../editor/draft.ts';
import {
  type FieldContext,
  newEntry,
  nodeSettingsOf,
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
    settings: nodeSettingsOf(node, info),
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

/** All texts in a rendered template. */
function textsIn(template: unknown): string[] {
  if (typeof template === 'string') return [template];
  if (Array.isArray(template)) return template.flatMap(textsIn);
  if (typeof template !== 'object' || template === null) return [];
  return textsIn((template as { values?: unknown[] }).values ?? []);
}
const texts = (context: FieldContext & { info: NodeInfo }) =>
  textsIn(parameterFields(context, context.info.parameters, []));

it('shows the value of a resource, whichever way it was chosen', () => {
  const sheet = (documentId: unknown) =>
    textsIn(
      parameterFields(
        contextOf('googleSheets', { documentId }),
        contextOf('googleSheets').info.parameters,
        [],
      ),
    );
  expect(sheet({ __rl: true, mode: 'list', value: 'doc-1' })).toContain('doc-1');
  expect(sheet('doc-2')).toContain('doc-2');
});

it.each(
  nodeTypes.flatMap(({ name, versions }) =>
    versions.map((version) => [name.split('.')[1]!, version] as const),
  ),
)('renders the form of %s %d', (type, version) => {
  expect(() => texts(contextOf(type, {}, version))).not.toThrow();
});

describe('the form of a node', () => {
  it('has the labels of n8n', () => {
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

  it('shows the fields of the chosen options', () => {
    expect(texts(contextOf('respondToWebhook', { respondWith: 'redirect' }))).toContain('Redirect URL');
    expect(texts(contextOf('respondToWebhook', { respondWith: 'text' }))).not.toContain('Redirect URL');
    // Fields of one group depend on each other, defaults included.
    const hours = { rule: { interval: [{ field: 'hours' }] } };
    expect(texts(contextOf('scheduleTrigger', hours))).toContain('Hours Between Triggers');
    expect(texts(contextOf('scheduleTrigger'))).toContain('Days Between Triggers');
    expect(texts(contextOf('scheduleTrigger'))).not.toContain('Hours Between Triggers');
    expect(texts(contextOf('scheduleTrigger', { rule: { interval: [{}] } }))).toContain(
      'Days Between Triggers',
    );
  });

  it('shows the options of the response mode', () => {
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

it('creates an entry with the values that other fields depend on', () => {
  const { info } = contextOf('scheduleTrigger');
  expect(newEntry(info.parameters[0]!.groups![0]!.fields)).toEqual({ field: 'days' });
});

it('keeps the rest of a default when a part of it changes', () => {
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
] as const)(
  'converts the fixed value %j of type %s to an expression and back',
  (value, type, expression, back) => {
    expect(toExpression(value)).toBe(expression);
    expect(toFixedValue(expression, { name: 'x', label: 'X', type, default: '' })).toEqual(back);
  },
);

it('converts an expression without a fixed value to the default', () => {
  const parameter = { name: 'x', label: 'X', default: 7 };
  expect(toFixedValue('={{ $json.n }}', { ...parameter, type: 'number' })).toBe(7);
  expect(toFixedValue('={{ $json.n }}', { ...parameter, type: 'options' })).toBe(7);
});
