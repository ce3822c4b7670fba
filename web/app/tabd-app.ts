import { css, html, nothing, type PropertyDeclarations } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { errorMessage } from '#core/base';
import './consent-dialog.ts';
import { takeDroppedModels } from './models/files/dropped-models.ts';
import type { ServerStatus } from './server-status.ts';
import type { ServerName } from './servers/connection.ts';
import { appStrings } from './strings/app.ts';
import { AppElement } from './ui/app-element.ts';
import { descendants, keepFocus } from './ui/keep-focus.ts';
import { controls } from './ui/styles/controls.ts';
import { theme } from './ui/styles/theme.ts';
import { linkTo, VIEWS, type View, type ViewName, viewOf } from './views.ts';

/** The frame around the views: name, navigation, server, device and notices. */
export class TabdApp extends AppElement {
  static override properties: PropertyDeclarations = {
    ...AppElement.properties,
    status: { attribute: false },
    route: { state: true },
    loadError: { state: true },
  };
  declare status: ServerStatus;
  declare route: { name: ViewName; rest: string };
  /** The message when a view could not be loaded. */
  declare loadError: string | undefined;
  readonly #loadedViews = new Set<ViewName>();

  static override styles = [
    theme,
    controls,
    css`
      :host {
        display: grid;
        grid-template: auto auto minmax(0, 1fr) / minmax(0, 1fr);
        height: 100dvh;
        background: var(--bg);
      }
      header {
        display: flex;
        align-items: center;
        gap: 0.5rem 1.25rem;
        padding: 0.6rem 1.25rem;
        border-bottom: 1px solid var(--line);
      }
      .name {
        display: flex;
        align-items: center;
        gap: 0.5rem;
        font-weight: 680;
        letter-spacing: -0.02em;
        font-size: 1.05rem;
        color: var(--text);
        text-decoration: none;
      }
      .name svg {
        width: 22px;
        height: 22px;
        color: var(--accent);
      }
      nav {
        display: flex;
        gap: 0.15rem;
      }
      nav a {
        color: var(--soft);
        text-decoration: none;
        font-size: 0.9rem;
        padding: 0.3rem 0.75rem;
        border-radius: 999px;
      }
      nav a:hover {
        color: var(--text);
      }
      nav a[aria-current] {
        color: var(--text);
        background: var(--sunken);
        font-weight: 550;
      }
      .device {
        margin-left: auto;
        display: flex;
        align-items: center;
        gap: 0.5rem;
        min-width: 0;
        font-size: 0.8rem;
        color: var(--soft);
      }
      .device span {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .device select {
        max-width: 9.5rem;
        min-height: 1.9rem;
        padding: 0 0.4rem;
        font-size: 0.8rem;
      }
      .dot {
        flex: none;
        width: 0.5rem;
        height: 0.5rem;
        border-radius: 50%;
        background: var(--soft);
      }
      .dot.ready {
        background: var(--good);
      }
      .dot.failed {
        background: var(--bad);
      }
      .bar {
        display: flex;
        align-items: center;
        gap: 0.75rem;
        border-radius: 0;
        padding: 0.55rem 1.25rem;
      }
      .bar span {
        flex: 1;
      }
      main {
        min-height: 0;
      }
      main:focus-visible {
        outline-offset: -2px;
      }
      .skip {
        position: absolute;
        z-index: 1;
        top: 0.5rem;
        left: 1rem;
        padding: 0.35rem 0.9rem;
        border-radius: 999px;
        background: var(--surface);
        color: var(--text);
        translate: 0 -4rem;
      }
      .skip:focus {
        translate: none;
      }
      @media (max-width: 40rem) {
        :host {
          grid-template: auto auto minmax(0, 1fr) auto / minmax(0, 1fr);
        }
        header {
          padding: 0.55rem 1rem;
        }
        nav {
          grid-row: 4;
          justify-content: space-around;
          border-top: 1px solid var(--line);
          padding: 0.35rem 0.25rem calc(0.35rem + env(safe-area-inset-bottom));
        }
        nav a {
          padding: 0.55rem 0.35rem;
          font-size: 0.8rem;
          white-space: nowrap;
        }
      }
    `,
  ];

  readonly #narrow = matchMedia('(max-width: 40rem)');
  readonly #onResize = () => this.requestUpdate();
  #stopDrops: () => void = () => {};
  /** Whether the view has changed while the focus is still on the link to it. */
  #viewChanged = false;
  readonly #onNavigate = () => {
    const former = this.route?.name;
    this.route = viewOf(location.hash);
    this.#viewChanged ||= former !== undefined && former !== this.route.name;
    this.loadError = undefined;
    if (this.route.name === 'models') void this.app.refresh();
  };

  override connectedCallback() {
    super.connectedCallback();
    addEventListener('hashchange', this.#onNavigate);
    this.#narrow.addEventListener('change', this.#onResize);
    this.#stopDrops = takeDroppedModels(window, (files) => this.#addModels(files));
    this.#onNavigate();
    keepFocus(() => this.#main);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener('hashchange', this.#onNavigate);
    this.#narrow.removeEventListener('change', this.#onResize);
    this.#stopDrops();
  }

  #addModels(files: File[]) {
    location.hash = linkTo('models');
    void this.app.addedFiles.add(files);
  }

  override render() {
    const { route, app } = this;
    const links = html`<nav aria-label=${appStrings.title}>
      ${Object.entries<View>(VIEWS).map(([name, { hidden }]) =>
        hidden
          ? nothing
          : html`<a href=${linkTo(name)} aria-current=${route.name === name ? 'page' : nothing}
              >${appStrings.nav[name as ViewName]}</a
            >`,
      )}
    </nav>`;
    const narrow = this.#narrow.matches;
    return html`
      <a class="skip" href="#main" @click=${this.#skip}>${appStrings.skip}</a>
      <header>
        <a class="name" href="#/">
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path
              fill="currentColor"
              d="M7.5 4h9A3.5 3.5 0 0 1 20 7.5V16a1 1 0 0 0 1 1h1v3H2v-3h1a1 1 0 0 0 1-1V7.5A3.5 3.5 0 0 1 7.5 4Z"
            />
            <circle cx="12" cy="12" r="2.6" fill="var(--bg)" />
          </svg>
          ${appStrings.title}
        </a>
        ${narrow ? nothing : links}
        ${this.#device()}
      </header>
      ${this.#notice()}
      <main tabindex="-1" aria-label=${appStrings.nav[route.name]}>${keyed(app.server, this.#view())}</main>
      ${narrow ? links : nothing}
      <tabd-consent .app=${app}></tabd-consent>
    `;
  }

  get #main() {
    return this.renderRoot.querySelector<HTMLElement>('main');
  }

  override updated() {
    const view = this.#main?.firstElementChild;
    if (!this.#viewChanged || !view) return;
    this.#viewChanged = false;
    void this.#focusView();
  }

  #skip(event: Event) {
    event.preventDefault();
    void this.#focusView();
  }

  /** Moves the focus to the view's heading, for keyboards and screen readers. */
  async #focusView() {
    const view = this.#main?.firstElementChild;
    if (view instanceof AppElement) await view.updateComplete;
    // Elements inside the view render after it.
    await new Promise(requestAnimationFrame);
    const heading = view?.shadowRoot && headingIn(view.shadowRoot);
    if (heading && !heading.hasAttribute('tabindex')) heading.tabIndex = -1;
    (heading ?? this.#main)?.focus({ preventScroll: true });
  }

  #device() {
    const { app, status } = this;
    const isThisTab = app.server === 'tab';
    const state = isThisTab ? status.state : app.unreachable ? 'failed' : 'ready';
    const waits = isThisTab && status.state !== 'ready';
    return html`<div class="device" title=${isThisTab ? `${status.label}. ${app.deviceLabel}` : app.deviceLabel}>
      <span class="dot ${state}"></span>
      ${app.origins || !isThisTab ? this.#serverSelect() : nothing}
      <span role="status">${waits ? status.label : app.deviceLabel}</span>
    </div>`;
  }

  /** Which server the app shows and asks. */
  #serverSelect() {
    const { app } = this;
    const option = (name: ServerName, label: string) =>
      html`<option value=${name} .selected=${app.server === name}>${label}</option>`;
    return html`<select
      class="pill"
      aria-label=${appStrings.servers.label}
      @change=${({ target }: Event) => this.#selectServer((target as HTMLSelectElement).value as ServerName)}
    >
      ${option('tab', appStrings.servers.tab)} ${option('computer', app.remoteHost ? appStrings.servers.otherComputer(app.remoteHost) : appStrings.servers.computer)}
    </select>`;
  }

  #selectServer(server: ServerName) {
    // The address may name a workflow, which only the former server has.
    const [, view, inside] = location.hash.split('/');
    if (view === 'workflows' && inside) location.hash = linkTo(view);
    void this.app.selectServer(server);
  }

  #notice() {
    const { app, status } = this;
    const lost = app.server === 'computer' && app.unreachable;
    const where = new URL(app.origins?.['local-models'] ?? location.href).host;
    const notice = lost ? appStrings.servers.unreachable(where) : status.notice;
    const action = lost
      ? { label: appStrings.servers.useTab, run: () => this.#selectServer('tab') }
      : status.action;
    if (notice === undefined) return html`<div></div>`;
    return html`<div class="notice bar" role=${lost ? 'alert' : 'status'}>
      <span>${notice}</span>
      ${action ? html`<button @click=${() => action.run()}>${action.label}</button>` : nothing}
    </div>`;
  }

  #view() {
    const { name, rest } = this.route;
    const view: View = VIEWS[name];
    if (this.loadError !== undefined)
      return html`<div class="view"><div class="error" role="alert">${this.loadError}</div></div>`;
    if (!view.load || this.#loadedViews.has(name)) return view.show(this.app, rest);
    void this.#load(name, view.load);
    return nothing;
  }

  async #load(name: ViewName, load: () => Promise<unknown>) {
    try {
      await load();
      this.#loadedViews.add(name);
      this.requestUpdate();
    } catch (error) {
      if (this.route.name === name) this.loadError = errorMessage(error);
    }
  }
}

function headingIn(root: ParentNode): HTMLElement | undefined {
  for (const element of descendants(root)) if (element.localName === 'h1') return element;
  return undefined;
}

customElements.define('tabd-app', TabdApp);
