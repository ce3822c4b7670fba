import { css, html, nothing, type PropertyDeclarations } from 'lit';
import './consent-dialog.ts';
import { strings } from './strings.ts';
import { AppElement } from './ui/app-element.ts';
import { errorText } from './ui/error-text.ts';
import { controls, theme } from './ui/theme.ts';
import { linkTo, VIEWS, type View, type ViewName, viewOf } from './views.ts';

/** What the top of the page says about how this page is served. */
export interface Standing {
  label: string;
  state: 'starting' | 'ready' | 'failed';
  /** Shown as a bar below the top, with an action when there is one. */
  notice?: string;
  action?: { label: string; run(): void };
}

/** The frame around the views: name, navigation, device, notices. */
export class TabdApp extends AppElement {
  static override properties: PropertyDeclarations = {
    ...AppElement.properties,
    standing: { attribute: false },
    route: { state: true },
    broken: { state: true },
  };
  declare standing: Standing;
  declare route: { name: ViewName; rest: string };
  /** Why a view could not be loaded. */
  declare broken: string | undefined;
  readonly #loaded = new Set<ViewName>();

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
  readonly #resized = () => this.requestUpdate();
  readonly #navigated = () => {
    this.route = viewOf(location.hash);
    this.broken = undefined;
    if (this.route.name === 'models') void this.app.refresh();
  };

  override connectedCallback() {
    super.connectedCallback();
    addEventListener('hashchange', this.#navigated);
    this.#narrow.addEventListener('change', this.#resized);
    this.#navigated();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener('hashchange', this.#navigated);
    this.#narrow.removeEventListener('change', this.#resized);
  }

  override render() {
    const { standing, route, app } = this;
    const links = html`<nav aria-label=${strings.title}>
      ${Object.entries<View>(VIEWS).map(([name, { hidden }]) =>
        hidden
          ? nothing
          : html`<a href=${linkTo(name)} aria-current=${route.name === name ? 'page' : nothing}
              >${strings.nav[name as ViewName]}</a
            >`,
      )}
    </nav>`;
    const narrow = this.#narrow.matches;
    return html`
      <header>
        <a class="name" href="#/">
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path
              fill="currentColor"
              d="M7.5 4h9A3.5 3.5 0 0 1 20 7.5V16a1 1 0 0 0 1 1h1v3H2v-3h1a1 1 0 0 0 1-1V7.5A3.5 3.5 0 0 1 7.5 4Z"
            />
            <circle cx="12" cy="12" r="2.6" fill="var(--bg)" />
          </svg>
          ${strings.title}
        </a>
        ${narrow ? nothing : links}
        <div class="device" title=${`${standing.label}. ${app.deviceLabel}`}>
          <span class="dot ${standing.state}"></span>
          <span role="status">${standing.state === 'ready' ? app.deviceLabel : standing.label}</span>
        </div>
      </header>
      ${
        standing.notice === undefined
          ? html`<div></div>`
          : html`<div class="notice bar" role="status">
              <span>${standing.notice}</span>
              ${
                standing.action
                  ? html`<button @click=${() => standing.action?.run()}>${standing.action.label}</button>`
                  : nothing
              }
            </div>`
      }
      <main>${this.#view()}</main>
      ${narrow ? links : nothing}
      <tabd-consent .app=${app}></tabd-consent>
    `;
  }

  #view() {
    const { name, rest } = this.route;
    const view: View = VIEWS[name];
    if (this.broken !== undefined)
      return html`<div class="view"><div class="error" role="alert">${this.broken}</div></div>`;
    if (!view.load || this.#loaded.has(name)) return view.show(this.app, rest);
    void this.#load(name, view.load);
    return nothing;
  }

  async #load(name: ViewName, load: () => Promise<unknown>) {
    try {
      await load();
      this.#loaded.add(name);
      this.requestUpdate();
    } catch (error) {
      if (this.route.name === name) this.broken = errorText(error);
    }
  }
}

customElements.define('tabd-app', TabdApp);
