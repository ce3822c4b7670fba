import { css, html, nothing } from 'lit';
import { strings } from '../strings.ts';
import { AppElement } from '../ui/app-element.ts';
import { bytes } from '../ui/format.ts';
import { controls } from '../ui/theme.ts';
import type { StorageReport } from './resources.ts';

const words = strings.models.storage;

/** How much this site stores, how much it may, and whether the browser keeps it. Fires `asked` when that may have changed. */
export class StorageCard extends AppElement {
  static override properties = {
    ...AppElement.properties,
    storage: { attribute: false },
    refused: { state: true },
  };
  declare storage: StorageReport;
  declare refused: boolean;

  static override styles = [
    controls,
    css`
      .bar {
        height: 8px;
        border-radius: 4px;
        background: var(--sunken);
        overflow: hidden;
        margin: 0.2rem 0 0.6rem;
      }
      .bar div {
        height: 100%;
        min-width: 2px;
        background: var(--accent);
        border-radius: 4px;
      }
      p:last-child {
        margin: 0;
      }
    `,
  ];

  override render() {
    const { usage, quota, persisted } = this.storage;
    const models = (this.app.installed ?? []).reduce((sum, { size }) => sum + size, 0);
    return html`
      ${
        usage === undefined || quota === undefined
          ? html`<p>${words.unknown}</p>`
          : html`<div
                class="bar"
                role="meter"
                aria-label=${words.bar}
                aria-valuenow=${Math.round((usage / quota) * 100)}
                aria-valuemin="0"
                aria-valuemax="100"
              >
                <div style="width: ${Math.min(100, (usage / quota) * 100)}%"></div>
              </div>
              <p class="num">
                ${words.used(bytes(usage), bytes(quota))} ${models > 0 ? words.models(bytes(models)) : nothing}
              </p>`
      }
      ${persisted === true ? html`<p class="soft small">${words.kept}</p>` : nothing}
      ${
        persisted === false
          ? html`<p class="soft small">${words.notKept}</p>
              <p><button @click=${this.#keep}>${words.keep}</button></p>
              ${this.refused ? html`<p class="soft small" role="status">${words.refused}</p>` : nothing}`
          : nothing
      }
    `;
  }

  async #keep() {
    this.refused = !(await navigator.storage.persist().catch(() => false));
    this.dispatchEvent(new Event('asked'));
  }
}

customElements.define('tabd-storage', StorageCard);
