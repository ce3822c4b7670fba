import { css, html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { type RequestNote, requestChannel, WATCH_DURATION, type WatchMessage } from '#relay';
import { apiStrings } from '../strings/api.ts';
import { AppElement } from '../ui/app-element.ts';
import { bytes } from '../ui/format.ts';
import { controls } from '../ui/styles/controls.ts';
import { switches } from '../ui/styles/switches.ts';
import { tables } from '../ui/styles/tables.ts';
import { type LoggedRequest, withRequestNote } from './logged-requests.ts';
import { curlCommand, fetchCode, pythonCode } from './request-code.ts';
import { filterRequests, hasFailed, type RequestStates, type TimeBar, timeBars } from './request-filter.ts';

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
    text: { state: true },
    states: { state: true },
  };
  /** Words that the shown requests contain. */
  declare text: string;
  declare states: RequestStates;
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
    switches,
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
        td:empty,
        td.time {
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
      .filter {
        display: flex;
        flex-wrap: wrap;
        gap: 0.6rem;
        margin-bottom: 0.5rem;
      }
      .filter input {
        flex: 1 1 12rem;
      }
      .time {
        min-width: 7rem;
      }
      .bar {
        display: flex;
        height: 0.5rem;
        min-width: 2px;
        color: var(--accent);
      }
      .bar i {
        flex: none;
        background: currentColor;
      }
      .bar .wait {
        min-width: 2px;
        opacity: 0.4;
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
    this.text = '';
    this.states = 'all';
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
    const shown = filterRequests(this.requests, this.text, this.states);
    const bars = timeBars(shown);
    return html`${this.#filter()}
      ${shown.length === 0 ? html`<p class="soft">${strings.noMatch}</p>` : nothing}
      <div class="scroll" tabindex="0" role="region" aria-label=${strings.heading}>
        <table role="table">
          <thead role="rowgroup">
            <tr role="row">
              <th role="columnheader">${strings.method}</th>
              <th role="columnheader">${strings.path}</th>
              <th role="columnheader">${strings.status}</th>
              <th role="columnheader" class="time" aria-description=${strings.timelineTitle} data-tip=${strings.timelineTitle}>${strings.timeline}</th>
              <th role="columnheader" class="end">${strings.time}</th>
              <th role="columnheader" class="end">${strings.size}</th>
              <th role="columnheader" class="end" aria-description=${strings.tokensTitle} data-tip=${strings.tokensTitle}>${strings.tokens}</th>
            </tr>
          </thead>
          <tbody role="rowgroup">
            ${repeat(
              shown,
              ({ id }) => id,
              (request, at) => this.#row(request, bars[at]!),
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

  #filter() {
    const states: RequestStates[] = ['all', 'failed', 'running'];
    return html`<div class="filter">
      <input
        class="pill"
        type="search"
        aria-label=${strings.filter}
        placeholder=${strings.filter}
        .value=${this.text}
        @input=${(event: Event) => {
          this.text = (event.target as HTMLInputElement).value;
        }}
      />
      <span class="switch" role="group" aria-label=${strings.states}>
        ${states.map(
          (state) =>
            html`<button
              aria-pressed=${state === this.states}
              @click=${() => {
                this.states = state;
              }}
            >
              ${strings.state[state]}
            </button>`,
        )}
      </span>
    </div>`;
  }

  #row(request: LoggedRequest, { before, waiting, answering }: TimeBar) {
    const { id, method, path, status, ms, bytes: size, error, finished, listener } = request;
    const open = this.openedId === id;
    const failed = hasFailed(request);
    return html`<tr role="row">
        <td role="cell">${method}</td>
        <td class="path" role="cell">
          <button
            class="plain"
            data-tip=${path}
            aria-expanded=${open}
            @click=${() => {
              this.openedId = open ? undefined : id;
            }}
          >
            ${path}
          </button>
        </td>
        <td role="cell" class=${failed ? 'bad' : ''}>${status ?? strings.waiting}${finished || status === undefined ? nothing : '…'}</td>
        <td class="time" role="cell">
          <span class="bar ${failed ? 'bad' : ''}" style="margin-left: ${before}%">
            <i class="wait" style="width: ${waiting}%"></i><i style="width: ${answering}%"></i>
          </span>
        </td>
        <td class="num end" role="cell">${ms === undefined ? '' : strings.duration(ms)}</td>
        <td class="num end" role="cell">${size === undefined ? '' : bytes(size)}</td>
        <td class="num end" role="cell">${request.tokens ? strings.counts(request.tokens) : ''}</td>
      </tr>
      ${
        open
          ? html`<tr class="opened" role="row">
              <td class="more" colspan="7" role="cell">
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
                        ${this.#copyButton(`python ${id}`, strings.python, pythonCode(request, `http://${this.address}`))}
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
