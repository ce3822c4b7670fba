/** The form controls for values of inputs, for canvas and outline. */
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { AfterRun, GraphNode } from '../graph/graph.ts';
import { type JsonValue, printExactJson } from '../graph/value.ts';
import { type InputKind, initialValue, type Widget } from '../nodes/node-kind.ts';
import { readNumber, stepNumber } from '../nodes/number-input.ts';
import type { GraphState } from '../state/graph-state.ts';
import { graphStrings } from '../strings.ts';

/** Uploads a file to the server. Resolves with its name in the list of choices. */
export type UploadFile = (file: File) => Promise<string>;

export interface InputControlOptions {
  state: GraphState;
  node: GraphNode;
  input: InputKind;
  upload?: UploadFile | undefined;
  /** Renders only the selected option: hundreds of long lists would make a large graph slow. */
  onlySelectedOption?: boolean;
}

/** The control for the value of `input`. */
export function inputControl({
  state,
  node,
  input,
  upload,
  onlySelectedOption,
}: InputControlOptions): TemplateResult {
  const { name, label } = input;
  const widget = input.widget!;
  const value = node.values[name] ?? initialValue(widget);
  const bad = state.problems.get(node.id)?.some((problem) => problem.input === name) ?? false;
  const invalid = bad ? 'true' : nothing;
  const set = (next: JsonValue) => state.set(node.id, name, next);
  switch (widget.kind) {
    case 'switch':
      return html`<input
        type="checkbox"
        role="switch"
        aria-label=${label}
        aria-invalid=${invalid}
        .checked=${live(value === true)}
        @change=${(event: Event) => set((event.target as HTMLInputElement).checked)}
      />`;
    case 'choice':
      return html`<select
          aria-label=${label}
          aria-invalid=${invalid}
          @change=${(event: Event) => set((event.target as HTMLSelectElement).value)}
        >
          ${choices(widget, String(value), onlySelectedOption).map(
            (option) =>
              html`<option value=${option} .selected=${live(option === String(value))}>${option}</option>`,
          )}
        </select>
        ${widget.upload && upload ? uploadButton(label, widget.upload, upload, set) : nothing}`;
    case 'text':
      if (widget.multiline)
        return html`<textarea
          aria-label=${label}
          aria-invalid=${invalid}
          placeholder=${widget.hint ?? label}
          spellcheck="false"
          .value=${live(asText(value))}
          @input=${(event: Event) => set((event.target as HTMLTextAreaElement).value)}
        ></textarea>`;
      return html`<input
        type="text"
        aria-label=${label}
        aria-invalid=${invalid}
        placeholder=${widget.hint ?? ''}
        spellcheck="false"
        .value=${live(asText(value))}
        @input=${(event: Event) => set((event.target as HTMLInputElement).value)}
      />`;
    default:
      return html`<input
        type="text"
        inputmode=${widget.kind === 'integer' ? 'numeric' : 'decimal'}
        role="spinbutton"
        aria-label=${label}
        aria-invalid=${invalid}
        aria-valuetext=${asText(value)}
        aria-valuemin=${widget.min === undefined ? nothing : String(widget.min)}
        aria-valuemax=${widget.max === undefined ? nothing : String(widget.max)}
        autocomplete="off"
        .value=${live(asText(value))}
        @change=${(event: Event) => {
          const target = event.target as HTMLInputElement;
          const next = readNumber(widget, target.value) ?? value;
          target.value = asText(next);
          set(next);
        }}
        @keydown=${(event: KeyboardEvent) => {
          const by = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
          if (by === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
          event.preventDefault();
          const typed = readNumber(widget, (event.target as HTMLInputElement).value) ?? value;
          set(stepNumber(widget, typed, event.shiftKey ? by * 10 : by));
        }}
      />`;
  }
}

/** The control that says how a seed changes after each run. Nothing for other inputs. */
export function afterRunSelect(state: GraphState, node: GraphNode, { name, label, widget }: InputKind) {
  const chosen = node.afterRun?.[name];
  if (widget?.kind !== 'integer' || (!widget.changesAfterRun && chosen === undefined)) return nothing;
  return html`<select
    class="after"
    aria-label=${graphStrings.afterRun(label)}
    data-tip=${graphStrings.afterRun(label)}
    @change=${(event: Event) =>
      state.setAfterRun(node.id, name, (event.target as HTMLSelectElement).value as AfterRun)}
  >
    ${Object.entries(graphStrings.afterRunNames).map(
      ([after, words]) =>
        html`<option value=${after} .selected=${live(after === (chosen ?? 'fixed'))}>${words}</option>`,
    )}
  </select>`;
}

function choices(
  widget: Widget & { kind: 'choice' },
  value: string,
  onlySelected = false,
): readonly string[] {
  if (onlySelected) return [value];
  return widget.options.includes(value) ? widget.options : [value, ...widget.options];
}

function uploadButton(
  label: string,
  accept: string,
  upload: UploadFile,
  set: (name: string) => void,
): TemplateResult {
  const choose = async (event: Event) => {
    const [file] = (event.target as HTMLInputElement).files ?? [];
    if (file) set(await upload(file));
  };
  return html`<label class="upload" data-tip=${graphStrings.upload}>
    <input
      class="visually-hidden"
      type="file"
      accept=${accept}
      aria-label="${label}: ${graphStrings.upload}"
      @change=${choose}
    />
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d="M8 11V3M4.5 6.5 8 3l3.5 3.5M3 13h10" fill="none" stroke="currentColor" stroke-width="1.6" />
    </svg>
  </label>`;
}

const asText = (value: JsonValue): string => (typeof value === 'string' ? value : printExactJson(value));
