import { html, nothing, type TemplateResult } from 'lit';
import type { Parameter } from '../api-types.ts';
import type { ParameterPath } from '../editor/draft.ts';
import { assignmentsField } from './assignments-field.ts';
import { conditionsField } from './conditions-field.ts';
import { expressionInput, modeSwitch } from './expression-input.ts';
import {
  currentValue,
  type FieldContext,
  idOf,
  isExpression,
  toFixedValue,
  visibleParameters,
} from './field-context.ts';
import { collectionField, groupsField } from './nested-fields.ts';
import { plainInput } from './plain-input.ts';

/** The form field of a parameter, by its type. */
export function parameterField(
  context: FieldContext,
  parameter: Parameter,
  path: ParameterPath,
): TemplateResult | typeof nothing {
  const { type, label, description, literal } = parameter;
  if (type === 'hidden') return nothing;
  if (type === 'notice') return html`<p class="notice">${label}</p>`;
  if (type === 'collection') return collectionField(context, parameter, path, parameterFields);
  const value = currentValue(context, parameter, path);
  const expression = !literal && isExpression(value);
  const structured = type === 'groups' || type === 'conditions' || type === 'assignments';
  if (structured && !expression) {
    if (type === 'groups') return groupsField(context, parameter, path, parameterFields);
    return type === 'conditions'
      ? conditionsField(context, parameter, path)
      : assignmentsField(context, parameter, path);
  }
  const check = type === 'boolean' && !expression;
  const many = type === 'multiOptions' && !expression;
  return html`<div class="field ${check ? 'check' : ''}">
    <div class="label">
      ${check ? plainInput(context, parameter, path, value) : nothing}
      ${many ? html`<span>${label}</span>` : html`<label for=${idOf(path)}>${label}</label>`}
      ${literal ? nothing : modeSwitch(context, path, label, value, (text) => toFixedValue(text, parameter))}
    </div>
    ${
      expression
        ? expressionInput(context, path, value, { rows: parameter.rows ?? (type === 'json' ? 4 : 1) })
        : check
          ? nothing
          : plainInput(context, parameter, path, value)
    }
    ${description ? html`<p class="hint">${description}</p>` : nothing}
  </div>`;
}

/** The fields of all visible parameters at a path. */
export function parameterFields(
  context: FieldContext,
  parameters: Parameter[],
  path: ParameterPath,
): unknown[] {
  return visibleParameters(parameters, context, path).map((parameter) =>
    parameterField(context, parameter, [...path, parameter.name]),
  );
}
