import { css, html, LitElement, nothing } from 'lit';
import { workflowStrings } from '../../strings/workflows.ts';
import { controls } from '../../ui/styles/controls.ts';
import { switches } from '../../ui/styles/switches.ts';
import { tables } from '../../ui/styles/tables.ts';
import type { Item } from '../api-types.ts';
import { workflowStyles } from '../workflow-styles.ts';
import { toItemTable } from './item-rows.ts';

/** The most items to render: more would slow the page down. */
const MAX_ITEMS = 50;

/** The items of an output, as a table or as JSON. */
export class ItemsView extends LitElement {
  static override properties = {
    items: { attribute: false },
    label: { attribute: false },
    form: { state: true },
  };
  declare items: Item[];
  declare label: string;
  declare form: 'table' | 'json';

  static override styles = [
    controls,
    switches,
    tables,
    workflowStyles,
    css`
      .head {
        margin-bottom: 0.4rem;
      }
      .wide {
        overflow-x: auto;
        border: 1px solid var(--line);
        border-radius: 10px;
      }
      table {
        font-size: 0.82rem;
      }
      th,
      td {
        padding: 0.4rem 0.7rem;
      }
      tr:last-child td {
        border-bottom: 0;
      }
      td div {
        max-width: 28rem;
        /* Cut off, because a scrolling cell is not reachable by keyboard. The JSON shows the complete value. */
        display: -webkit-box;
        -webkit-box-orient: vertical;
        -webkit-line-clamp: 7;
        overflow: hidden;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      /* Wide tables scroll sideways, so that columns stay readable. */
      @media (max-width: 40rem) {
        td div {
          width: max-content;
          max-width: 15rem;
        }
      }
      td.none {
        color: var(--soft);
      }
      pre {
        max-height: 26rem;
        font-size: 0.78rem;
      }
      ul {
        margin: 0.5rem 0 0;
        padding-left: 1.1rem;
        font-size: 0.82rem;
      }
    `,
  ];

  constructor() {
    super();
    this.form = 'table';
  }

  override render() {
    const { items } = this;
    const shown = items.slice(0, MAX_ITEMS);
    const rest = items.length - shown.length;
    return html`<div class="head">
        <span class="soft small">${workflowStrings.node.items(items.length)}</span>
        <span class="grow"></span>
        <span class="switch" role="group" aria-label=${workflowStrings.run.view(this.label)}>
          ${this.#choice('table')}${this.#choice('json')}
        </span>
      </div>
      ${this.form === 'table' ? this.#table(shown) : this.#json(shown)}
      ${rest > 0 ? html`<p class="soft small">${workflowStrings.run.moreItems(rest)}</p>` : nothing} ${this.#files(shown)}`;
  }

  #choice(form: 'table' | 'json') {
    return html`<button
      aria-pressed=${this.form === form}
      @click=${() => {
        this.form = form;
      }}
    >
      ${workflowStrings.run[form]}
    </button>`;
  }

  #table(items: Item[]) {
    const { columns, rows } = toItemTable(items);
    if (columns.length === 0) return html`<pre tabindex="0">{}</pre>`;
    return html`<div class="wide" tabindex="0" role="region" aria-label=${this.label}>
      <table>
        <thead>
          <tr>
            ${columns.map((column) => html`<th scope="col">${column}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                ${row.map((text) =>
                  text === undefined ? html`<td class="none">–</td>` : html`<td><div>${text}</div></td>`,
                )}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
  }

  #json(items: Item[]) {
    const text = JSON.stringify(
      items.map(({ json }) => json),
      null,
      2,
    );
    return html`<pre tabindex="0"><code>${text}</code></pre>`;
  }

  #files(items: Item[]) {
    const files = items.flatMap(({ binary }) => Object.entries(binary ?? {}));
    if (files.length === 0) return nothing;
    return html`<ul aria-label=${workflowStrings.run.files}>
      ${files.map(
        ([name, { fileName, mimeType, fileSize }]) =>
          html`<li>${name}: ${[fileName, mimeType, fileSize].filter(Boolean).join(' · ')}</li>`,
      )}
    </ul>`;
  }
}

customElements.define('tabd-items', ItemsView);
