import { css, html, nothing } from 'lit';
import { errorMessage } from '#core/base';
import { type DeviceResources, readResources } from '../models/resources.ts';
import { dialogs } from '../ui/styles/dialogs.ts';
import { lists } from '../ui/styles/lists.ts';
import '../models/storage-card.ts';
import type { ApiName } from '#core/http';
import { apiStrings } from '../strings/api.ts';
import { chatPartStrings } from '../strings/chat-parts.ts';
import { LANGUAGES, type Language, readLanguage, storeLanguage } from '../strings/language.ts';
import { modelStrings } from '../strings/models.ts';
import { settingsStrings } from '../strings/settings.ts';
import { AppElement } from '../ui/app-element.ts';
import {
  applyColorScheme,
  COLOR_SCHEMES,
  type ColorScheme,
  readColorScheme,
  storeColorScheme,
} from '../ui/color-scheme.ts';
import { pickFiles } from '../ui/pick-files.ts';
import { controls } from '../ui/styles/controls.ts';
import { scrolled } from '../ui/styles/page.ts';
import '../cluster/cluster-link.ts';
import './connected-browsers.ts';
import { deviceRows } from './device-rows.ts';
import { otherSettingsText, readSettingsForm, SETTING_GROUPS, type SettingField } from './server-settings.ts';
import { readStoredSettings, storeSettings } from './stored-settings.ts';

/** The device report, the settings of the server, the storage, the backup, and the deletion of all data. */
export class SettingsView extends AppElement {
  static override properties = {
    ...AppElement.properties,
    resources: { state: true },
    version: { state: true },
    errors: { state: true },
    saved: { state: true },
    copied: { state: true },
    restored: { state: true },
    failure: { state: true },
    isWiping: { state: true },
  };
  declare resources: DeviceResources | undefined;
  declare version: string;
  declare errors: Record<string, string>;
  /** Whether stored settings wait for the next load of the page. */
  declare saved: boolean;
  declare copied: boolean;
  declare restored: string | undefined;
  declare failure: string | undefined;
  declare isWiping: boolean;
  #stored = readStoredSettings(localStorage);

  static override styles = [
    controls,
    scrolled,
    lists,
    dialogs,
    css`
      dl {
        grid-template-columns: minmax(7rem, max-content) minmax(0, 1fr);
        column-gap: 1.25rem;
      }
      .links {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.5rem 1rem;
      }
      .links a {
        color: var(--accent);
      }
      .setting {
        padding: 0.5rem 0;
      }
      .setting > .wrong {
        grid-column: 1 / -1;
      }
      textarea {
        min-height: 4rem;
        margin-top: 0.3rem;
      }
      .buttons {
        margin-top: 0.9rem;
      }
      .notice,
      .error {
        margin-top: 0.75rem;
        display: flex;
        align-items: center;
        gap: 0.75rem;
        flex-wrap: wrap;
      }
      @media (max-width: 40rem) {
        .setting {
          grid-template-columns: minmax(0, 1fr);
          gap: 0.15rem;
        }
        .setting input {
          grid-area: auto;
        }
        dl {
          grid-template-columns: minmax(0, 1fr);
          gap: 0;
        }
        dd {
          margin-bottom: 0.4rem;
        }
      }
    `,
  ];

  constructor() {
    super();
    this.errors = {};
    this.version = '';
  }

  override connectedCallback() {
    super.connectedCallback();
    void import('../chat/chat-more.ts');
    void this.#readResources();
    void this.#readVersion();
  }

  async #readResources() {
    this.resources = await readResources();
  }

  async #readVersion() {
    const response = await this.app.backend.fetch('/api/version').catch(() => undefined);
    const own = response?.headers.get('x-tabd-version');
    const { version } = ((await response?.json().catch(() => undefined)) ?? {}) as { version?: string };
    this.version = [own && `tabd ${own}`, version && settingsStrings.device.api(version)]
      .filter(Boolean)
      .join(', ');
  }

  override render() {
    return html`<div class="view">
      <h1>${settingsStrings.heading}</h1>
      ${this.#appearance()} ${this.#presets()} ${this.#device()} ${this.#computer()}
      <tabd-connected-browsers .app=${this.app}></tabd-connected-browsers>
      <tabd-cluster-link></tabd-cluster-link>
      ${this.#server()}
      <h2>${modelStrings.storage.heading}</h2>
      ${
        this.resources
          ? html`<tabd-storage .app=${this.app} .storage=${this.resources.storage} @change=${this.#readResources}></tabd-storage>`
          : nothing
      }
      ${this.#backup()} ${this.#wipe()}
    </div>`;
  }

  #appearance() {
    const now = readColorScheme();
    return html`<h2>${settingsStrings.appearance.heading}</h2>
      <div class="setting">
        <label for="theme">${settingsStrings.appearance.theme}</label>
        <select id="theme" @change=${this.#chooseColorScheme}>
          ${COLOR_SCHEMES.map(
            (scheme) =>
              html`<option value=${scheme} ?selected=${scheme === now}>${settingsStrings.appearance.schemes[scheme]}</option>`,
          )}
        </select>
      </div>
      <div class="setting">
        <label for="language">${settingsStrings.appearance.language}</label>
        <select id="language" @change=${this.#chooseLanguage}>
          <option value="">${settingsStrings.appearance.systemLanguage}</option>
          ${Object.entries(LANGUAGES).map(
            ([name, label]) =>
              html`<option value=${name} lang=${name} ?selected=${name === readLanguage()}>${label}</option>`,
          )}
        </select>
      </div>`;
  }

  #chooseLanguage(event: Event) {
    const chosen = (event.target as HTMLSelectElement).value;
    storeLanguage(chosen === '' ? undefined : (chosen as Language));
    // The language in the address would come first.
    const address = new URL(location.href);
    address.searchParams.delete('lang');
    history.replaceState(history.state, '', address);
    location.reload();
  }

  #presets() {
    return html`<h2 id="presets">${chatPartStrings.presets.heading}</h2>
      <p class="soft small">${chatPartStrings.presets.sub}</p>
      <tabd-preset-list .app=${this.app}></tabd-preset-list>`;
  }

  override firstUpdated() {
    const [, section = ''] = /^#\/settings\/([a-z]+)$/.exec(location.hash) ?? [];
    this.renderRoot.querySelector(`#${section || 'none'}`)?.scrollIntoView();
  }

  #chooseColorScheme(event: Event) {
    const scheme = (event.target as HTMLSelectElement).value as ColorScheme;
    storeColorScheme(scheme);
    applyColorScheme(scheme);
  }

  /** The addresses of the server on the computer, when the app shows that one. */
  #computer() {
    const { server, origins = {} } = this.app;
    if (server !== 'computer') return nothing;
    return html`<h2>${settingsStrings.computer}</h2>
      <p class="soft small">${settingsStrings.computerSub}</p>
      <dl class="num">
        ${Object.entries(origins).map(([api, origin]) => html`<dt>${apiStrings.coverage.apis[api as ApiName]}</dt><dd>${origin}</dd>`)}
      </dl>`;
  }

  get #rows() {
    if (!this.resources) return [];
    const loaded = Object.entries(this.app.devices).map(
      ([model, { name, note }]) => `${model}: ${name}${note ? ` (${note})` : ''}`,
    );
    return deviceRows(this.resources.device, { loaded, version: this.version, agent: navigator.userAgent });
  }

  #device() {
    return html`<h2>${settingsStrings.device.heading}</h2>
      <dl class="num">
        ${this.#rows.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}
      </dl>
      <div class="links">
        <button @click=${this.#copy}>${this.copied ? settingsStrings.device.copied : settingsStrings.device.copy}</button>
        <a href="#/selftest">${settingsStrings.device.selftest}</a>
      </div>`;
  }

  #server() {
    const wrongCount = Object.keys(this.errors).length;
    return html`<h2>${settingsStrings.server}</h2>
      <p class="soft small">${settingsStrings.serverSub}</p>
      <form @submit=${this.#save}>
        ${SETTING_GROUPS.map(
          ({ title, fields }) => html`<h3>${title}</h3>
            ${fields.map((field) => this.#field(field))}`,
        )}
        <h3>${settingsStrings.groups.other}</h3>
        <label class="hint" for="other">${settingsStrings.otherHint}</label>
        <textarea
          id="other"
          name="other"
          class="mono"
          spellcheck="false"
          aria-invalid=${this.errors.other ? 'true' : nothing}
          aria-describedby="other-wrong"
          .defaultValue=${otherSettingsText(this.#stored)}
        ></textarea>
        ${this.#fieldError('other')}
        ${wrongCount > 0 ? html`<p class="wrong">${settingsStrings.inForm(wrongCount)}</p>` : nothing}
        <div class="buttons"><button class="primary">${settingsStrings.save}</button></div>
      </form>
      ${
        this.saved
          ? html`<div class="notice" role="status">
              <span>${settingsStrings.saved}</span>
              <button @click=${() => location.reload()}>${settingsStrings.reload}</button>
            </div>`
          : nothing
      }`;
  }

  #field({ name, label, hint, defaultText, secret, show }: SettingField) {
    const stored = this.#stored[name] ?? '';
    // The server of this page knows its own port.
    const webhooks = name === 'WEBHOOK_URL' ? this.app.origins?.webhooks : undefined;
    return html`<div class="setting">
      <label for=${name}>${label}</label>
      <span class="hint" id="${name}-hint">${hint}</span>
      <input
        id=${name}
        name=${name}
        type=${secret ? 'password' : 'text'}
        placeholder=${settingsStrings.defaultIs(webhooks ?? defaultText)}
        autocomplete="off"
        spellcheck="false"
        aria-invalid=${this.errors[name] ? 'true' : nothing}
        aria-describedby="${name}-hint ${name}-wrong"
        .defaultValue=${stored !== '' && show ? show(stored) : stored}
      />
      ${this.#fieldError(name)}
    </div>`;
  }

  #fieldError(name: string) {
    const wrong = this.errors[name];
    return html`<p class="wrong" id="${name}-wrong" role=${wrong ? 'alert' : nothing} ?hidden=${!wrong}>${wrong}</p>`;
  }

  #backup() {
    return html`<h2>${settingsStrings.backup.heading}</h2>
      <p class="soft small">${settingsStrings.backup.sub}</p>
      <div class="buttons">
        <button @click=${this.#saveBackup}>${settingsStrings.backup.save}</button>
        <button @click=${this.#restore}>${settingsStrings.backup.restore}</button>
      </div>
      ${
        this.restored
          ? html`<div class="notice" role="status">
              <span>${this.restored}</span>
              <button @click=${() => location.reload()}>${settingsStrings.reload}</button>
            </div>`
          : nothing
      }
      ${this.failure ? html`<div class="error" role="alert">${this.failure}</div>` : nothing}`;
  }

  #wipe() {
    return html`<h2>${settingsStrings.wipe.heading}</h2>
      <p class="soft small">${settingsStrings.wipe.sub}</p>
      <button class="danger" @click=${() => this.#dialog?.showModal()}>${settingsStrings.wipe.open}</button>
      <dialog aria-labelledby="wipe">
        <p id="wipe"><strong>${settingsStrings.wipe.question}</strong></p>
        <p class="soft">${settingsStrings.wipe.what}</p>
        <div class="buttons">
          <button ?disabled=${this.isWiping} autofocus @click=${() => this.#dialog?.close()}>${settingsStrings.wipe.no}</button>
          <button class="danger" ?disabled=${this.isWiping} @click=${this.#wipeAll}>
            ${this.isWiping ? settingsStrings.wipe.running : settingsStrings.wipe.yes}
          </button>
        </div>
      </dialog>`;
  }

  get #dialog() {
    return this.renderRoot.querySelector('dialog');
  }

  async #copy() {
    await navigator.clipboard.writeText(this.#rows.map((row) => row.join(': ')).join('\n'));
    this.copied = true;
    setTimeout(() => {
      this.copied = false;
    }, 1500);
  }

  #save(event: SubmitEvent) {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const fields = Object.fromEntries([...form].map(([name, value]) => [name, String(value)]));
    const { settings, errors } = readSettingsForm(fields);
    this.errors = errors;
    this.saved = Object.keys(errors).length === 0;
    if (this.saved) storeSettings(localStorage, settings);
    else void this.#focusError();
  }

  /** Moves the focus to the first field with an error, which may be far above the button. */
  async #focusError() {
    await this.updateComplete;
    const field = this.renderRoot.querySelector<HTMLElement>('form [aria-invalid="true"]');
    field?.focus({ preventScroll: true });
    field?.scrollIntoView({ block: 'center' });
  }

  async #saveBackup() {
    await this.#attempt(async () => (await import('./backup.ts')).savePageBackup(this.app));
  }

  #restore() {
    pickFiles('.json,application/json', ([file]) => {
      void this.#attempt(async () => {
        const { restorePageBackup: restoreBackup } = await import('./backup.ts');
        this.restored = settingsStrings.backup.restored(await restoreBackup(this.app, await file!.text()));
      });
    });
  }

  async #wipeAll() {
    this.isWiping = true;
    await this.#attempt(async () => {
      const { wipeStorage: wipe } = await import('./wipe.ts');
      const { store } = this.app.chats;
      await this.app.backend.stop();
      await store.close();
      await wipe(store.name, (what) => new Error(settingsStrings.wipe.inUse(what)));
      location.replace(location.pathname);
    });
    if (this.failure) {
      this.isWiping = false;
      this.#dialog?.close();
    }
  }

  async #attempt(work: () => Promise<void>) {
    this.failure = undefined;
    this.restored = undefined;
    try {
      await work();
    } catch (error) {
      this.failure = errorMessage(error);
    }
  }
}

customElements.define('tabd-settings', SettingsView);
