import { css, html } from 'lit';
import { apiStrings } from '../strings/api.ts';
import { AppElement } from '../ui/app-element.ts';
import { controls } from '../ui/styles/controls.ts';
import { scrolled } from '../ui/styles/page.ts';
import './ports-switch.ts';
import './request-list.ts';
import type { LoggedRequest } from './logged-requests.ts';
import './try-it.ts';
import { DEFAULT_ADDRESS, shimAddress } from './shim-address.ts';
import { snippets } from './snippets.ts';
import type { TryIt } from './try-it.ts';

/** Shows how to call the API, a request form, the answered requests and the supported addresses. */
export class ApiView extends AppElement {
  static override properties = {
    ...AppElement.properties,
    copied: { state: true },
    address: { state: true },
  };
  declare copied: string;
  declare address: string;

  constructor() {
    super();
    this.address = DEFAULT_ADDRESS;
  }

  override connectedCallback() {
    super.connectedCallback();
    void shimAddress().then((address) => {
      this.address = address ?? DEFAULT_ADDRESS;
    });
  }

  static override styles = [
    controls,
    scrolled,
    css`
      .snippet {
        position: relative;
        margin-bottom: 0.75rem;
      }
      .snippet button {
        position: absolute;
        top: 0.4rem;
        right: 0.4rem;
        background: var(--surface);
        font-size: 0.8rem;
      }
    `,
  ];

  override render() {
    const code = snippets(this.app.model ?? 'smollm2:135m', location.origin, this.address);
    return html`<div class="view">
      <h1>${apiStrings.heading}</h1>
      <h2>${apiStrings.page}</h2>
      <p class="soft">${apiStrings.pageSub}</p>
      ${this.#snippet(code.fetch)}
      <h3>${apiStrings.ollama}</h3>
      ${this.#snippet(code.ollama)}
      <h3>${apiStrings.openai}</h3>
      ${this.#snippet(code.openai)}
      <h2>${apiStrings.terminal}</h2>
      <p class="soft">${apiStrings.terminalSub}</p>
      ${this.#snippet(code.curl)} ${this.#snippet(code.cli)}
      <tabd-ports-switch .app=${this.app}></tabd-ports-switch>
      <h2>${apiStrings.console.heading}</h2>
      <tabd-try-it .app=${this.app}></tabd-try-it>
      <h2>${apiStrings.live.heading}</h2>
      <p class="soft small">${this.app.server === 'tab' ? apiStrings.live.subtitle : apiStrings.live.subComputer}</p>
      <tabd-requests
        .app=${this.app}
        .address=${this.address}
        @again=${({ detail }: CustomEvent<LoggedRequest>) =>
          this.renderRoot.querySelector<TryIt>('tabd-try-it')?.fill(detail)}
      ></tabd-requests>
      <h2>${apiStrings.coverage.heading}</h2>
      <p class="soft small">${apiStrings.coverage.subtitle}</p>
      <details @toggle=${this.#loadCoverage}>
        <summary>${apiStrings.coverage.show}</summary>
        <tabd-coverage></tabd-coverage>
      </details>
    </div>`;
  }

  /** The element renders as soon as this import defines it. */
  #loadCoverage() {
    void import('./coverage-table.ts');
  }

  #snippet(code: string) {
    return html`<div class="snippet">
      <pre tabindex="0"><code>${code}</code></pre>
      <button class="plain" @click=${() => this.#copy(code)}>
        ${this.copied === code ? apiStrings.copied : apiStrings.copy}
      </button>
    </div>`;
  }

  async #copy(code: string) {
    await navigator.clipboard.writeText(code);
    this.copied = code;
    setTimeout(() => {
      this.copied = '';
    }, 1500);
  }
}

customElements.define('tabd-api', ApiView);
