import { css, html, nothing } from 'lit';
import { strings } from '../strings.ts';
import { AppElement } from '../ui/app-element.ts';
import { errorText } from '../ui/error-text.ts';
import { bytes } from '../ui/format.ts';
import { controls, scrolled } from '../ui/theme.ts';
import './pull-list.ts';

/** What is installed and loaded; getting more. */
export class ModelsView extends AppElement {
  static override styles = [
    controls,
    scrolled,
    css`
      ul {
        list-style: none;
        margin: 0;
        padding: 0;
      }
      li {
        display: flex;
        align-items: center;
        flex-wrap: wrap;
        gap: 0.25rem 0.75rem;
        padding: 0.75rem 0;
        border-top: 1px solid var(--line);
      }
      li:first-child {
        border-top: 0;
      }
      li > div {
        flex: 1 1 14rem;
        min-width: 0;
        overflow-wrap: anywhere;
      }
      .buttons {
        display: flex;
        align-items: center;
        margin-left: auto;
      }
      .loaded {
        color: var(--good);
      }
    `,
  ];

  override render() {
    const { installed, devices, failure } = this.app;
    return html`<div class="view">
      <h1>${strings.models.heading}</h1>
      ${failure === undefined ? nothing : html`<div class="error" role="alert">${failure}</div>`}
      <h2>${strings.models.installed}</h2>
      ${installed?.length === 0 ? html`<p class="soft">${strings.models.none}</p>` : nothing}
      <ul>
        ${installed?.map(({ name, size, details }) => {
          const loaded = this.app.isLoaded(name);
          return html`<li>
            <div>
              <strong>${name}</strong><br />
              <span class="soft small num"
                >${[details.parameter_size, details.quantization_level, bytes(size)].filter(Boolean).join(' · ')}
                ${
                  loaded
                    ? html`<span class="loaded">· ${strings.models.loaded}, ${devices[name]?.name ?? ''}</span>`
                    : nothing
                }</span
              >
              ${devices[name]?.note ? html`<br /><span class="soft small">${devices[name].note}</span>` : nothing}
            </div>
            <span class="buttons">
            ${
              loaded
                ? html`<button class="plain" @click=${() => this.#then(this.app.api.unload(name))}>${strings.models.unload}</button>`
                : nothing
            }
            <button class="plain" aria-label="${strings.models.delete} ${name}" @click=${() => this.#delete(name)}>
              ${strings.models.delete}
            </button>
            <button aria-label="${strings.models.chat} ${name}" @click=${() => this.#chat(name)}>${strings.models.chat}</button>
            </span>
          </li>`;
        })}
      </ul>
      <h2>${strings.models.add}</h2>
      <tabd-pull-list .app=${this.app} suggest></tabd-pull-list>
    </div>`;
  }

  #delete(name: string) {
    if (confirm(strings.models.confirmDelete(name))) this.#then(this.app.api.delete(name));
  }

  #chat(name: string) {
    this.app.choose(name);
    location.hash = '#/';
  }

  async #then(work: Promise<void>) {
    try {
      await work;
      await this.app.refresh();
    } catch (error) {
      this.app.failure = errorText(error);
      this.app.changed();
    }
  }
}

customElements.define('tabd-models', ModelsView);
