import { css, html, LitElement } from 'lit';
import { apiStrings } from '../../strings/api.ts';
import { controls } from '../../ui/styles/controls.ts';
import { tables } from '../../ui/styles/tables.ts';
import { type CoveredApi, type CoveredPath, coverage } from '../coverage.ts';

const strings = apiStrings.coverage;

/** The supported addresses of each API, and those that are not supported. */
export class CoverageTable extends LitElement {
  static override properties = { search: { state: true } };
  declare search: string;

  static override styles = [
    controls,
    tables,
    css`
      input {
        margin-top: 0.75rem;
      }
      code {
        font: 0.83rem var(--mono);
        overflow-wrap: anywhere;
      }
    `,
  ];

  constructor() {
    super();
    this.search = '';
  }

  override render() {
    return html`<input
      class="pill"
        type="text"
        aria-label=${strings.search}
        placeholder=${strings.search}
        spellcheck="false"
        .value=${this.search}
        @input=${({ target }: Event) => {
          this.search = (target as HTMLInputElement).value.trim().toLowerCase();
        }}
      />
      ${coverage.map(({ api: name, paths }) =>
        this.#api(
          name,
          paths.filter(({ path, methods }) => `${methods} ${path}`.toLowerCase().includes(this.search)),
        ),
      )}`;
  }

  #api(name: CoveredApi, paths: CoveredPath[]) {
    const answered = paths.filter((path) => path.answered).length;
    return html`<h3>${strings.apis[name]} <span class="num">(${strings.count(answered)})</span></h3>
      ${
        paths.length === 0
          ? html`<p class="soft small">${strings.noResults}</p>`
          : html`<table>
              <thead>
                <tr>
                  <th>${apiStrings.live.path}</th>
                  <th>${strings.methods}</th>
                  <th>${strings.state}</th>
                </tr>
              </thead>
              <tbody>
                ${paths.map(
                  ({ path, methods, answered: isAnswered }) => html`<tr>
                    <td><code>${path}</code></td>
                    <td>${methods === '*' ? strings.any : methods}</td>
                    <td class=${isAnswered ? '' : 'soft'}>${isAnswered ? strings.answered : strings.notSupported}</td>
                  </tr>`,
                )}
              </tbody>
            </table>`
      }`;
  }
}

customElements.define('tabd-coverage', CoverageTable);
