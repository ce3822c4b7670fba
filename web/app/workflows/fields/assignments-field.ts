import { html, type TemplateResult } from 'lit';
import { workflowStrings } from '../../strings/workflows.ts';
import type { Parameter } from '../api-types.ts';
import { type ParameterPath, valueAt } from '../editor/draft.ts';
import { type FieldContext, idOf } from './field-context.ts';
import { removeButton } from './nested-fields.ts';
import { valueField } from './value-field.ts';

const TYPES = ['string', 'number', 'boolean', 'array', 'object'] as const;

/** The table of Edit Fields: rows of name, type and value. */
export function assignmentsField(
  context: FieldContext,
  { label }: Parameter,
  path: ParameterPath,
): TemplateResult {
  const at = [...path, 'assignments'];
  const list = (valueAt(context.node.parameters, at) ?? []) as { name?: string; type?: string }[];
  return html`<fieldset>
    <legend>${label}</legend>
    ${list.map((assignment, index) => {
      const here = [...at, index];
      const number = index + 1;
      return html`<div class="removable entry" role="group" aria-label=${workflowStrings.field.entry(workflowStrings.field.field, number)}>
        <div>
          <div class="pair">
            <div class="field">
              <label for=${idOf([...here, 'name'])}>${workflowStrings.field.fieldName}</label>
              <input
                id=${idOf([...here, 'name'])}
                type="text"
                .value=${assignment.name ?? ''}
                @input=${({ target }: Event) =>
                  context.set(
                    [...here, 'name'],
                    (target as HTMLInputElement).value,
                    JSON.stringify([...here, 'name']),
                  )}
              />
            </div>
            <div class="field">
              <label for=${idOf([...here, 'type'])}>${workflowStrings.field.type}</label>
              <select
                id=${idOf([...here, 'type'])}
                @change=${({ target }: Event) => context.set([...here, 'type'], (target as HTMLSelectElement).value)}
              >
                ${TYPES.map(
                  (type) =>
                    html`<option value=${type} .selected=${type === (assignment.type ?? 'string')}>
                      ${workflowStrings.types[type]}
                    </option>`,
                )}
              </select>
            </div>
          </div>
          ${valueField(context, [...here, 'value'], workflowStrings.field.value, assignment.type ?? 'string')}
        </div>
        ${removeButton(workflowStrings.field.entry(workflowStrings.field.field, number), () => context.set(at, list.toSpliced(index, 1)))}
      </div>`;
    })}
    <button
      type="button"
      class="small"
      @click=${() => context.set(at, [...list, { id: crypto.randomUUID(), name: '', value: '', type: 'string' }])}
    >
      ${workflowStrings.field.addField}
    </button>
  </fieldset>`;
}
