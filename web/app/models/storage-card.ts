import { css, html, nothing } from 'lit';
import { modelStrings } from '../strings/models.ts';
import { AppElement } from '../ui/app-element.ts';
import { bytes } from '../ui/format.ts';
import { controls } from '../ui/styles/controls.ts';
import type { StorageReport } from './resources.ts';

const strings = modelStrings.storage;

/** Storage in use, the quota, and whether storage is persistent. Fires `change` after it asked for persistence. */
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
          ? html`<p>${strings.notReported}</p>`
          : html`<div
                class="bar"
                role="meter"
                aria-label=${strings.bar}
                aria-valuenow=${Math.round((usage / quota) * 100)}
                aria-valuemin="0"
                aria-valuemax="100"
              >
                <div style="width: ${Math.min(100, (usage / quota) * 100)}%"></div>
              </div>
              <p class="num">
                ${strings.used(bytes(usage), bytes(quota))} ${models > 0 ? strings.models(bytes(models), bytes(Math.max(0, usage - models))) : nothing}
              </p>`
      }
      ${persisted === true ? html`<p class="soft small">${strings.persistent}</p>` : nothing}
      ${
        persisted === false
          ? html`<p class="soft small">${strings.notPersistent}</p>
              <p><button @click=${this.#requestPersistence}>${strings.makePersistent}</button></p>
              ${this.refused ? html`<p class="soft small" role="status">${strings.refused}</p>` : nothing}`
          : nothing
      }
    `;
  }

  async #requestPersistence() {
    this.refused = !(await navigator.storage.persist().catch(() => false));
    this.dispatchEvent(new Event('change'));
  }
}

customElements.define('tabd-storage', StorageCard);
