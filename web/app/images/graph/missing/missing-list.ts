import { css, html, nothing, type PropertyValues } from 'lit';
import type { PublishedFile } from '../../../api-client.ts';
import { missingStrings as strings } from '../../../strings/missing-models.ts';
import { AppElement } from '../../../ui/app-element.ts';
import { bytes } from '../../../ui/format.ts';
import { controls } from '../../../ui/styles/controls.ts';
import { lists } from '../../../ui/styles/lists.ts';

/** The models that a graph needs and that are not installed, with a button for those whose source is known. */
export class MissingModels extends AppElement {
  static override properties = {
    ...AppElement.properties,
    names: { attribute: false },
    published: { state: true },
  };
  /** Names as graphs write them. */
  declare names: readonly string[];
  /** The server's answers, by name in lower case. */
  declare published: ReadonlyMap<string, PublishedFile>;
  #requested = '';

  static override styles = [
    controls,
    lists,
    css`
      :host {
        display: block;
      }
      .notice {
        max-height: 30dvh;
        overflow-y: auto;
        border-radius: 0;
        padding: 0.5rem 1.25rem;
      }
      li {
        padding: 0.25rem 0;
      }
    `,
  ];

  constructor() {
    super();
    this.names = [];
    this.published = new Map();
  }

  override willUpdate(changed: PropertyValues) {
    if (changed.has('names')) void this.#findSources();
  }

  /** A pulled file lies below its name alone, without the folders that a graph may write before it. */
  async #findSources() {
    const key = this.names.join('\n');
    if (key === this.#requested) return;
    this.#requested = key;
    const found = key === '' ? [] : await this.app.api.published(this.names.map(fileName)).catch(() => []);
    if (key === this.#requested)
      this.published = new Map(found.map((file) => [file.name.toLowerCase(), file]));
  }

  override render() {
    if (this.names.length === 0) return nothing;
    return html`<div class="notice" role="status">
      <strong>${strings.heading}</strong>
      <ul>
        ${this.names.map((name) => this.#item(name))}
      </ul>
    </div>`;
  }

  #item(name: string) {
    const file = this.published.get(fileName(name).toLowerCase());
    const pull = this.app.pulls.active.find(({ model }) => model === file?.name);
    const facts = file && [
      file.folder,
      file.about_size && strings.about(bytes(file.about_size)),
      file.license ?? strings.noLicence,
    ];
    return html`<li class="row">
      <div>
        ${name}<br /><span class="soft small num">${facts ? facts.filter(Boolean).join(' · ') : strings.unknown}</span>
        ${pull?.error === undefined ? nothing : html`<br /><span class="error" role="alert">${pull.error}</span>`}
      </div>
      ${
        file === undefined
          ? nothing
          : pull && pull.error === undefined && !pull.paused
            ? html`<span class="soft small num" role="status"
                >${pull.total > 0 ? strings.amount(bytes(pull.completed), bytes(pull.total)) : pull.status}</span
              >`
            : html`<button aria-label=${strings.getOf(file.name)} @click=${() => this.#get(file)}>${strings.get}</button>`
      }
    </li>`;
  }

  async #get({ name }: PublishedFile) {
    await this.app.pull(name);
    this.dispatchEvent(new CustomEvent('installed'));
  }
}

const fileName = (name: string): string =>
  name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);

customElements.define('tabd-missing-models', MissingModels);
