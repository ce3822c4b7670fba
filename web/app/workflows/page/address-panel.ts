import { css, html, nothing, type PropertyDeclarations } from 'lit';
import '../../api/ports-switch.ts';
import type { AppState } from '../../app-state.ts';
import { workflowStrings } from '../../strings/workflows.ts';
import { ObservingElement } from '../../ui/observing-element.ts';
import { controls } from '../../ui/styles/controls.ts';
import { switches } from '../../ui/styles/switches.ts';
import type { Address } from '../api-types.ts';
import type { PageState } from '../editor/page-state.ts';
import { routeHash } from '../route.ts';
import { workflowStyles } from '../workflow-styles.ts';
import { callAsCurl, callAsFetch } from './call-code.ts';

/** The addresses of a workflow, whether they are reachable, and a test call. */
export class AddressPanel extends ObservingElement<PageState> {
  static override properties: PropertyDeclarations = {
    ...ObservingElement.properties,
    here: { type: Boolean },
    app: { attribute: false },
    copied: { state: true },
    mode: { state: true },
  };
  /** Whether code of this page reaches the workflow. */
  declare here: boolean;
  declare app: AppState;
  declare copied: string;
  declare mode: 'production' | 'test';

  static override styles = [
    controls,
    switches,
    workflowStyles,
    css`
      .card {
        padding: 0.9rem 1rem 1rem;
      }
      h2 {
        margin: 0;
      }
      .address {
        margin-top: 0.75rem;
        display: grid;
        gap: 0.35rem;
      }
      .url {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.3rem 0.6rem;
      }
      .url code {
        font: 0.84rem/1.5 var(--mono);
        overflow-wrap: anywhere;
      }
      .url b {
        font: 600 0.72rem var(--mono);
        padding: 0.1rem 0.45rem;
        border-radius: 6px;
        background: var(--accent-wash);
        color: var(--accent);
      }
      pre {
        padding: 0.6rem 0.8rem;
        font-size: 0.78rem;
      }
      .try {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.5rem 0.75rem;
        margin-top: 0.9rem;
      }
      .dot {
        width: 0.6rem;
        height: 0.6rem;
        border-radius: 50%;
        background: var(--accent);
        animation: pulse 1.2s ease-in-out infinite;
      }
      @keyframes pulse {
        50% {
          opacity: 0.25;
        }
      }
      .why {
        margin: 0.2rem 0 0;
      }
    `,
  ];

  constructor() {
    super();
    this.copied = '';
    this.mode = 'production';
  }

  override render() {
    const { addresses, emptyBody } = this.state.test;
    if (!addresses) return nothing;
    const shown = addresses[this.mode];
    return html`<section class="card" aria-label=${workflowStrings.address.heading}>
      <div class="head">
        <h2>${workflowStrings.address.heading}</h2>
        <span class="grow"></span>
        ${
          shown.length === 0
            ? nothing
            : html`<span class="switch" role="group" aria-label=${workflowStrings.address.heading}>
                ${this.#mode('production')} ${this.#mode('test')}
              </span>`
        }
      </div>
      ${shown.length === 0 ? html`<p class="hint soft small">${workflowStrings.address.noWebhook}</p>` : nothing}
      ${shown.map((address) => this.#address(address))}
      ${
        addresses.unreachable === undefined || shown.length === 0
          ? nothing
          : this.#unreachable(addresses.unreachable)
      }
      ${this.state.dirty && shown.length > 0 ? html`<p class="soft small why">${workflowStrings.address.unsaved}</p>` : nothing}
      ${shown.length === 0 ? nothing : this.#testControls()}
      ${emptyBody ? html`<div class="notice" role="status">${workflowStrings.address.emptyBody}</div>` : nothing}
    </section>`;
  }

  /** Why other programs do not reach the addresses, and the switch that changes it. */
  #unreachable(why: string) {
    return html`<div class="why">
      ${
        this.here && this.app.origins
          ? html`<tabd-ports-switch
              compact
              .app=${this.app}
              @switched=${() => this.state.attempt(() => this.state.test.loadAddresses())}
            ></tabd-ports-switch>`
          : html`<p class="soft small">${this.here ? workflowStrings.address.onlyHere : why}</p>`
      }
    </div>`;
  }

  #mode(mode: 'production' | 'test') {
    return html`<button
      aria-pressed=${this.mode === mode}
      @click=${() => {
        this.mode = mode;
      }}
    >
      ${workflowStrings.address[mode]}
    </button>`;
  }

  #address(address: Address) {
    const { phase, addresses } = this.state.test;
    const answers = this.mode === 'production' ? addresses?.published : phase === 'listening';
    const node = this.state.draft?.nodes.find(({ name }) => name === address.node);
    const idle =
      this.mode === 'production'
        ? workflowStrings.address.notPublished
        : workflowStrings.address.notListening;
    return html`<div class="address">
      <div class="url">
        ${address.methods.map((method) => html`<b>${method}</b>`)} <code>${address.url}</code>
        <span class="badge ${address.reachable ? 'good' : ''}"
          >${address.reachable ? workflowStrings.address.reachable : workflowStrings.address.unreachable}</span
        >
      </div>
      ${answers ? nothing : html`<span class="soft small">${idle}</span>`}
      <div class="buttons">
        ${this.#copy(address.url, workflowStrings.address.copyUrl)} ${this.#copy(callAsCurl(address, node), workflowStrings.address.copyCurl)}
      </div>
      ${
        this.here
          ? html`<span class="soft small">${workflowStrings.address.here}</span>
              <pre tabindex="0"><code>${callAsFetch(address)}</code></pre>`
          : nothing
      }
    </div>`;
  }

  #copy(text: string, label: string) {
    return html`<button class="small" data-tip=${text} @click=${() => this.#copyText(text)}>
      ${this.copied === text ? workflowStrings.address.copied : label}
    </button>`;
  }

  #testControls() {
    const { phase, runId } = this.state.test;
    const link =
      runId === undefined
        ? nothing
        : html`<a href=${routeHash({ screen: 'execution', id: this.state.id, execution: runId })}>${workflowStrings.address.openRun}</a>`;
    return html`<div class="try">
      ${
        phase === 'listening'
          ? html`<span class="dot" aria-hidden="true"></span>
              <button @click=${() => this.state.attempt(() => this.state.test.stop())}>${workflowStrings.address.stop}</button>`
          : html`<button
              ?disabled=${this.state.busy}
              @click=${() => {
                this.mode = 'test';
                void this.state.listen();
              }}
            >
              ${workflowStrings.address.listen}
            </button>`
      }
      <span class="soft small" role="status">
        ${phase === 'idle' ? nothing : workflowStrings.address[phase]} ${phase === 'received' ? link : nothing}
      </span>
    </div>`;
  }

  async #copyText(text: string) {
    await navigator.clipboard.writeText(text);
    this.copied = text;
    setTimeout(() => {
      this.copied = '';
    }, 1500);
  }
}

customElements.define('tabd-address-panel', AddressPanel);
