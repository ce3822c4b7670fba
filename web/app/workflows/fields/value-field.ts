import { html, type TemplateResult } from 'lit';
import type { Parameter } from '../api-types.ts';
import { type ParameterPath, valueAt } from '../editor/draft.ts';
import { expressionInput, modeSwitch } from './expression-input.ts';
import { type FieldContext, idOf, isExpression, toFixedValue } from './field-context.ts';
import { plainInput } from './plain-input.ts';

/** A value whose type another field selects. */
export function valueField(
  context: FieldContext,
  path: ParameterPath,
  label: string,
  type: string,
): TemplateResult {
  const value = valueAt(context.node.parameters, path);
  const parameter: Parameter = {
    name: 'value',
    label,
    type:
      type === 'number' || type === 'boolean'
        ? type
        : type === 'array' || type === 'object'
          ? 'json'
          : 'string',
    default: type === 'boolean' ? false : type === 'array' ? '[]' : type === 'object' ? '{}' : '',
  };
  const expression = isExpression(value);
  const check = parameter.type === 'boolean' && !expression;
  return html`<div class="field ${check ? 'check' : ''}">
    <div class="label">
      ${check ? plainInput(context, parameter, path, value) : ''}
      <label for=${idOf(path)}>${label}</label>
      ${modeSwitch(context, path, label, value, (text) => toFixedValue(text, parameter))}
    </div>
    ${expression ? expressionInput(context, path, value) : check ? '' : plainInput(context, parameter, path, value ?? parameter.default)}
  </div>`;
}
