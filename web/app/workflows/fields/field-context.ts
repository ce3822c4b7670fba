import {
  type NodeDescription,
  type NodeSettings,
  nodeSettings,
  shownParameters,
} from '#core/workflow-format';
import type { NodeInfo, Parameter, Preview, StoredWorkflow, WorkflowNode } from '../api-types.ts';
import { type ParameterPath, valueAt, withValue } from '../editor/draft.ts';

/** What the fields of one node's form need of it. */
export interface FieldContext {
  node: WorkflowNode;
  settings: NodeSettings;
  previewAt(path: ParameterPath): Preview | undefined;
  /** There was a run whose data previews can use. */
  hasData: boolean;
  /** Other workflows that can be chosen. */
  workflows: Pick<StoredWorkflow, 'id' | 'name'>[];
  /** `undefined` takes the value away. `what`: see `PageState.change`. */
  set(path: ParameterPath, value: unknown, what?: string): void;
}

export function settingsOf(node: WorkflowNode, info: NodeInfo | undefined): NodeSettings {
  return nodeSettings(info as unknown as NodeDescription | undefined, node);
}

/** The parameters shown at a place in a node; what is not stored there counts as its default. */
export function visibleParameters(
  parameters: Parameter[],
  { node, settings }: FieldContext,
  path: ParameterPath,
): Parameter[] {
  const beside = path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text.slice(0, -1)}[${key}].` : `${text}${key}.`),
    '',
  );
  if (beside === '') return uniqueByName(shownParameters(parameters, settings));
  const here = valueAt(node.parameters, path);
  const filled: NodeSettings = {
    ...settings,
    get(at) {
      if (!at.startsWith(beside)) return settings.get(at);
      const name = at.slice(beside.length);
      return (
        valueAt(here, [name]) ??
        settings.get(at) ??
        parameters.find((parameter) => parameter.name === name)?.default
      );
    },
  };
  return uniqueByName(shownParameters(parameters, filled, beside));
}

/** Of several descriptions of one name the first counts. */
function uniqueByName(parameters: Parameter[]): Parameter[] {
  const seen = new Set<string>();
  return parameters.filter(({ name }) => !seen.has(name) && seen.add(name));
}

/** What is stored, else the default. */
export function currentValue(
  { node, settings }: FieldContext,
  parameter: Parameter,
  path: ParameterPath,
): unknown {
  const stored = valueAt(node.parameters, path);
  if (stored !== undefined) return stored;
  return path.length === 1 ? settings.get(parameter.name) : parameter.default;
}

export function changedParameters(
  node: WorkflowNode,
  path: ParameterPath,
  value: unknown,
): WorkflowNode['parameters'] {
  return withValue(node.parameters, path, value) as WorkflowNode['parameters'];
}

/** A new entry of a group: what other fields are shown by has to be there. */
export function newEntry(fields: Parameter[]): Record<string, unknown> {
  return Object.fromEntries(
    fields
      .filter(({ show, type }) => !show && (type === 'options' || type === 'string'))
      .map(({ name, default: value }) => [name, structuredClone(value)]),
  );
}

export function idOf(path: ParameterPath): string {
  return `field-${path.join('-')}`;
}

export function isExpression(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('=');
}

/** Between a fixed value and an expression, keeping what was there where that makes sense. */
export function toExpression(value: unknown): string {
  if (value === undefined || value === null) return '=';
  return `=${typeof value === 'object' ? `{{ ${JSON.stringify(value)} }}` : String(value)}`;
}

export function toFixedValue(expression: string, { type, default: defaultValue }: Parameter): unknown {
  const text = expression.slice(1);
  if (type === 'number')
    return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : defaultValue;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : defaultValue;
  if (type === 'string' || type === 'json' || type === 'code' || type === 'dateTime') return text;
  return defaultValue;
}
