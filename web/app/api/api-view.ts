import { css, html } from 'lit';
import { strings } from '../strings.ts';
import { AppElement } from '../ui/app-element.ts';
import { controls, scrolled } from '../ui/theme.ts';
import './ports-switch.ts';
import './request-list.ts';
import type { SeenRequest } from './requests.ts';
import './try-it.ts';
import { shimPort, USUAL_PORT } from './shim-port.ts';
import { snippets } from './snippets.ts';
import type { TryIt } from './try-it.ts';

/** How to call the API from the page and from a terminal. */
export class ApiView extends AppElement {
  static override properties = {
    ...AppElement.properties,
    copied: { state: true },
    port: { state: true },
  };
  declare copied: string;
  declare port: string;

  constructor() {
    super();
    this.port = USUAL_PORT;
  }

  override connectedCallback() {
    super.connectedCallback();
    void shimPort().then((port) => {
      this.port = port ?? USUAL_PORT;
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
      h3 {
        font-size: 0.85rem;
        font-weight: 550;
        color: var(--soft);
        margin: 1rem 0 0.4rem;
      }
    `,
  ];

  override render() {
    const code = snippets(this.app.model ?? 'smollm2:135m', location.origin, this.port);
    return html`<div class="view">
      <h1>${strings.api.heading}</h1>
      <h2>${strings.api.page}</h2>
      <p class="soft">${strings.api.pageSub}</p>
      ${this.#snippet(code.fetch)}
      <h3>${strings.api.ollama}</h3>
      ${this.#snippet(code.ollama)}
      <h3>${strings.api.openai}</h3>
      ${this.#snippet(code.openai)}
      <h2>${strings.api.terminal}</h2>
      <p class="soft">${strings.api.terminalSub}</p>
      ${this.#snippet(code.curl)} ${this.#snippet(code.cli)}
      <tabd-ports-switch .app=${this.app}></tabd-ports-switch>
      <h2>${strings.api.console.heading}</h2>
      <tabd-try-it .app=${this.app}></tabd-try-it>
      <h2>${strings.api.live.heading}</h2>
      <p class="soft small">${strings.api.live.sub}</p>
      <tabd-requests
        .app=${this.app}
        .port=${this.port}
        @again=${({ detail }: CustomEvent<SeenRequest>) =>
          this.renderRoot.querySelector<TryIt>('tabd-try-it')?.fill(detail)}
      ></tabd-requests>
    </div>`;
  }

  #snippet(code: string) {
    return html`<div class="snippet">
      <pre tabindex="0"><code>${code}</code></pre>
      <button class="plain" @click=${() => this.#copy(code)}>
        ${this.copied === code ? strings.api.copied : strings.api.copy}
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
