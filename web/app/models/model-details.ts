import { css, html, LitElement, nothing } from 'lit';
import type { ModelInfo, ModelListEntry } from '../api-client.ts';
import { modelStrings } from '../strings/models.ts';
import { dateTime } from '../ui/format.ts';
import { controls } from '../ui/styles/controls.ts';
import { lists } from '../ui/styles/lists.ts';

const strings = modelStrings;

/** The details of an installed model. */
export class ModelDetails extends LitElement {
  static override properties = { model: { attribute: false }, info: { attribute: false } };
  declare model: ModelListEntry;
  declare info: ModelInfo;

  static override styles = [
    controls,
    lists,
    css`
      pre {
        max-height: 12rem;
        white-space: pre-wrap;
        overflow-y: auto;
      }
    `,
  ];

  override render() {
    const { model, info } = this;
    const { fields } = strings;
    const licence = info.license?.trim();
    const row = (label: string, value: unknown) =>
      value ? html`<dt>${label}</dt><dd>${value}</dd>` : nothing;
    return html`<dl>
      ${row(fields.licence, licence?.includes('\n') ? html`<pre tabindex="0">${licence}</pre>` : licence || strings.noLicence)}
      ${row(fields.capabilities, info.capabilities?.map((capability) => strings.capabilities[capability] ?? capability).join(', '))}
      ${row(fields.context, model.details.context_length && strings.context(model.details.context_length))}
      ${row(fields.format, [model.details.format, model.details.quantization_level].filter(Boolean).join(', '))}
      ${row(fields.family, model.details.family)}
      ${row(fields.system, info.system)}
      ${row(fields.modified, dateTime(model.modified_at))}
      ${row(fields.digest, html`<code>${model.digest}</code>`)}
    </dl>`;
  }
}

customElements.define('tabd-model-details', ModelDetails);
