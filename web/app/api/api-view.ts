import { css, html } from 'lit';
import { apiStrings } from '../strings/api.ts';
import { AppElement } from '../ui/app-element.ts';
import { controls } from '../ui/styles/controls.ts';
import { scrolled } from '../ui/styles/page.ts';
import './ports-switch.ts';
import type { CodeRequest } from './request-code.ts';
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
    section: { attribute: false },
  };
  declare copied: string;
  declare address: string;
  /** `reference` shows the routes in place of the examples. */
  declare section: string;

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
        margin-bottom: 0.75rem;
        overflow: hidden;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--sunken);
      }
      .snippet pre {
        border-radius: 0;
      }
      .snippet .head {
        display: flex;
        justify-content: space-between;
        align-items: center;
        padding: 0.15rem 0.35rem 0.15rem 1rem;
        border-bottom: 1px solid var(--line);
        font: 0.75rem var(--mono);
        color: var(--soft);
      }
      .snippet button {
        min-height: 1.7rem;
        font-size: var(--text-xs);
      }
    `,
  ];

  override render() {
    if (this.section === 'reference') {
      void import('./reference/api-reference.ts');
      return html`<tabd-api-reference
        .app=${this.app}
        @try=${({ detail }: CustomEvent<CodeRequest>) => this.#try(detail)}
      ></tabd-api-reference>`;
    }
    const code = snippets(this.app.model ?? 'smollm2:135m', location.origin, this.address);
    return html`<div class="view">
      <h1>${apiStrings.heading}</h1>
      <h2>${apiStrings.page}</h2>
      <p class="soft">${apiStrings.pageSub}</p>
      ${this.#snippet(code.fetch, 'javascript')}
      <h3>${apiStrings.ollama}</h3>
      ${this.#snippet(code.ollama, 'javascript')}
      <h3>${apiStrings.openai}</h3>
      ${this.#snippet(code.openai, 'javascript')}
      <h2>${apiStrings.terminal}</h2>
      <p class="soft">${apiStrings.terminalSub}</p>
      ${this.#snippet(code.curl, 'shell')} ${this.#snippet(code.cli, 'shell')}
      <tabd-ports-switch .app=${this.app}></tabd-ports-switch>
      <h2>${apiStrings.console.heading}</h2>
      <tabd-try-it .app=${this.app}></tabd-try-it>
      <h2>${apiStrings.live.heading}</h2>
      <p class="soft small">${this.app.server === 'tab' ? apiStrings.live.subtitle : apiStrings.live.subComputer}</p>
      <tabd-requests
        .app=${this.app}
        .address=${this.address}
        @again=${({ detail }: CustomEvent<LoggedRequest>) => this.#fill(detail)}
      ></tabd-requests>
      <h2>${apiStrings.coverage.heading}</h2>
      <p class="soft small">${apiStrings.coverage.subtitle}</p>
      <p><a href="#/api/reference">${apiStrings.reference.open}</a></p>
      <details @toggle=${this.#loadCoverage}>
        <summary>${apiStrings.coverage.show}</summary>
        <tabd-coverage></tabd-coverage>
      </details>
    </div>`;
  }

  /** The element renders as soon as this import defines it. */
  #loadCoverage() {
    void import('./reference/api-reference.ts');
  }

  #fill(request: { method: string; path: string; body?: string }) {
    this.renderRoot.querySelector<TryIt>('tabd-try-it')?.fill(request);
  }

  /** Shows the form with a request of the reference. */
  async #try(request: CodeRequest) {
    location.hash = '#/api';
    this.section = '';
    await this.updateComplete;
    this.#fill(request);
  }

  #snippet(code: string, language: string) {
    return html`<div class="snippet">
      <div class="head">
        <span>${language}</span>
        <button class="plain" @click=${() => this.#copy(code)}>
          ${this.copied === code ? apiStrings.copied : apiStrings.copy}
        </button>
      </div>
      <pre tabindex="0"><code>${code}</code></pre>
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
