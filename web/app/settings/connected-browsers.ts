import { css, html, nothing } from 'lit';
import { errorMessage } from '#core/base';
import { readPortOwner } from '../api/port-owner.ts';
import { browserStrings as strings } from '../strings/browsers.ts';
import { AppElement } from '../ui/app-element.ts';
import { controls } from '../ui/styles/controls.ts';
import { lists } from '../ui/styles/lists.ts';
import { browserFacts } from './browser-facts.ts';
import {
  type BrowserLink,
  type ConnectedBrowser,
  changeBrowser,
  createLink,
  readBrowsers,
  revokeBrowser,
} from './browser-list.ts';

/** Milliseconds between two readings of the list. */
const POLL_INTERVAL = 2000;

/**
 * The browsers that answer the ports of this computer: their devices and work, names, the home, links for more of them.
 * Renders nothing where no tabd command serves the page, or where it answers the ports itself.
 */
export class ConnectedBrowsers extends AppElement {
  static override properties = {
    ...AppElement.properties,
    browsers: { state: true },
    isShown: { state: true },
    renaming: { state: true },
    revoking: { state: true },
    link: { state: true },
    failure: { state: true },
  };
  declare browsers: ConnectedBrowser[];
  declare isShown: boolean;
  /** The id of the browser whose name is being edited. */
  declare renaming: string | undefined;
  /** The id of the browser that a second click disconnects. */
  declare revoking: string | undefined;
  declare link: BrowserLink | undefined;
  declare failure: string | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  static override styles = [
    controls,
    lists,
    css`
      li {
        padding: 0.5rem 0;
      }
      code {
        overflow-wrap: anywhere;
      }
    `,
  ];

  constructor() {
    super();
    this.browsers = [];
    this.isShown = false;
  }

  override connectedCallback() {
    super.connectedCallback();
    void this.#refresh();
    this.#timer = setInterval(() => void this.#refresh(), POLL_INTERVAL);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  override render() {
    if (!this.isShown) return nothing;
    return html`<h2>${strings.heading}</h2>
      <p class="soft small">${strings.subtitle}</p>
      ${this.browsers.length === 0 ? html`<p class="soft">${strings.none}</p>` : nothing}
      <ul>
        ${this.browsers.map((browser) => this.#row(browser))}
      </ul>
      ${this.failure ? html`<p class="error" role="alert">${this.failure}</p>` : nothing}
      ${this.link ? this.#shownLink(this.link) : html`<button @click=${this.#showLink}>${strings.connect}</button>`}`;
  }

  #row(browser: ConnectedBrowser) {
    const { id, name, home, state } = browser;
    return html`<li class="row">
      <div>
        <strong>${name}</strong>${home ? html` <span class="soft">(${strings.home})</span>` : nothing}
        <div class="soft small">${[strings.states[state], ...browserFacts(browser)].join(' · ')}</div>
      </div>
      ${this.renaming === id ? this.#nameForm(browser) : this.#buttons(browser)}
    </li>`;
  }

  #buttons({ id, name, home }: ConnectedBrowser) {
    const isSure = this.revoking === id;
    return html`<button aria-label="${strings.rename}: ${name}" @click=${() => this.#startRenaming(id)}>${strings.rename}</button>
      ${
        home
          ? nothing
          : html`<button aria-label="${strings.makeHome}: ${name}" @click=${() => this.#run(() => changeBrowser(id, { home: true }))}>
              ${strings.makeHome}
            </button>`
      }
      <button
        class=${isSure ? 'danger' : nothing}
        aria-label="${isSure ? strings.reallyRevoke : strings.revoke}: ${name}"
        @click=${() => this.#revoke(id)}
        @blur=${() => {
          this.revoking = undefined;
        }}
      >
        ${isSure ? strings.reallyRevoke : strings.revoke}
      </button>`;
  }

  #nameForm({ id, name }: ConnectedBrowser) {
    return html`<form
      class="row"
      @submit=${(event: SubmitEvent) => {
        event.preventDefault();
        const form = event.target as HTMLFormElement;
        void this.#rename(id, String(new FormData(form).get('name')));
      }}
    >
      <input name="name" aria-label=${strings.nameOf(name)} maxlength="60" required autocomplete="off" .defaultValue=${name} />
      <button class="primary">${strings.save}</button>
      <button type="button" @click=${() => this.#startRenaming(undefined)}>${strings.cancel}</button>
    </form>`;
  }

  #shownLink({ link, outside }: BrowserLink) {
    const [first] = outside;
    return html`<p class="soft">${strings.link}<br /><code>${link}</code></p>
      ${
        first
          ? html`<p class="soft">${strings.outside}<br /><code>${first}</code></p>
              <tabd-link-code .link=${first} .label=${strings.code}></tabd-link-code>`
          : html`<p class="soft">${strings.noOutside}</p>`
      }`;
  }

  async #refresh() {
    const [browsers, owner] = await Promise.all([readBrowsers(), readPortOwner()]);
    this.isShown = browsers !== undefined && (owner?.by === 'tab' || browsers.length > 0);
    this.browsers = browsers ?? [];
  }

  async #showLink() {
    await this.#run(async () => {
      const link = await createLink();
      if (link.outside.length > 0) await import('./link-code.ts');
      this.link = link;
    });
  }

  #startRenaming(id: string | undefined) {
    this.renaming = id;
    this.failure = undefined;
    void this.updateComplete.then(() => this.renderRoot.querySelector('input')?.select());
  }

  async #rename(id: string, name: string) {
    if (await this.#run(() => changeBrowser(id, { name }))) this.renaming = undefined;
  }

  async #revoke(id: string) {
    if (this.revoking !== id) {
      this.revoking = id;
      return;
    }
    this.revoking = undefined;
    await this.#run(() => revokeBrowser(id));
  }

  /** Whether the work succeeded. A failure is shown. */
  async #run(work: () => Promise<void>): Promise<boolean> {
    this.failure = undefined;
    try {
      await work();
      return true;
    } catch (error) {
      this.failure = errorMessage(error);
      return false;
    } finally {
      await this.#refresh();
    }
  }
}

customElements.define('tabd-connected-browsers', ConnectedBrowsers);
