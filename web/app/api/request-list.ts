import { css, html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { type RequestNote, requestChannel, WATCH_DURATION, type WatchMessage } from '#relay';
import { apiStrings } from '../strings/api.ts';
import { AppElement } from '../ui/app-element.ts';
import { bytes } from '../ui/format.ts';
import { controls } from '../ui/styles/controls.ts';
import { tables } from '../ui/styles/tables.ts';
import { type LoggedRequest, withRequestNote } from './logged-requests.ts';
import { curlCommand, fetchCode } from './request-code.ts';

const strings = apiStrings.live;

/**
 * The requests answered while this element is open, from any page, worker or port. Fires `again` with a request that
 * the user wants to repeat.
 */
export class RequestList extends AppElement {
  static override properties = {
    ...AppElement.properties,
    address: { attribute: false },
    requests: { state: true },
    openedId: { state: true },
    copiedKey: { state: true },
  };
  /** Host and port for other programs, such as `localhost:11434`. */
  declare address: string;
  declare requests: readonly LoggedRequest[];
  declare openedId: string | undefined;
  declare copiedKey: string | undefined;
  #channel: BroadcastChannel | undefined;
  #watchTimer: ReturnType<typeof setInterval> | undefined;

  static override styles = [
    controls,
    tables,
    css`
      .scroll {
        overflow-x: auto;
      }
      th,
      td {
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
      /* Narrow: the path, and the other cells below it. */
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
        margin-top: 0.5rem;
      }
    `,
  ];

  constructor() {
    super();
    this.requests = [];
  }

  override connectedCallback() {
    super.connectedCallback();
    const channel = new BroadcastChannel(requestChannel(this.app.backend.scope));
    channel.onmessage = ({ data }: MessageEvent<RequestNote | WatchMessage>) => {
      if ('note' in data) this.requests = withRequestNote(this.requests, data);
    };
    const watch = () => channel.postMessage({ watch: true } satisfies WatchMessage);
    watch();
    this.#watchTimer = setInterval(watch, WATCH_DURATION / 3);
    this.#channel = channel;
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.#watchTimer);
    this.#channel?.close();
  }

  override render() {
    if (this.requests.length === 0) return html`<p class="soft" role="status">${strings.none}</p>`;
    return html`<div class="scroll" tabindex="0" role="region" aria-label=${strings.heading}>
        <table role="table">
          <thead role="rowgroup">
            <tr role="row">
              <th role="columnheader">${strings.method}</th>
              <th role="columnheader">${strings.path}</th>
              <th role="columnheader">${strings.status}</th>
              <th role="columnheader" class="end">${strings.time}</th>
              <th role="columnheader" class="end">${strings.size}</th>
              <th role="columnheader" class="end" title=${strings.tokensTitle}>${strings.tokens}</th>
            </tr>
          </thead>
          <tbody role="rowgroup">
            ${repeat(
              this.requests,
              ({ id }) => id,
              (request) => this.#row(request),
            )}
          </tbody>
        </table>
      </div>
      <div class="buttons">
        <button
          class="plain"
          @click=${() => {
            this.requests = [];
          }}
        >
          ${strings.clear}
        </button>
      </div>`;
  }

  #row(request: LoggedRequest) {
    const { id, method, path, status, ms, bytes: size, error, finished, listener } = request;
    const open = this.openedId === id;
    const failed = error !== undefined || (status !== undefined && status >= 400);
    return html`<tr role="row">
        <td role="cell">${method}</td>
        <td class="path" role="cell">
          <button
            class="plain"
            title=${path}
            aria-expanded=${open}
            @click=${() => {
              this.openedId = open ? undefined : id;
            }}
          >
            ${path}
          </button>
        </td>
        <td role="cell" class=${failed ? 'bad' : ''}>${status ?? strings.waiting}${finished || status === undefined ? nothing : '…'}</td>
        <td class="num end" role="cell">${ms === undefined ? '' : strings.duration(ms)}</td>
        <td class="num end" role="cell">${size === undefined ? '' : bytes(size)}</td>
        <td class="num end" role="cell">${request.tokens ? strings.counts(request.tokens) : ''}</td>
      </tr>
      ${
        open
          ? html`<tr class="opened" role="row">
              <td class="more" colspan="6" role="cell">
                ${listener === 'origin' ? nothing : html`<p class="soft small">${strings.byPort(listener)}</p>`}
                ${error ? html`<p class="bad">${error}</p>` : nothing}
                ${
                  request.body
                    ? html`<pre tabindex="0">${request.body}${request.cut ? '…' : ''}</pre>`
                    : html`<p class="soft small">${strings.noBody}</p>`
                }
                ${
                  request.cut
                    ? html`<p class="soft small">${strings.truncated}</p>`
                    : html`<div class="buttons">
                        ${this.#copyButton(`curl ${id}`, strings.curl, curlCommand(request, `http://${this.address}`))}
                        ${this.#copyButton(`fetch ${id}`, strings.fetch, fetchCode(request))}
                        <button
                          @click=${() => this.dispatchEvent(new CustomEvent<LoggedRequest>('again', { detail: request }))}
                        >
                          ${strings.edit}
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
      ${this.copiedKey === key ? apiStrings.copied : label}
    </button>`;
  }

  async #copy(key: string, code: string) {
    await navigator.clipboard.writeText(code);
    this.copiedKey = key;
    setTimeout(() => {
      this.copiedKey = undefined;
    }, 1500);
  }
}

customElements.define('tabd-requests', RequestList);
