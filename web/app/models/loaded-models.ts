import { css, html } from 'lit';
import type { LoadedModelEntry } from '../api-client.ts';
import { modelStrings } from '../strings/models.ts';
import { AppElement } from '../ui/app-element.ts';
import { bytes } from '../ui/format.ts';
import { controls } from '../ui/styles/controls.ts';
import { lists } from '../ui/styles/lists.ts';
import { expiryText } from './expiry-text.ts';

const strings = modelStrings;

/** The loaded models with their memory and the time until they unload. Fires `unload` with a model's name. */
export class LoadedModels extends AppElement {
  #clock: ReturnType<typeof setInterval> | undefined;

  static override styles = [
    controls,
    lists,
    css`
      li {
        padding: 0.6rem 0;
      }
    `,
  ];

  override connectedCallback() {
    super.connectedCallback();
    this.#clock = setInterval(() => this.#tick(), 1000);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.#clock);
  }

  #tick() {
    if (document.hidden || this.app.running.length === 0) return;
    const over = this.app.running.some(({ expires_at: at }) => Date.parse(at) < Date.now());
    if (over) void this.app.refresh();
    else this.requestUpdate();
  }

  override render() {
    const { running } = this.app;
    if (running.length === 0) return html`<p class="soft">${strings.noneLoaded}</p>`;
    return html`<ul>
      ${running.map((model) => this.#model(model))}
    </ul>`;
  }

  #model({ name, size, size_vram: gpu, context_length: context, expires_at: expires }: LoadedModelEntry) {
    const device = this.app.devices[name];
    const facts = [
      device?.name,
      strings.memory(bytes(size)),
      gpu > 0 && gpu < size ? strings.onGpu(bytes(gpu)) : '',
      context > 0 ? strings.context(context) : '',
      expiryText(expires, Date.now()),
    ];
    return html`<li class="row">
      <div>
        <strong>${name}</strong><br />
        <span class="soft small num">${facts.filter(Boolean).join(' · ')}</span>
        ${device?.note ? html`<br /><span class="soft small">${device.note}</span>` : ''}
      </div>
      <button
        aria-label=${strings.actionOn(strings.unload, name)}
        @click=${() => this.dispatchEvent(new CustomEvent('unload', { detail: name }))}
      >
        ${strings.unload}
      </button>
    </li>`;
  }
}

customElements.define('tabd-loaded-models', LoadedModels);
