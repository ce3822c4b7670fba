import { css, html, nothing } from 'lit';
import type { Pull } from '../pulls.ts';
import { strings } from '../strings.ts';
import { AppElement } from '../ui/app-element.ts';
import { bytes, duration } from '../ui/format.ts';
import { controls } from '../ui/theme.ts';

/** Running downloads, the field to start one, and (with `suggest`) the models to begin with. */
export class PullList extends AppElement {
  static override properties = { ...AppElement.properties, suggest: { type: Boolean } };
  declare suggest: boolean;

  static override styles = [
    controls,
    css`
      form {
        display: flex;
        gap: 0.5rem;
      }
      :host {
        display: block;
      }
      .pull {
        margin: 0.9rem 0;
      }
      .head {
        display: flex;
        align-items: baseline;
        gap: 0.6rem;
      }
      .head strong {
        flex: 1;
        min-width: 0;
        overflow: hidden;
        text-overflow: ellipsis;
        font-weight: 600;
      }
      progress {
        appearance: none;
        width: 100%;
        height: 6px;
        border: 0;
        border-radius: 3px;
        overflow: hidden;
        background: var(--sunken);
        margin: 0.4rem 0;
      }
      progress::-webkit-progress-bar {
        background: var(--sunken);
      }
      progress::-webkit-progress-value {
        background: var(--accent);
        border-radius: 3px;
        transition: inline-size 0.15s linear;
      }
      progress::-moz-progress-bar {
        background: var(--accent);
      }
      .suggestion {
        display: flex;
        align-items: center;
        gap: 0.75rem;
        padding: 0.55rem 0;
        border-top: 1px solid var(--line);
      }
      .suggestion:first-of-type {
        border-top: 0;
      }
      .suggestion div {
        flex: 1;
        min-width: 0;
      }
      .error {
        margin: 0.4rem 0;
      }
    `,
  ];

  override render() {
    const { pulls, suggestions, installed } = this.app;
    const busy = new Set(pulls.active.map(({ model }) => model));
    const have = new Set(installed?.map(({ name }) => name));
    const offered = suggestions.filter(({ model }) => !have.has(model) && !busy.has(model));
    return html`
      ${pulls.active.map((pull) => this.#pull(pull))}
      ${
        this.suggest && offered.length > 0
          ? html`<div>
              ${offered.slice(0, 4).map(
                ({ model, description }) => html`<div class="suggestion">
                  <div>
                    <strong>${model}</strong><br /><span class="soft small">${description}</span>
                  </div>
                  <button @click=${() => this.app.pull(model)} aria-label="${strings.models.pull} ${model}">
                    ${strings.models.pull}
                  </button>
                </div>`,
              )}
            </div>`
          : nothing
      }
      <form @submit=${this.#submit} style=${this.suggest ? 'margin-top: 0.75rem' : ''}>
        <label class="visually-hidden" for="name">${strings.models.name}</label>
        <input id="name" type="text" name="model" list="offered" placeholder=${strings.models.name} autocomplete="off" spellcheck="false" />
        <datalist id="offered">
          ${offered.map(({ model, description }) => html`<option value=${model} label=${description}></option>`)}
        </datalist>
        <button class=${this.suggest ? '' : 'primary'}>${strings.models.pull}</button>
      </form>
      <button class="plain" style="margin: 0.4rem 0 0 -0.6rem" @click=${this.#pick}>${strings.models.file}</button>
    `;
  }

  #pull(pull: Pull) {
    if (pull.error !== undefined)
      return html`<div class="pull">
        <div class="head"><strong>${pull.model}</strong></div>
        <div class="error" role="alert">${pull.error}</div>
        <button @click=${() => this.app.pull(pull.model)}>${strings.models.resume}</button>
        <button class="plain" @click=${() => this.app.pulls.dismiss(pull)}>${strings.models.dismiss}</button>
      </div>`;
    const { total, completed, speed } = pull;
    const left = speed > 0 ? duration((total - completed) / speed) : '';
    return html`<div class="pull">
      <div class="head">
        <strong>${pull.model}</strong>
        <button class="plain" @click=${() => pull.abort.abort()}>${strings.models.cancel}</button>
      </div>
      <progress aria-label=${pull.model} max=${total || 1} value=${total > 0 ? completed : nothing}></progress>
      <div class="soft small num">
        ${
          total > 0
            ? [`${bytes(completed)} of ${bytes(total)}`, speed > 0 ? `${bytes(speed)}/s` : '', left]
                .filter(Boolean)
                .join(' · ')
            : pull.status
        }
      </div>
    </div>`;
  }

  #submit(event: SubmitEvent) {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const model = String(new FormData(form).get('model')).trim();
    if (model === '') return;
    form.reset();
    void this.app.pull(model);
  }

  #pick() {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = '.gguf';
    input.addEventListener('change', () => {
      const file = input.files?.[0];
      if (file) void this.app.importFile(file);
    });
    input.click();
  }
}

customElements.define('tabd-pull-list', PullList);
