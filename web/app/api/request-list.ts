import { css, html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { type RequestNote, requestChannel, WATCH_DURATION, type WatchMessage } from '#relay';
import { api } from '../strings/api.ts';
import { AppElement } from '../ui/app-element.ts';
import { bytes } from '../ui/format.ts';
import { controls } from '../ui/theme.ts';
import { type SeenRequest, withNote } from './logged-requests.ts';
import { asCurl, asFetch } from './request-code.ts';
import { tables } from './table-styles.ts';

const words = api.live;

/** The requests that are answered while this is open, from whatever page, worker or port they come. */
export class RequestList extends AppElement {
  static override properties = {
    ...AppElement.properties,
    port: { attribute: false },
    seen: { state: true },
    opened: { state: true },
    copied: { state: true },
  };
  /** Address for programs outside of the browser: `localhost:11434`. */
  declare port: string;
  declare seen: readonly SeenRequest[];
  declare opened: string | undefined;
  declare copied: string | undefined;
  #channel: BroadcastChannel | undefined;
  #watching: ReturnType<typeof setInterval> | undefined;

  static override styles = [
    controls,
    tables,
    css`
      .scroll {
        overflow-x: auto;
      }
      th,
      td {
        padding: 0.3rem 0.75rem 0.3rem 0;
        white-space: nowrap;
      }
      td.path {
        width: 100%;
        max-width: 0;
      }
      td.path button {
        display: block;
        max-width: 100%;
        overflow: hidden;
        text-overflow: ellipsis;
        text-align: left;
        font: 0.83rem var(--mono);
        color: var(--text);
        padding: 0.2rem 0.4rem;
        margin-left: -0.4rem;
      }
      .end {
        text-align: right;
      }
      /* No room for columns: the path, and below it what became of it. */
      @media (max-width: 40rem) {
        table,
        tbody,
        tr,
        td {
          display: block;
        }
        thead {
          position: absolute;
          clip-path: inset(50%);
        }
        tr {
          display: flex;
          flex-wrap: wrap;
          align-items: baseline;
          gap: 0.1rem 0.8rem;
          padding: 0.45rem 0 0.55rem;
          border-bottom: 1px solid var(--line);
        }
        tr:has(+ .opened) {
          border: 0;
        }
        td {
          border: 0;
          padding: 0;
          font-size: 0.8rem;
          color: var(--soft);
        }
        td:empty {
          display: none;
        }
        td.path {
          order: -1;
          flex: 1 0 100%;
          max-width: none;
        }
        td.path button {
          white-space: normal;
          overflow-wrap: anywhere;
        }
        td.more {
          width: 100%;
          padding: 0;
          color: inherit;
        }
      }
      td.bad,
      .bad {
        color: var(--bad);
      }
      .more {
        white-space: normal;
        padding-bottom: 0.75rem;
      }
      .more pre {
        max-height: 14rem;
        overflow: auto;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      .buttons {
        display: flex;
        flex-wrap: wrap;
        gap: 0.4rem;
        margin-top: 0.5rem;
      }
    `,
  ];

  constructor() {
    super();
    this.seen = [];
  }

  override connectedCallback() {
    super.connectedCallback();
    const channel = new BroadcastChannel(requestChannel(this.app.backend.scope));
    channel.onmessage = ({ data }: MessageEvent<RequestNote | WatchMessage>) => {
      if ('note' in data) this.seen = withNote(this.seen, data);
    };
    const watch = () => channel.postMessage({ watch: true } satisfies WatchMessage);
    watch();
    this.#watching = setInterval(watch, WATCH_DURATION / 3);
    this.#channel = channel;
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.#watching);
    this.#channel?.close();
  }

  override render() {
    if (this.seen.length === 0) return html`<p class="soft" role="status">${words.none}</p>`;
    return html`<div class="scroll" tabindex="0" role="region" aria-label=${words.heading}>
        <table role="table">
          <thead role="rowgroup">
            <tr role="row">
              <th role="columnheader">${words.method}</th>
              <th role="columnheader">${words.path}</th>
              <th role="columnheader">${words.status}</th>
              <th role="columnheader" class="end">${words.time}</th>
              <th role="columnheader" class="end">${words.size}</th>
              <th role="columnheader" class="end" title=${words.tokensTitle}>${words.tokens}</th>
            </tr>
          </thead>
          <tbody role="rowgroup">
            ${repeat(
              this.seen,
              ({ id }) => id,
              (one) => this.#row(one),
            )}
          </tbody>
        </table>
      </div>
      <div class="buttons">
        <button
          class="plain"
          @click=${() => {
            this.seen = [];
          }}
        >
          ${words.clear}
        </button>
      </div>`;
  }

  #row(one: SeenRequest) {
    const { id, method, path, status, ms, bytes: size, error, over, listener } = one;
    const open = this.opened === id;
    const failed = error !== undefined || (status !== undefined && status >= 400);
    return html`<tr role="row">
        <td role="cell">${method}</td>
        <td class="path" role="cell">
          <button
            class="plain"
            title=${path}
            aria-expanded=${open}
            @click=${() => {
              this.opened = open ? undefined : id;
            }}
          >
            ${path}
          </button>
        </td>
        <td role="cell" class=${failed ? 'bad' : ''}>${status ?? words.waiting}${over || status === undefined ? nothing : '…'}</td>
        <td class="num end" role="cell">${ms === undefined ? '' : words.ms(ms)}</td>
        <td class="num end" role="cell">${size === undefined ? '' : bytes(size)}</td>
        <td class="num end" role="cell">${one.tokens ? words.counts(one.tokens) : ''}</td>
      </tr>
      ${
        open
          ? html`<tr class="opened" role="row">
              <td class="more" colspan="6" role="cell">
                ${listener === 'origin' ? nothing : html`<p class="soft small">${words.byPort(listener)}</p>`}
                ${error ? html`<p class="bad">${error}</p>` : nothing}
                ${
                  one.body
                    ? html`<pre tabindex="0">${one.body}${one.cut ? '…' : ''}</pre>`
                    : html`<p class="soft small">${words.noBody}</p>`
                }
                ${
                  one.cut
                    ? html`<p class="soft small">${words.cut}</p>`
                    : html`<div class="buttons">
                        ${this.#copyButton(`curl ${id}`, words.curl, asCurl(one, `http://${this.port}`))}
                        ${this.#copyButton(`fetch ${id}`, words.fetch, asFetch(one))}
                        <button
                          @click=${() => this.dispatchEvent(new CustomEvent<SeenRequest>('again', { detail: one }))}
                        >
                          ${words.again}
                        </button>
                      </div>`
                }
              </td>
            </tr>`
          : nothing
      }`;
  }

  #copyButton(key: string, label: string, code: string) {
    return html`<button @click=${() => this.#copy(key, code)}>
      ${this.copied === key ? api.copied : label}
    </button>`;
  }

  async #copy(key: string, code: string) {
    await navigator.clipboard.writeText(code);
    this.copied = key;
    setTimeout(() => {
      this.copied = undefined;
    }, 1500);
  }
}

customElements.define('tabd-requests', RequestList);
