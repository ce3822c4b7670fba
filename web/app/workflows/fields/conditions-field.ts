import { html, nothing, type TemplateResult } from 'lit';
import type { Condition, ConditionTable } from '#core/workflow-format';
import { workflowStrings } from '../../strings/workflows.ts';
import type { Parameter } from '../api-types.ts';
import { type ParameterPath, valueAt } from '../editor/draft.ts';
import { type FieldContext, idOf } from './field-context.ts';
import { removeButton } from './nested-fields.ts';
import operations from './operations.json' with { type: 'json' };
import { valueField } from './value-field.ts';

/** Operations without a second value. */
const UNARY_OPERATIONS = new Set(['exists', 'notExists', 'empty', 'notEmpty', 'true', 'false']);
type TypeName = keyof typeof operations;

/** The conditions of If, Filter and Switch. */
export function conditionsField(
  context: FieldContext,
  { label }: Parameter,
  path: ParameterPath,
): TemplateResult {
  const table = (valueAt(context.node.parameters, path) ?? {}) as ConditionTable;
  const list = table.conditions ?? [];
  const change = (part: Partial<ConditionTable>) =>
    context.set(path, { ...emptyTable(context), ...table, ...part });
  return html`<fieldset>
    <legend>${label}</legend>
    ${list.map((condition, index) => conditionRow(context, path, condition, index, () => change({ conditions: list.toSpliced(index, 1) })))}
    ${
      list.length < 2
        ? nothing
        : html`<div class="field">
            <label for=${idOf([...path, 'combinator'])}>${workflowStrings.field.combine}</label>
            <select
              id=${idOf([...path, 'combinator'])}
              @change=${({ target }: Event) =>
                change({ combinator: (target as HTMLSelectElement).value as 'and' | 'or' })}
            >
              <option value="and" .selected=${table.combinator !== 'or'}>${workflowStrings.field.and}</option>
              <option value="or" .selected=${table.combinator === 'or'}>${workflowStrings.field.or}</option>
            </select>
          </div>`
    }
    <button type="button" class="small" @click=${() => change({ conditions: [...list, newCondition()] })}>
      ${workflowStrings.field.addCondition}
    </button>
  </fieldset>`;
}

/** An empty table, as n8n's editor creates it for the node's version. */
function emptyTable({ settings }: FieldContext): ConditionTable {
  const version = settings.version >= 2.3 ? 3 : settings.version >= 2.2 ? 2 : 1;
  return {
    options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version },
    combinator: 'and',
  };
}

function newCondition(): Condition {
  return {
    id: crypto.randomUUID(),
    leftValue: '=',
    rightValue: '',
    operator: { type: 'string', operation: 'equals' },
  };
}

function conditionRow(
  context: FieldContext,
  path: ParameterPath,
  condition: Condition,
  index: number,
  act: () => void,
) {
  const at = [...path, 'conditions', index];
  const title = workflowStrings.field.entry(workflowStrings.field.condition, index + 1);
  const { type = 'string', operation = 'equals', singleValue } = condition.operator ?? {};
  const operationNames = Object.hasOwn(operations, type) ? operations[type as TypeName] : [operation];
  const chosen = `${type}.${operation}`;
  const choose = ({ target }: Event) => {
    const [kind = 'string', name = 'equals'] = (target as HTMLSelectElement).value.split('.');
    const operator = {
      type: kind,
      operation: name,
      ...(UNARY_OPERATIONS.has(name) && { singleValue: true }),
    };
    context.set([...at, 'operator'], operator);
  };
  return html`<div class="removable entry" role="group" aria-label=${title}>
    <div>
      ${valueField(context, [...at, 'leftValue'], workflowStrings.field.left, 'string')}
      <div class="field">
        <label for=${idOf([...at, 'operator'])}>${workflowStrings.field.operation}</label>
        <select id=${idOf([...at, 'operator'])} @change=${choose}>
          ${operationNames.includes(operation) ? nothing : html`<option value=${chosen} selected>${chosen}</option>`}
          ${Object.entries(operations).map(
            ([kind, names]) =>
              html`<optgroup label=${workflowStrings.types[kind as TypeName]}>
                ${names.map(
                  (name) =>
                    html`<option value="${kind}.${name}" .selected=${`${kind}.${name}` === chosen}>
                      ${workflowStrings.types[kind as TypeName]}: ${workflowStrings.operations[name]}
                    </option>`,
                )}
              </optgroup>`,
          )}
        </select>
      </div>
      ${singleValue || UNARY_OPERATIONS.has(operation) ? nothing : valueField(context, [...at, 'rightValue'], workflowStrings.field.right, rightType(type, operation))}
    </div>
    ${removeButton(title, act)}
  </div>`;
}

function rightType(type: string, operation: string): string {
  if (type === 'array') return operation.startsWith('length') ? 'number' : 'string';
  return type === 'number' || type === 'boolean' ? type : 'string';
}
