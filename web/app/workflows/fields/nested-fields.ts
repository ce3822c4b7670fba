import { html, nothing, type TemplateResult } from 'lit';
import { words } from '../../strings/workflows.ts';
import type { Parameter } from '../api-types.ts';
import { type Path, valueAt, withValue } from '../editor/draft.ts';
import { currentValue, type FieldContext, newEntry, shownAt } from './field-context.ts';

type Fields = (context: FieldContext, parameters: Parameter[], path: Path) => unknown[];

/** Optional parameters: those that were added, and a list of those that can be. */
export function collectionField(
  context: FieldContext,
  { label, fields = [] }: Parameter,
  path: Path,
  parameterFields: Fields,
): TemplateResult {
  const shown = shownAt(fields, context, path);
  const isSet = ({ name }: Parameter) => valueAt(context.node.parameters, [...path, name]) !== undefined;
  const added = shown.filter(isSet);
  const open = shown.filter((one) => !isSet(one));
  return html`<fieldset>
    <legend>${label}</legend>
    ${added.length === 0 ? html`<p class="hint">${words.field.noOptions}</p>` : nothing}
    ${added.map(
      (one) =>
        html`<div class="removable">
          <div>${parameterFields(context, [one], path)}</div>
          ${remove(one.label, () => context.set([...path, one.name], undefined))}
        </div>`,
    )}
    ${
      open.length === 0
        ? nothing
        : html`<select
            class="add"
            aria-label=${words.field.addOption(label)}
            @change=${({ target }: Event) => {
              const select = target as HTMLSelectElement;
              const chosen = open.find(({ name }) => name === select.value);
              select.selectedIndex = 0;
              if (chosen) context.set([...path, chosen.name], structuredClone(chosen.default));
            }}
          >
            <option value="">${words.field.addOption(label)}…</option>
            ${open.map(({ name, label: text }) => html`<option value=${name}>${text}</option>`)}
          </select>`
    }
  </fieldset>`;
}

/** Named groups of parameters, once or as often as one likes. */
export function groupsField(
  context: FieldContext,
  parameter: Parameter,
  path: Path,
  parameterFields: Fields,
): TemplateResult {
  const { label, groups = [], multiple, description } = parameter;
  const value = currentValue(context, parameter, path);
  return html`<fieldset>
    <legend>${label}</legend>
    ${description ? html`<p class="hint">${description}</p>` : nothing}
    ${groups.map((group) => {
      const at = [...path, group.name];
      const held = valueAt(value, [group.name]);
      // What is only a default has to be stored before a part of it can be changed.
      const whole = (change: unknown) =>
        context.set(path, { ...(value as object | undefined), [group.name]: change });
      if (!multiple) {
        return held === undefined
          ? html`<button type="button" class="small" @click=${() => whole(newEntry(group.fields))}>
              ${words.field.addEntry(group.label)}
            </button>`
          : html`<div class="removable">
              <div>${parameterFields(stored(context, path, value), group.fields, at)}</div>
              ${remove(group.label, () => context.set(at, undefined))}
            </div>`;
      }
      const entries = Array.isArray(held) ? held : [];
      return html`${entries.map(
        (_, index) =>
          html`<div class="removable entry" role="group" aria-label=${words.field.entry(group.label, index + 1)}>
              <div>${parameterFields(stored(context, path, value), group.fields, [...at, index])}</div>
              ${remove(words.field.entry(group.label, index + 1), () => whole(entries.toSpliced(index, 1)))}
            </div>`,
      )}
        <button type="button" class="small" @click=${() => whole([...entries, newEntry(group.fields)])}>
          ${words.field.addEntry(group.label)}
        </button>`;
    })}
  </fieldset>`;
}

/** A context in which a default stands as if it were stored; with the first change it is. */
export function stored(context: FieldContext, path: Path, value: unknown): FieldContext {
  if (valueAt(context.node.parameters, path) !== undefined) return context;
  const [key] = path;
  if (path.length !== 1 || key === undefined) return context;
  const node = { ...context.node, parameters: { ...context.node.parameters, [key]: value } };
  return {
    ...context,
    node,
    set: (at, next, what) => context.set(path, withValue(value, at.slice(path.length), next), what),
  };
}

export function remove(
  label: string,
  act: () => void,
  title = words.field.removeEntry(label),
): TemplateResult {
  return html`<button
    type="button"
    class="plain remove"
    aria-label=${title}
    title=${title}
    @click=${act}
  >
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d="M4 4l8 8M12 4l-8 8" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" />
    </svg>
  </button>`;
}
