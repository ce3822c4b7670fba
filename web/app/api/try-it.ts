import { css, html, nothing } from 'lit';
import { errorMessage } from '#core/base';
import { apiStrings } from '../strings/api.ts';
import { AppElement } from '../ui/app-element.ts';
import { bytes } from '../ui/format.ts';
import { controls } from '../ui/styles/controls.ts';

const strings = apiStrings.console;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];
/** The most characters of a response to show. */
const MAX_SHOWN = 100_000;

interface Example {
  label: string;
  method: string;
  path: string;
  body?: (model: string) => unknown;
}

const ask = [{ role: 'user', content: 'Why is the sky blue?' }];
const EXAMPLES: Example[] = [
  {
    label: strings.examples.chat,
    method: 'POST',
    path: '/api/chat',
    body: (model) => ({ model, messages: ask }),
  },
  {
    label: strings.examples.openai,
    method: 'POST',
    path: '/v1/chat/completions',
    body: (model) => ({ model, messages: ask, stream: true }),
  },
  {
    label: strings.examples.anthropic,
    method: 'POST',
    path: '/v1/messages',
    body: (model) => ({ model, max_tokens: 256, messages: ask }),
  },
  { label: strings.examples.models, method: 'GET', path: '/api/tags' },
  { label: strings.examples.loaded, method: 'GET', path: '/api/ps' },
  { label: strings.examples.nodes, method: 'GET', path: '/object_info' },
  { label: strings.examples.queue, method: 'GET', path: '/queue' },
];

/** Sends one request to the selected server and shows the response while it arrives. */
export class TryIt extends AppElement {
  static override properties = {
    ...AppElement.properties,
    method: { state: true },
    path: { state: true },
    body: { state: true },
    head: { state: true },
    answer: { state: true },
    note: { state: true },
    failure: { state: true },
    abort: { state: true },
  };
  declare method: string;
  declare path: string;
  declare body: string;
  declare head: string | undefined;
  declare answer: string;
  declare note: string;
  declare failure: string | undefined;
  declare abort: AbortController | undefined;

  static override styles = [
    controls,
    css`
      .line {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem;
        margin-bottom: 0.5rem;
      }
      .line input {
        flex: 1 1 12rem;
      }
      textarea {
        min-height: 6rem;
        margin-bottom: 0.5rem;
      }
      pre {
        max-height: 24rem;
        overflow: auto;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
        margin-top: 0.5rem;
      }
      .error {
        margin-top: 0.5rem;
      }
    `,
  ];

  constructor() {
    super();
    this.method = 'GET';
    this.path = '/api/tags';
    this.body = '';
    this.answer = '';
    this.note = '';
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.abort?.abort();
  }

  /** Fills in a request without sending it. */
  fill({ method, path, body = '' }: { method: string; path: string; body?: string }): void {
    this.#clearAnswer();
    Object.assign(this, { method, path, body });
    this.renderRoot.querySelector<HTMLSelectElement>('select')!.value = '';
    this.scrollIntoView({ block: 'nearest' });
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('#path')?.focus());
  }

  /** The answer of the former request does not belong to another one. */
  #clearAnswer() {
    this.abort?.abort();
    Object.assign(this, { head: undefined, answer: '', note: '', failure: undefined });
  }

  get #hasBody(): boolean {
    return this.method !== 'GET' && this.method !== 'HEAD';
  }

  override render() {
    return html`<form @submit=${this.#send}>
        <div class="line">
          <select class="pill" aria-label=${strings.example} @change=${this.#example}>
            <option value="">${strings.example}</option>
            ${EXAMPLES.map(({ label }, at) => html`<option value=${at}>${label}</option>`)}
          </select>
        </div>
        <div class="line">
          <select
            class="pill"
            aria-label=${apiStrings.live.method}
            @change=${(event: Event) => {
              this.method = (event.target as HTMLSelectElement).value;
            }}
          >
            ${METHODS.map((method) => html`<option ?selected=${method === this.method}>${method}</option>`)}
          </select>
          <input
            id="path"
            class="pill mono"
            type="text"
            aria-label=${apiStrings.live.path}
            spellcheck="false"
            autocomplete="off"
            .value=${this.path}
            @input=${(event: Event) => {
              this.path = (event.target as HTMLInputElement).value;
            }}
          />
          <span
            >${
              this.abort
                ? html`<button type="button" @click=${() => this.abort?.abort()}>${strings.stop}</button>`
                : html`<button class="primary">${strings.send}</button>`
            }</span
          >
        </div>
        ${
          this.#hasBody
            ? html`<textarea
                class="mono"
                aria-label=${strings.body}
                spellcheck="false"
                .value=${this.body}
                @input=${(event: Event) => {
                  this.body = (event.target as HTMLTextAreaElement).value;
                }}
              ></textarea>`
            : nothing
        }
      </form>
      ${this.failure ? html`<div class="error" role="alert">${this.failure}</div>` : nothing}
      ${
        this.head
          ? html`<div role="status" class="small num"><strong>${this.head}</strong> <span class="soft">${this.note}</span></div>
              ${this.answer === '' ? nothing : html`<pre tabindex="0" aria-label=${strings.answer}>${this.answer}</pre>`}`
          : nothing
      }`;
  }

  #example(event: Event) {
    const select = event.target as HTMLSelectElement;
    const example = EXAMPLES[Number(select.value)];
    if (select.value === '' || !example) return;
    this.#clearAnswer();
    const body = example.body?.(this.app.model ?? 'smollm2:135m');
    Object.assign(this, {
      method: example.method,
      path: example.path,
      body: body === undefined ? '' : JSON.stringify(body, null, 2),
    });
  }

  async #send(event: SubmitEvent) {
    event.preventDefault();
    if (this.abort || this.path.trim() === '') return;
    const abort = new AbortController();
    Object.assign(this, { abort, head: undefined, answer: '', note: '', failure: undefined });
    const began = performance.now();
    const took = () => apiStrings.live.duration(performance.now() - began);
    try {
      const sent = this.#hasBody && this.body !== '';
      const response = await this.app.connection.fetch(
        this.path.startsWith('/') ? this.path : `/${this.path}`,
        {
          method: this.method,
          signal: abort.signal,
          ...(sent && { body: this.body, headers: { 'content-type': contentTypeOf(this.body) } }),
        },
      );
      this.head = `${response.status} ${response.headers.get('content-type') ?? ''}`.trim();
      this.note = took();
      const size = await this.#read(response);
      this.note = `${took()} · ${bytes(size)}`;
    } catch (error) {
      this.failure = abort.signal.aborted ? strings.stopped : errorMessage(error);
    }
    this.abort = undefined;
  }

  async #read(response: Response): Promise<number> {
    const decoder = new TextDecoder();
    const text = /^(text\/|application\/(.*json|.*xml|javascript))/.test(
      response.headers.get('content-type') ?? '',
    );
    let size = 0;
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (!text) this.answer = strings.notText;
      else if (this.answer.length < MAX_SHOWN)
        this.answer = (this.answer + decoder.decode(chunk, { stream: true })).slice(0, MAX_SHOWN);
    }
    if (text && this.answer.length < MAX_SHOWN) this.answer = pretty(this.answer);
    return size;
  }
}

function contentTypeOf(body: string): string {
  return /^\s*[{["]/.test(body) ? 'application/json' : 'text/plain';
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

customElements.define('tabd-try-it', TryIt);
