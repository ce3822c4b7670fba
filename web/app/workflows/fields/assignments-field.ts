import { html, type TemplateResult } from 'lit';
import { words } from '../../strings/workflows.ts';
import type { Parameter } from '../api-types.ts';
import { type Path, valueAt } from '../editor/draft.ts';
import { type FieldContext, idOf } from './field-context.ts';
import { remove } from './nested-fields.ts';
import { valueField } from './value-field.ts';

const TYPES = ['string', 'number', 'boolean', 'array', 'object'] as const;

/** The table of Edit Fields: a name, a type and a value a line. */
export function assignmentsField(context: FieldContext, { label }: Parameter, path: Path): TemplateResult {
  const at = [...path, 'assignments'];
  const list = (valueAt(context.node.parameters, at) ?? []) as { name?: string; type?: string }[];
  return html`<fieldset>
    <legend>${label}</legend>
    ${list.map((one, index) => {
      const here = [...at, index];
      const number = index + 1;
      return html`<div class="removable entry" role="group" aria-label=${words.field.entry(words.field.field, number)}>
        <div>
          <div class="pair">
            <div class="field">
              <label for=${idOf([...here, 'name'])}>${words.field.fieldName}</label>
              <input
                id=${idOf([...here, 'name'])}
                type="text"
                .value=${one.name ?? ''}
                @input=${({ target }: Event) =>
                  context.set(
                    [...here, 'name'],
                    (target as HTMLInputElement).value,
                    JSON.stringify([...here, 'name']),
                  )}
              />
            </div>
            <div class="field">
              <label for=${idOf([...here, 'type'])}>${words.field.type}</label>
              <select
                id=${idOf([...here, 'type'])}
                @change=${({ target }: Event) => context.set([...here, 'type'], (target as HTMLSelectElement).value)}
              >
                ${TYPES.map(
                  (type) =>
                    html`<option value=${type} .selected=${type === (one.type ?? 'string')}>
                      ${words.types[type]}
                    </option>`,
                )}
              </select>
            </div>
          </div>
          ${valueField(context, [...here, 'value'], words.field.value, one.type ?? 'string')}
        </div>
        ${remove(words.field.entry(words.field.field, number), () => context.set(at, list.toSpliced(index, 1)))}
      </div>`;
    })}
    <button
      type="button"
      class="small"
      @click=${() => context.set(at, [...list, { id: crypto.randomUUID(), name: '', value: '', type: 'string' }])}
    >
      ${words.field.addField}
    </button>
  </fieldset>`;
}
