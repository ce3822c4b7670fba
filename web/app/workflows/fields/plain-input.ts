import { html, nothing, type TemplateResult } from 'lit';
import { includesVersion } from '#core/workflow-format';
import { workflowStrings } from '../../strings/workflows.ts';
import type { Parameter } from '../api-types.ts';
import type { ParameterPath } from '../editor/draft.ts';
import { type FieldContext, idOf, isExpression, toExpression } from './field-context.ts';

const inputText = ({ target }: Event) => (target as HTMLInputElement | HTMLTextAreaElement).value;

/** The input of a fixed value, by the parameter's type. */
export function plainInput(
  context: FieldContext,
  parameter: Parameter,
  path: ParameterPath,
  value: unknown,
): TemplateResult {
  const id = idOf(path);
  const set = (next: unknown, typed = false) =>
    context.set(path, next, typed ? JSON.stringify(path) : undefined);
  switch (parameter.type) {
    case 'boolean':
      return html`<input
        id=${id}
        type="checkbox"
        .checked=${value === true}
        @change=${({ target }: Event) => set((target as HTMLInputElement).checked)}
      />`;
    case 'number':
      return html`<input
        id=${id}
        type="number"
        step="any"
        min=${parameter.minimum ?? nothing}
        max=${parameter.maximum ?? nothing}
        .value=${value === undefined || value === null ? '' : String(value)}
        @change=${({ target }: Event) => {
          const { valueAsNumber } = target as HTMLInputElement;
          set(Number.isNaN(valueAsNumber) ? undefined : valueAsNumber);
        }}
      />`;
    case 'options':
      return optionSelect(context, parameter, id, value, set);
    case 'multiOptions':
      return optionCheckboxes(context, parameter, value, set);
    case 'workflow':
      return workflowSelect(context, id, value, set);
    case 'locator':
      return locatorInput(id, value, set);
    case 'json':
      return jsonInput(parameter, id, value, set);
    case 'code':
      return textArea(id, parameter.rows ?? 10, String(value ?? ''), (next) => set(next, true), true);
    default:
      return parameter.multiple ? listInput(id, value, set) : textInput(context, parameter, path, value, set);
  }
}

type SetValue = (value: unknown, typed?: boolean) => void;

function textArea(id: string, rows: number, value: string, set: (text: string) => void, mono = false) {
  return html`<textarea
    id=${id}
    class=${mono ? 'mono' : ''}
    rows=${rows}
    spellcheck=${mono ? 'false' : nothing}
    .value=${value}
    @input=${(event: Event) => set(inputText(event))}
  ></textarea>`;
}

function textInput(
  context: FieldContext,
  parameter: Parameter,
  path: ParameterPath,
  value: unknown,
  set: SetValue,
) {
  const id = idOf(path);
  const shown = String(value ?? '');
  const { rows = 1, placeholder = '' } = parameter;
  const typed = (event: Event) => set(inputText(event), true);
  const input =
    rows > 1
      ? html`<textarea id=${id} rows=${rows} placeholder=${placeholder} .value=${shown} @input=${typed}></textarea>`
      : html`<input id=${id} type="text" placeholder=${placeholder} .value=${shown} @input=${typed} />`;
  if (parameter.literal || isExpression(shown) || !/\{\{[\s\S]*\}\}/.test(shown)) return input;
  return html`${input}
    <p class="hint">
      ${workflowStrings.field.containsBraces}
      <button type="button" class="link" @click=${() => context.set(path, toExpression(shown))}>
        ${workflowStrings.field.makeExpression}
      </button>
    </p>`;
}

/** A resource by its id, name or address. What was chosen from a list elsewhere is an id. */
function locatorInput(id: string, stored: unknown, set: SetValue) {
  const { mode = 'id', value } = (
    typeof stored === 'object' && stored !== null ? stored : { value: stored }
  ) as {
    mode?: string;
    value?: unknown;
  };
  return html`<input
    id=${id}
    type="text"
    .value=${String(value ?? '')}
    @input=${(event: Event) => set({ __rl: true, mode: mode === 'list' ? 'id' : mode, value: inputText(event) }, true)}
  />`;
}

function listInput(id: string, value: unknown, set: SetValue) {
  const lines = Array.isArray(value) ? value.map(String) : [];
  return html`${textArea(id, 3, lines.join('\n'), (next) => set(next === '' ? [] : next.split('\n'), true))}
    <p class="hint">${workflowStrings.field.list}</p>`;
}

/** The input of JSON. Stores text, or a parsed value when the node's default is one. */
function jsonInput({ default: defaultValue, rows }: Parameter, id: string, value: unknown, set: SetValue) {
  const structured = typeof defaultValue === 'object' && defaultValue !== null;
  const shown = typeof value === 'string' ? value : JSON.stringify(value ?? {}, null, 2);
  const problem = structured ? undefined : jsonProblem(shown);
  return html`<textarea
      id=${id}
      class="mono"
      rows=${rows ?? 4}
      spellcheck="false"
      aria-invalid=${problem ? 'true' : 'false'}
      .value=${shown}
      @input=${(event: Event) => {
        if (!structured) set(inputText(event), true);
      }}
      @change=${(event: Event) => {
        if (!structured) return;
        const area = event.target as HTMLTextAreaElement;
        const wrong = jsonProblem(area.value);
        area.setCustomValidity(wrong ?? '');
        if (wrong) area.reportValidity();
        else set(JSON.parse(area.value));
      }}
    ></textarea>
    ${problem ? html`<p class="hint">${problem}</p>` : nothing}`;
}

export function jsonProblem(value: string): string | undefined {
  try {
    JSON.parse(value);
    return undefined;
  } catch {
    return workflowStrings.field.notJson;
  }
}

function optionSelect(
  context: FieldContext,
  parameter: Parameter,
  id: string,
  value: unknown,
  set: SetValue,
) {
  const options = (parameter.options ?? []).filter(({ versions }) =>
    includesVersion(context.settings.version, versions),
  );
  const isListed = options.some((option) => option.value === value);
  return html`<select
    id=${id}
    @change=${({ target }: Event) => {
      const chosen = options[(target as HTMLSelectElement).selectedIndex - (isListed ? 0 : 1)];
      if (chosen) set(chosen.value);
    }}
  >
    ${isListed ? nothing : html`<option selected>${value === undefined || value === '' ? workflowStrings.field.choose : String(value)}</option>`}
    ${options.map((option) => html`<option .selected=${option.value === value}>${option.label}</option>`)}
  </select>`;
}

function optionCheckboxes(context: FieldContext, parameter: Parameter, value: unknown, set: SetValue) {
  const chosen = Array.isArray(value) ? value : [];
  const options = (parameter.options ?? []).filter(({ versions }) =>
    includesVersion(context.settings.version, versions),
  );
  return html`<div class="checks" role="group" aria-label=${parameter.label}>
    ${options.map(
      (option) =>
        html`<label class="check"
          ><input
            type="checkbox"
            .checked=${chosen.includes(option.value)}
            @change=${({ target }: Event) =>
              set(
                (target as HTMLInputElement).checked
                  ? [...chosen, option.value]
                  : chosen.filter((other) => other !== option.value),
              )}
          />
          ${option.label}</label
        >`,
    )}
  </div>`;
}

function workflowSelect({ workflows }: FieldContext, id: string, value: unknown, set: SetValue) {
  const chosen =
    typeof value === 'object' && value !== null
      ? String((value as { value?: unknown }).value ?? '')
      : String(value ?? '');
  const isListed = workflows.some((workflow) => workflow.id === chosen);
  return html`<select
    id=${id}
    @change=${({ target }: Event) => {
      const { value: picked, selectedOptions } = target as HTMLSelectElement;
      set({ __rl: true, mode: 'list', value: picked, cachedResultName: selectedOptions[0]?.label ?? picked });
    }}
  >
    ${isListed ? nothing : html`<option value=${chosen} selected>${chosen || workflowStrings.field.choose}</option>`}
    ${workflows.map((workflow) => html`<option value=${workflow.id} .selected=${workflow.id === chosen}>${workflow.name}</option>`)}
  </select>`;
}
