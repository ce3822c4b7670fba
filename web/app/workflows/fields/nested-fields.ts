import { html, nothing, type TemplateResult } from 'lit';
import { workflowStrings } from '../../strings/workflows.ts';
import type { Parameter } from '../api-types.ts';
import { type ParameterPath, valueAt, withValue } from '../editor/draft.ts';
import { currentValue, type FieldContext, newEntry, visibleParameters } from './field-context.ts';

type RenderFields = (context: FieldContext, parameters: Parameter[], path: ParameterPath) => unknown[];

/** Optional parameters: the added ones, and a list to add others. */
export function collectionField(
  context: FieldContext,
  { label, fields = [] }: Parameter,
  path: ParameterPath,
  parameterFields: RenderFields,
): TemplateResult {
  const shown = visibleParameters(fields, context, path);
  const isSet = ({ name }: Parameter) => valueAt(context.node.parameters, [...path, name]) !== undefined;
  const added = shown.filter(isSet);
  const open = shown.filter((parameter) => !isSet(parameter));
  return html`<fieldset>
    <legend>${label}</legend>
    ${added.length === 0 ? html`<p class="hint">${workflowStrings.field.noOptions}</p>` : nothing}
    ${added.map(
      (parameter) =>
        html`<div class="removable">
          <div>${parameterFields(context, [parameter], path)}</div>
          ${removeButton(parameter.label, () => context.set([...path, parameter.name], undefined))}
        </div>`,
    )}
    ${
      open.length === 0
        ? nothing
        : html`<select
            class="add"
            aria-label=${workflowStrings.field.addOption(label)}
            @change=${({ target }: Event) => {
              const select = target as HTMLSelectElement;
              const chosen = open.find(({ name }) => name === select.value);
              select.selectedIndex = 0;
              if (chosen) context.set([...path, chosen.name], structuredClone(chosen.default));
            }}
          >
            <option value="">${workflowStrings.field.addOption(label)}…</option>
            ${open.map(({ name, label: text }) => html`<option value=${name}>${text}</option>`)}
          </select>`
    }
  </fieldset>`;
}

/** Named groups of parameters, with one or several entries each. */
export function groupsField(
  context: FieldContext,
  parameter: Parameter,
  path: ParameterPath,
  parameterFields: RenderFields,
): TemplateResult {
  const { label, groups = [], multiple, description } = parameter;
  const value = currentValue(context, parameter, path);
  return html`<fieldset>
    <legend>${label}</legend>
    ${description ? html`<p class="hint">${description}</p>` : nothing}
    ${groups.map((group) => {
      const at = [...path, group.name];
      const held = valueAt(value, [group.name]);
      // A default is stored as a whole before a part of it changes.
      const setGroup = (change: unknown) =>
        context.set(path, { ...(value as object | undefined), [group.name]: change });
      if (!multiple) {
        return held === undefined
          ? html`<button type="button" class="small" @click=${() => setGroup(newEntry(group.fields))}>
              ${workflowStrings.field.addEntry(group.label)}
            </button>`
          : html`<div class="removable">
              <div>${parameterFields(withStoredDefault(context, path, value), group.fields, at)}</div>
              ${removeButton(group.label, () => context.set(at, undefined))}
            </div>`;
      }
      const entries = Array.isArray(held) ? held : [];
      return html`${entries.map(
        (_, index) =>
          html`<div class="removable entry" role="group" aria-label=${workflowStrings.field.entry(group.label, index + 1)}>
              <div>${parameterFields(withStoredDefault(context, path, value), group.fields, [...at, index])}</div>
              ${removeButton(workflowStrings.field.entry(group.label, index + 1), () => setGroup(entries.toSpliced(index, 1)))}
            </div>`,
      )}
        <button type="button" class="small" @click=${() => setGroup([...entries, newEntry(group.fields)])}>
          ${workflowStrings.field.addEntry(group.label)}
        </button>`;
    })}
  </fieldset>`;
}

/** A context that presents a default as stored. Its first change stores it. */
export function withStoredDefault(context: FieldContext, path: ParameterPath, value: unknown): FieldContext {
  if (valueAt(context.node.parameters, path) !== undefined) return context;
  const [key] = path;
  if (path.length !== 1 || key === undefined) return context;
  const node = { ...context.node, parameters: { ...context.node.parameters, [key]: value } };
  return {
    ...context,
    node,
    set: (at, next, mergeKey) => context.set(path, withValue(value, at.slice(path.length), next), mergeKey),
  };
}

export function removeButton(
  label: string,
  act: () => void,
  title = workflowStrings.field.removeEntry(label),
): TemplateResult {
  return html`<button
    type="button"
    class="plain round remove"
    aria-label=${title}
    data-tip=${title}
    @click=${act}
  >
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d="M4 4l8 8M12 4l-8 8" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" />
    </svg>
  </button>`;
}
