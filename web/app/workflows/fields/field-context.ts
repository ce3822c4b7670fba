import {
  type NodeDescription,
  type NodeSettings,
  nodeSettings,
  shownParameters,
} from '#core/workflow-format';
import type { ExpressionPreview, NodeInfo, Parameter, StoredWorkflow, WorkflowNode } from '../api-types.ts';
import { type ParameterPath, valueAt, withValue } from '../editor/draft.ts';

/** The context of the fields in the form of one node. */
export interface FieldContext {
  node: WorkflowNode;
  settings: NodeSettings;
  previewAt(path: ParameterPath): ExpressionPreview | undefined;
  /** Whether previews can use the data of a run. */
  hasData: boolean;
  /** The workflows that a field can refer to. */
  workflows: Pick<StoredWorkflow, 'id' | 'name'>[];
  /** Sets a value; undefined removes it. `mergeKey`: see `PageState.change`. */
  set(path: ParameterPath, value: unknown, mergeKey?: string): void;
}

export function nodeSettingsOf(node: WorkflowNode, info: NodeInfo | undefined): NodeSettings {
  return nodeSettings(info as unknown as NodeDescription | undefined, node);
}

/** The parameters that are visible at a path. Values that are not stored have their defaults. */
export function visibleParameters(
  parameters: Parameter[],
  { node, settings }: FieldContext,
  path: ParameterPath,
): Parameter[] {
  const prefix = path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text.slice(0, -1)}[${key}].` : `${text}${key}.`),
    '',
  );
  if (prefix === '') return uniqueByName(shownParameters(parameters, settings));
  const here = valueAt(node.parameters, path);
  const filled: NodeSettings = {
    ...settings,
    get(at) {
      if (!at.startsWith(prefix)) return settings.get(at);
      const name = at.slice(prefix.length);
      return (
        valueAt(here, [name]) ??
        settings.get(at) ??
        parameters.find((parameter) => parameter.name === name)?.default
      );
    },
  };
  return uniqueByName(shownParameters(parameters, filled, prefix));
}

/** The first of several parameters with the same name. */
function uniqueByName(parameters: Parameter[]): Parameter[] {
  const seen = new Set<string>();
  return parameters.filter(({ name }) => !seen.has(name) && seen.add(name));
}

/** The stored value, otherwise the default. */
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

/** A new entry of a group, with the values that decide which other fields are visible. */
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

/** The expression with the same value as a fixed value. */
export function toExpression(value: unknown): string {
  if (value === undefined || value === null) return '=';
  return `=${typeof value === 'object' ? `{{ ${JSON.stringify(value)} }}` : String(value)}`;
}

/** The fixed value of an expression's text, or the default when the type does not fit. */
export function toFixedValue(expression: string, { type, default: defaultValue }: Parameter): unknown {
  const text = expression.slice(1);
  if (type === 'number')
    return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : defaultValue;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : defaultValue;
  if (type === 'string' || type === 'json' || type === 'code' || type === 'dateTime') return text;
  return defaultValue;
}
