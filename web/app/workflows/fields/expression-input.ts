import { html, nothing, type TemplateResult } from 'lit';
import { workflowStrings } from '../../strings/workflows.ts';
import type { ExpressionPreview } from '../api-types.ts';
import type { ParameterPath } from '../editor/draft.ts';
import { type FieldContext, idOf, isExpression, toExpression } from './field-context.ts';

/** The most characters of a value to show. */
const MAX_PREVIEW_LENGTH = 400;

/** The input of an expression, with its current value. The stored text starts with `=`, the shown one does not. */
export function expressionInput(
  context: FieldContext,
  path: ParameterPath,
  value: string,
  more: { label?: string; rows?: number } = {},
): TemplateResult {
  const id = idOf(path);
  return html`<textarea
      id=${id}
      class="mono expression"
      rows=${more.rows ?? 1}
      spellcheck="false"
      aria-label=${more.label ?? nothing}
      aria-describedby="${id}-preview"
      placeholder="{{ $json.body.text }}"
      .value=${value.slice(1)}
      @input=${({ target }: Event) =>
        context.set(path, `=${(target as HTMLTextAreaElement).value}`, JSON.stringify(path))}
    ></textarea>
    <output class="preview" id="${id}-preview" for=${id}>${previewText(context.previewAt(path), context.hasData)}</output>`;
}

function previewText(preview: ExpressionPreview | undefined, hasData: boolean) {
  if (!preview) return hasData ? nothing : html`<span class="soft">${workflowStrings.field.noData}</span>`;
  // Without data most expressions fail or are null, which would mislead.
  if (!hasData && ('error' in preview || preview.value === null)) {
    return html`<span class="soft">${workflowStrings.field.noData}</span>`;
  }
  if ('error' in preview) {
    return html`<span class="wrong">${preview.error}</span>`;
  }
  const text = typeof preview.value === 'string' ? preview.value : JSON.stringify(preview.value);
  return html`<span class="soft">${workflowStrings.field.preview}:</span> <code>${text.length > MAX_PREVIEW_LENGTH ? `${text.slice(0, MAX_PREVIEW_LENGTH)}…` : text}</code>`;
}

/** A button that switches between a fixed value and an expression. */
export function modeSwitch(
  context: FieldContext,
  path: ParameterPath,
  label: string,
  value: unknown,
  toFixedValue: (expression: string) => unknown,
): TemplateResult {
  const on = isExpression(value);
  return html`<button
    type="button"
    class="mode"
    aria-pressed=${on}
    aria-label="${label}: ${workflowStrings.field.expression}"
    data-tip=${workflowStrings.field.mode(label)}
    @click=${() => context.set(path, on ? toFixedValue(value as string) : toExpression(value))}
  >
    ${workflowStrings.field.expression}
  </button>`;
}
