import { css, html, nothing, type PropertyDeclarations } from 'lit';
import { commonStrings } from '../../strings/common.ts';
import { workflowStrings } from '../../strings/workflows.ts';
import { ObservingElement } from '../../ui/observing-element.ts';
import { controls } from '../../ui/styles/controls.ts';
import { scrolled } from '../../ui/styles/page.ts';
import { tables } from '../../ui/styles/tables.ts';
import { ToastWatcher } from '../../ui/toast-watcher.ts';
import { toasts } from '../../ui/toasts.ts';
import type { CredentialType } from '../api-types.ts';
import { sectionLinks } from '../section-links.ts';
import { workflowStyles } from '../workflow-styles.ts';
import { relativeTime } from '../workflow-texts.ts';
import { type CredentialState, visibleFields } from './credential-state.ts';

/** Names of fields with several lines. */
const MULTILINE = /Key$|^json$/;

/** Lists, adds and deletes credentials. */
export class CredentialsView extends ObservingElement<CredentialState> {
  static override properties: PropertyDeclarations = {
    ...ObservingElement.properties,
    type: { state: true },
    data: { state: true },
  };
  declare type: string;
  declare data: Record<string, string>;

  static override styles = [
    controls,
    scrolled,
    tables,
    workflowStyles,
    css`
      form {
        display: grid;
        gap: 0.85rem;
      }
      form > button {
        justify-self: start;
      }
      td:last-child {
        text-align: right;
      }
    `,
  ];

  constructor() {
    super();
    new ToastWatcher(this);
    this.type = 'httpHeaderAuth';
    this.data = {};
  }

  override render() {
    const { list, types, failure, addedName } = this.state;
    return html`<div class="view">
      ${sectionLinks('credentials')}
      <h1>${workflowStrings.credential.heading}</h1>
      <p class="soft">${workflowStrings.credential.subtitle}</p>
      ${failure === undefined ? nothing : html`<div class="error" role="alert">${failure}</div>`}
      ${
        list === undefined
          ? nothing
          : list.length === 0
            ? html`<p>${workflowStrings.credential.none}</p>`
            : html`<table aria-label=${workflowStrings.credential.heading}>
                <thead>
                  <tr>
                    <th scope="col">${workflowStrings.credential.name}</th>
                    <th scope="col">${workflowStrings.credential.type}</th>
                    <td></td>
                  </tr>
                </thead>
                <tbody>
                  ${list
                    .filter(({ id }) => !toasts.isDeleted(`credential ${id}`))
                    .map(
                      ({ id, name, type, updatedAt, connected }) =>
                        html`<tr>
                        <td>
                          ${name}
                          ${connected ? html`<span class="soft">(${workflowStrings.credential.connected})</span>` : nothing}
                        </td>
                        <td class="soft" data-tip=${relativeTime(updatedAt)}>
                          ${types.find((candidate) => candidate.name === type)?.label ?? type}
                        </td>
                        <td>
                          ${connected === undefined ? nothing : this.#connectButton(id, name, connected)}
                          <button
                            class="plain"
                            aria-label="${workflowStrings.credential.delete}: ${name}"
                            @click=${() => this.#delete(id, name)}
                          >
                            ${workflowStrings.credential.delete}
                          </button>
                        </td>
                      </tr>`,
                    )}
                </tbody>
              </table>`
      }
      <h2>${workflowStrings.credential.add}</h2>
      <div role="status">
        ${addedName === undefined ? nothing : html`<p class="notice">${workflowStrings.credential.added(addedName)}</p>`}
      </div>
      ${types.length === 0 ? nothing : this.#form(types)}
    </div>`;
  }

  #delete(id: string, name: string) {
    const { state } = this;
    const texts = { text: workflowStrings.credential.deleted(name), undo: commonStrings.undo };
    toasts.deleteLater(`credential ${id}`, texts, () => state.delete(id));
  }

  #connectButton(id: string, name: string, connected: boolean) {
    const text = connected ? workflowStrings.credential.reconnect : workflowStrings.credential.connect;
    return html`<button class="plain" aria-label="${text}: ${name}" @click=${() => this.#connect(id)}>
      ${text}
    </button>`;
  }

  /** Opens the window at once: after a wait the browser would take it for a pop-up. */
  async #connect(id: string) {
    const login = window.open('', '_blank');
    const url = await this.state.connect(id);
    if (url === undefined) return login?.close();
    if (login) {
      login.opener = null;
      login.location.href = url;
    }
    window.addEventListener('focus', () => this.state.load(), { once: true });
  }

  #form(types: CredentialType[]) {
    const type = types.find(({ name }) => name === this.type) ?? types[0]!;
    return html`<form class="card" autocomplete="off" @submit=${(event: Event) => this.#save(event, type)}>
      <label class="field"
        >${workflowStrings.credential.type}
        <select
          @change=${({ target }: Event) => {
            this.type = (target as HTMLSelectElement).value;
            this.data = {};
          }}
        >
          ${types.map(({ name, label }) => html`<option value=${name} .selected=${name === type.name}>${label}</option>`)}
        </select>
      </label>
      <label class="field"
        >${workflowStrings.credential.nameLabel}
        <input type="text" name="credential-name" required autocomplete="off" />
      </label>
      ${visibleFields(type, this.data).map((field) => this.#field(field))}
      ${
        type.oauth2 && this.state.redirectUrl !== undefined
          ? html`<p class="soft">${workflowStrings.credential.redirectHint(this.state.redirectUrl)}</p>`
          : nothing
      }
      <button class="primary">${workflowStrings.credential.save}</button>
    </form>`;
  }

  #field({
    name,
    label,
    enum: listed,
    type,
    default: defaultValue = '',
    secret,
  }: CredentialType['fields'][number]) {
    const value = this.data[name] ?? String(defaultValue);
    const choices = type === 'boolean' ? ['false', 'true'] : listed;
    const set = ({ target }: Event) => {
      this.data = { ...this.data, [name]: (target as HTMLInputElement).value };
    };
    if (choices) {
      return html`<label class="field"
        >${label}
        <select @change=${set}>
          ${choices.map((choice) => html`<option .selected=${choice === value}>${choice}</option>`)}
        </select>
      </label>`;
    }
    if (MULTILINE.test(name)) {
      return html`<label class="field"
        >${label}
        <textarea class="mono" rows="4" spellcheck="false" autocomplete="off" .value=${value} @input=${set}></textarea>
      </label>`;
    }
    return html`<label class="field"
      >${label}
      <input
        type=${secret ? 'password' : 'text'}
        autocomplete=${secret ? 'new-password' : 'off'}
        .value=${value}
        @input=${set}
      />
    </label>`;
  }

  async #save(event: Event, type: CredentialType) {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const name = form.querySelector('input')!.value.trim();
    const shown = new Set(visibleFields(type, this.data).map((field) => field.name));
    const data = Object.fromEntries(Object.entries(this.data).filter(([key]) => shown.has(key)));
    if (!(await this.state.add(name, type.name, data))) return;
    // Secrets do not stay in the page.
    this.data = {};
    form.reset();
  }
}

customElements.define('tabd-credentials', CredentialsView);
