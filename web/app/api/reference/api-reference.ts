/** The reference of the three APIs, from the documents that the selected server answers. */
import { html, nothing, type PropertyDeclarations } from 'lit';
import { errorMessage } from '#core/base';
import { API_NAMES, type ApiName, DEFAULT_PORTS } from '#core/http';
import { apiStrings } from '../../strings/api.ts';
import { AppElement } from '../../ui/app-element.ts';
import { icon } from '../../ui/icon.ts';
import { controls } from '../../ui/styles/controls.ts';
import { scrolled } from '../../ui/styles/page.ts';
import { switches } from '../../ui/styles/switches.ts';
import { tables } from '../../ui/styles/tables.ts';
import { type CodeRequest, curlCommand, fetchCode, pythonCode } from '../request-code.ts';
import './coverage-table.ts';
import {
  exampleRequest,
  keyHeader,
  type OpenApiDocument,
  type Operation,
  operationsOf,
} from './operations.ts';
import { referenceStyles } from './reference-styles.ts';

const strings = apiStrings.reference;

/** Paths on an origin that all APIs share. A port of one API answers its own, too. */
const DOCUMENTS: Record<ApiName, string> = {
  'local-models': '/api/openapi.json',
  'image-workflows': '/internal/openapi.json',
  webhooks: '/api/v1/openapi.json',
};

type Language = keyof typeof strings.languages;

/** Fires `try` with a request for the form of the API view. */
export class ApiReference extends AppElement {
  static override properties: PropertyDeclarations = {
    ...AppElement.properties,
    documents: { state: true },
    search: { state: true },
    language: { state: true },
    copied: { state: true },
  };
  /** The documents, or the message of a failure. */
  declare documents: Partial<Record<ApiName, OpenApiDocument | string>>;
  declare search: string;
  declare language: Language;
  declare copied: string;
  /** The server that the documents are from. */
  #loaded: unknown;

  static override styles = [controls, scrolled, switches, tables, referenceStyles];

  constructor() {
    super();
    this.documents = {};
    this.search = '';
    this.language = 'curl';
    this.copied = '';
  }

  override willUpdate() {
    const { connection } = this.app;
    if (this.#loaded === connection) return;
    this.#loaded = connection;
    this.documents = {};
    for (const api of API_NAMES) void this.#load(api, connection);
  }

  async #load(api: ApiName, connection: ApiReference['app']['connection']) {
    let loaded: OpenApiDocument | string;
    try {
      const response = await connection.fetch(DOCUMENTS[api]);
      loaded = response.ok ? ((await response.json()) as OpenApiDocument) : `status ${response.status}`;
    } catch (error) {
      loaded = errorMessage(error);
    }
    if (this.#loaded === connection) this.documents = { ...this.documents, [api]: loaded };
  }

  override render() {
    return html`<div class="view">
      <a class="back" href="#/api">${icon('left')} ${strings.back}</a>
      <h1>${strings.heading}</h1>
      <p class="soft">${strings.subtitle}</p>
      <div class="tools">
        <input
          class="pill"
          type="search"
          aria-label=${strings.search}
          placeholder=${strings.search}
          .value=${this.search}
          @input=${(event: Event) => {
            this.search = (event.target as HTMLInputElement).value;
          }}
        />
        <span class="switch" role="group" aria-label=${strings.code}>
          ${(Object.keys(strings.languages) as Language[]).map(
            (language) => html`<button
              aria-pressed=${language === this.language}
              @click=${() => {
                this.language = language;
              }}
            >
              ${strings.languages[language]}
            </button>`,
          )}
        </span>
      </div>
      ${API_NAMES.map((api) => this.#api(api))}
    </div>`;
  }

  #api(api: ApiName) {
    const document = this.documents[api];
    const origin = this.#origin(api);
    return html`<section aria-labelledby=${api}>
      <h2 id=${api}>${apiStrings.coverage.apis[api]}</h2>
      ${
        document === undefined
          ? html`<p class="soft small" role="status">${strings.loading}</p>`
          : typeof document === 'string'
            ? html`<div class="error" role="alert">${strings.failed} ${document}</div>`
            : html`<p class="soft small">
                  <code>${origin}</code> · <a href=${this.app.server === 'tab' ? `.${DOCUMENTS[api]}` : `${origin}/openapi.json`} target="_blank">${strings.document}</a>
                </p>
                ${this.#operations(document, origin)}`
      }
    </section>`;
  }

  /** The port of the API where one is open, because most programs call that. */
  #origin(api: ApiName): string {
    return this.app.origins?.[api] ?? `http://localhost:${DEFAULT_PORTS[api]}`;
  }

  #operations(document: OpenApiDocument, origin: string) {
    const words = this.search.toLowerCase().split(/\s+/).filter(Boolean);
    const found = operationsOf(document).filter((operation) => {
      const text = [operation.method, operation.path, ...operation.fields.map(({ name }) => name)].join(' ');
      return words.every((word) => text.toLowerCase().includes(word));
    });
    if (found.length === 0) return html`<p class="soft small">${strings.noResults}</p>`;
    const key = keyHeader(document);
    return found.map((operation) => this.#operation(operation, key, origin));
  }

  #operation(operation: Operation, key: string | undefined, origin: string) {
    const { method, path, parameters, fields } = operation;
    return html`<details>
      <summary>
        <span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code>
      </summary>
      <div class="content">
        ${key === undefined ? nothing : html`<p class="soft small">${strings.needsKey(key)}</p>`}
        ${
          parameters.length === 0
            ? nothing
            : html`<h3>${strings.parameters}</h3>
                <p>${parameters.map((name) => html`<code>${name}</code> `)}</p>`
        }
        ${fields.length === 0 ? nothing : this.#fields(fields)} ${this.#code(operation, key, origin)}
      </div>
    </details>`;
  }

  #fields(fields: Operation['fields']) {
    return html`<h3>${strings.body}</h3>
      <dl>${fields.map(({ name, type }) => html`<div><dt><code>${name}</code></dt><dd class="soft">${type}</dd></div>`)}</dl>`;
  }

  #code(operation: Operation, key: string | undefined, origin: string) {
    const request = exampleRequest(operation, this.app.model ?? 'smollm2:135m');
    const code = codeOf(
      this.language,
      key === undefined ? request : { ...request, headers: { [key]: '…' } },
      origin,
    );
    const language = strings.languages[this.language];
    return html`<div class="code">
        <div class="head">
          <span>${language}</span>
          <button class="plain" aria-label=${strings.copy(language)} @click=${() => this.#copy(code)}>
            ${this.copied === code ? apiStrings.copied : apiStrings.copy}
          </button>
        </div>
        <pre tabindex="0"><code>${code}</code></pre>
      </div>
      <button class="small" @click=${() => this.dispatchEvent(new CustomEvent<CodeRequest>('try', { detail: request }))}>
        ${strings.tryIt}
      </button>`;
  }

  async #copy(code: string) {
    await navigator.clipboard.writeText(code);
    this.copied = code;
    setTimeout(() => {
      this.copied = '';
    }, 1500);
  }
}

function codeOf(language: Language, request: CodeRequest, origin: string): string {
  if (language === 'fetch') return fetchCode(request);
  return language === 'curl' ? curlCommand(request, origin) : pythonCode(request, origin);
}

customElements.define('tabd-api-reference', ApiReference);
