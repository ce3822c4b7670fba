import { html, nothing, type PropertyDeclarations } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { errorMessage } from '#core/base';
import './consent-dialog.ts';
import { takeDroppedModels } from './models/files/dropped-models.ts';
import type { ServerStatus } from './server-status.ts';
import type { ServerName } from './servers/connection.ts';
import { type AppKey, appKeyOf } from './shell/app-keys.ts';
import { appStyles } from './shell/app-styles.ts';
import { appStrings } from './strings/app.ts';
import { AppElement } from './ui/app-element.ts';
import { applyColorScheme, COLOR_SCHEMES, readColorScheme, storeColorScheme } from './ui/color-scheme.ts';
import { type IconName, icon } from './ui/icon.ts';
import { descendants, keepFocus } from './ui/keep-focus.ts';
import { controls } from './ui/styles/controls.ts';
import { theme } from './ui/styles/theme.ts';
import { toasts } from './ui/toasts.ts';
import { linkTo, VIEWS, type View, type ViewName, viewOf } from './views.ts';

/** An element of `shell/overlays.ts`. */
interface Overlay extends HTMLElement {
  show(): Promise<void>;
}

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

  static override styles = [theme, controls, appStyles];

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
    const label = appStrings.nav[this.route.name];
    document.title = this.route.name === 'chat' ? appStrings.title : `${label} · ${appStrings.title}`;
    if (this.route.name === 'models') void this.app.refresh();
  };

  override connectedCallback() {
    super.connectedCallback();
    addEventListener('hashchange', this.#onNavigate);
    this.#narrow.addEventListener('change', this.#onResize);
    this.#stopDrops = takeDroppedModels(window, (files) => this.#addModels(files));
    addEventListener('keydown', this.#onKeydown);
    const overlays = () => void import('./shell/overlays.ts');
    toasts.addEventListener('change', overlays, { once: true });
    // The tooltips are among them.
    for (const type of ['pointerover', 'keydown']) addEventListener(type, overlays, { once: true });
    this.#onNavigate();
    keepFocus(() => this.#main);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener('hashchange', this.#onNavigate);
    removeEventListener('keydown', this.#onKeydown);
    this.#narrow.removeEventListener('change', this.#onResize);
    this.#stopDrops();
  }

  #addModels(files: File[]) {
    location.hash = linkTo('models');
    void this.app.addedFiles.add(files);
  }

  readonly #onKeydown = (event: KeyboardEvent) => {
    const key = appKeyOf(event);
    if (key === undefined) return;
    // A plain key may belong to the view, whose listeners come later.
    if (key === 'shortcuts') setTimeout(() => event.defaultPrevented || void this.#open(key));
    else {
      event.preventDefault();
      void this.#open(key);
    }
  };

  /** Opens the palette or the list of shortcuts, or starts a new chat. */
  async #open(key: AppKey) {
    if (key === 'new-chat') return this.#newChat();
    await import('./shell/overlays.ts');
    await this.renderRoot
      .querySelector<Overlay>(key === 'shortcuts' ? 'tabd-shortcuts' : 'tabd-palette')
      ?.show();
  }

  #newChat() {
    this.app.chats.startNew();
    location.hash = '#/';
    if (this.route.name === 'chat') dispatchEvent(new Event('tabd-focus-composer'));
  }

  #switchColorScheme() {
    const now = COLOR_SCHEMES.indexOf(readColorScheme());
    const next = COLOR_SCHEMES[(now + 1) % COLOR_SCHEMES.length]!;
    storeColorScheme(next);
    applyColorScheme(next);
    this.requestUpdate();
  }

  override render() {
    const { route, app } = this;
    const narrow = this.#narrow.matches;
    const logo = html`<a class="name" href="#/">
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path
          fill="currentColor"
          d="M7.5 4h9A3.5 3.5 0 0 1 20 7.5V16a1 1 0 0 0 1 1h1v3H2v-3h1a1 1 0 0 0 1-1V7.5A3.5 3.5 0 0 1 7.5 4Z"
        />
        <circle cx="12" cy="12" r="2.6" fill="var(--bg)" />
      </svg>
      ${appStrings.title}
    </a>`;
    return html`
      <a class="skip" href="#main" @click=${this.#skip}>${appStrings.skip}</a>
      ${narrow ? nothing : html`<div class="rail">${logo} ${this.#links()} ${this.#railButtons()}</div>`}
      <header>
        ${narrow ? logo : this.#paletteButton()}
        ${this.#device()}
      </header>
      ${this.#notice()}
      <main tabindex="-1" aria-label=${appStrings.nav[route.name]}>${keyed(app.server, this.#view())}</main>
      ${narrow ? this.#links() : nothing}
      <tabd-consent .app=${app}></tabd-consent>
      <tabd-shortcuts></tabd-shortcuts>
      <tabd-palette .app=${app} .views=${VIEWS}></tabd-palette>
      <tabd-toasts></tabd-toasts>
    `;
  }

  #links() {
    return html`<nav aria-label=${appStrings.title}>
      ${Object.entries<View>(VIEWS).map(([name, view]) =>
        view.icon
          ? html`<a href=${linkTo(name)} aria-current=${this.route.name === name ? 'page' : nothing}
              ><span class="mark">${icon(view.icon)}</span>${appStrings.nav[name as ViewName]}</a
            >`
          : nothing,
      )}
    </nav>`;
  }

  #railButtons() {
    const scheme = appStrings.colorScheme(readColorScheme());
    const button = (label: string, drawing: IconName, run: () => void, keys?: string) =>
      html`<button
        class="plain round"
        aria-label=${label}
        aria-keyshortcuts=${keys ?? nothing}
        data-tip=${label}
        data-tip-side="right"
        @click=${run}
      >
        ${icon(drawing)}
      </button>`;
    return html`<div class="tools">
      ${button(scheme, 'theme', () => this.#switchColorScheme())}
      ${button(appStrings.shortcuts.title, 'keyboard', () => this.#open('shortcuts'), '?')}
    </div>`;
  }

  #paletteButton() {
    return html`<button class="palette" aria-keyshortcuts="Control+K" @click=${() => this.#open('palette')}>
      ${icon('search')} ${appStrings.palette.open} <kbd>${appStrings.palette.key}</kbd>
    </button>`;
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
    return html`<div class="device" data-tip=${isThisTab ? `${status.label}. ${app.deviceLabel}` : app.deviceLabel}>
      <span class="dot ${state}"></span>
      <span role="status">${waits ? status.label : app.deviceLabel}</span>
      ${app.origins || !isThisTab ? this.#serverSelect() : nothing}
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
      aria-description=${appStrings.servers.hint}
      data-tip=${appStrings.servers.hint}
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
