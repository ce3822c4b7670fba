/** All components of the app on one page. It exists in development only, and the built app leaves it out. */
import { css, html, LitElement, type TemplateResult } from 'lit';
import { type IconName, icon, PATHS } from '../ui/icon.ts';
import { menu, menuStyles } from '../ui/menu.ts';
import { controls } from '../ui/styles/controls.ts';
import { dialogs } from '../ui/styles/dialogs.ts';
import { lists } from '../ui/styles/lists.ts';
import { switches } from '../ui/styles/switches.ts';
import { tables } from '../ui/styles/tables.ts';
import { theme } from '../ui/styles/theme.ts';
import { askForText } from '../ui/text-dialog.ts';
import { toasts } from '../ui/toasts.ts';
import { startTooltips } from '../ui/tooltip/tooltips.ts';
import '../shell/toast-list.ts';

const COLORS = ['bg', 'surface', 'raised', 'sunken', 'line', 'text', 'soft', 'accent', 'good', 'bad'];
const SIZES = ['xs', 'sm', 'md', 'base', 'lg', 'xl'];

export class ComponentsPage extends LitElement {
  static override styles = [
    theme,
    controls,
    dialogs,
    lists,
    menuStyles,
    switches,
    tables,
    css`
      .row {
        margin-bottom: 0.75rem;
      }
      .colors,
      .icons {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(6.5rem, 1fr));
        gap: 0.75rem;
      }
      .colors span,
      .icons span {
        display: grid;
        justify-items: center;
        gap: 0.3rem;
        font-size: var(--text-xs);
        color: var(--soft);
      }
      .colors i {
        width: 100%;
        height: 2.5rem;
        border: 1px solid var(--line);
        border-radius: var(--radius-sm);
      }
      .fields {
        display: grid;
        gap: 1rem;
      }
    `,
  ];

  #stopTooltips: () => void = () => {};

  override connectedCallback() {
    super.connectedCallback();
    this.#stopTooltips = startTooltips();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#stopTooltips();
  }

  override render() {
    return html`<main class="view">
        <h1>Components</h1>
        <p class="soft">The styles are in <code>ui/styles</code>, the elements in <code>ui</code>.</p>
        ${this.#colors()} ${this.#type()} ${this.#buttons()} ${this.#fields()} ${this.#choices()}
        ${this.#messages()} ${this.#data()} ${this.#overlays()} ${this.#icons()}
      </main>
      <tabd-toasts></tabd-toasts>`;
  }

  #section(title: string, content: TemplateResult) {
    return html`<section><h2>${title}</h2>${content}</section>`;
  }

  #colors() {
    const swatch = (name: string) => html`<span><i style="background: var(--${name})"></i>${name}</span>`;
    return this.#section('Colors', html`<div class="colors">${COLORS.map(swatch)}</div>`);
  }

  #type() {
    const line = (size: string) =>
      html`<p style="font-size: var(--text-${size})">text-${size}: 0123456789</p>`;
    return this.#section(
      'Type',
      html`${SIZES.map(line)}
        <h2>Heading of a section</h2>
        <h3>Heading of a part</h3>
        <p class="soft small">Small and soft text, with <a href="#link">a link</a>.</p>`,
    );
  }

  #buttons() {
    return this.#section(
      'Buttons',
      html`<div class="row">
          <button>Button</button>
          <button class="primary">Primary</button>
          <button class="plain">Plain</button>
          <button class="danger">Danger</button>
          <button disabled>Disabled</button>
        </div>
        <div class="row">
          <button class="small">Small</button>
          <button class="small plain">Small and plain</button>
          <button class="round" aria-label="Add">${icon('plus')}</button>
          <button class="plain round" aria-label="Close">${icon('close')}</button>
          <button class="primary round" aria-label="Send">${icon('up')}</button>
          <a class="button" href="#link">Link as a button</a>
        </div>
        <span class="switch" role="group" aria-label="Language">
          <button aria-pressed="true">curl</button>
          <button aria-pressed="false">fetch</button>
          <button aria-pressed="false">Python</button>
        </span>`,
    );
  }

  #fields() {
    return this.#section(
      'Fields',
      html`<div class="fields">
        <label class="field">Text <input type="text" placeholder="Placeholder" /></label>
        <input class="pill" type="search" aria-label="Search" placeholder="Search" />
        <label class="field">
          Choice
          <select>
            <option>First</option>
            <option>Second</option>
          </select>
        </label>
        <label class="field">Long text <textarea></textarea></label>
        <label class="field">
          With an error
          <input type="text" aria-invalid="true" aria-describedby="wrong" value="abc" />
        </label>
        <p class="wrong" id="wrong">Enter a whole number.</p>
        <div class="setting">
          <label for="setting">Setting</label>
          <span class="hint" id="hint">A hint below the label</span>
          <input id="setting" type="text" aria-describedby="hint" placeholder="Default" />
        </div>
      </div>`,
    );
  }

  #choices() {
    return this.#section(
      'Choices',
      html`<div class="row"><label class="check"><input type="checkbox" checked /> Checkbox</label></div>
        <div class="row"><label class="check"><input type="radio" name="radio" checked /> Radio button</label></div>
        <div class="row"><label class="check"><input type="checkbox" role="switch" checked /> Switch</label></div>
        <label class="field">Slider <input type="range" min="0" max="10" value="4" /></label>`,
    );
  }

  #messages() {
    return this.#section(
      'Messages',
      html`<div class="notice row">A notice</div>
        <div class="error row">An error that says what to do next</div>
        <div class="card row">A card</div>
        <p><progress max="100" value="60" aria-label="Progress"></progress></p>
        <details>
          <summary>Details</summary>
          <p class="small">Text that is folded at first.</p>
        </details>`,
    );
  }

  #data() {
    return this.#section(
      'Data',
      html`<table>
          <thead>
            <tr><th>Method</th><th>Path</th></tr>
          </thead>
          <tbody>
            <tr><td>GET</td><td><code>/api/tags</code></td></tr>
            <tr><td>POST</td><td><code>/api/chat</code></td></tr>
          </tbody>
        </table>
        <dl class="num"><dt>Size</dt><dd>98 MB</dd><dt>Licence</dt><dd>apache-2.0</dd></dl>
        <pre tabindex="0" aria-label="Code"><code>curl http://localhost:11434/api/tags</code></pre>`,
    );
  }

  #overlays() {
    const entries = [
      { label: 'Rename', act: () => {} },
      { label: 'Delete', danger: true, act: () => {} },
    ];
    const undo = { label: 'Undo', run: () => {} };
    return this.#section(
      'Overlays',
      html`<div class="row">
          ${menu('More', entries)}
          <button @click=${() => this.renderRoot.querySelector('dialog')?.showModal()}>Dialog</button>
          <button @click=${() => askForText('New name', 'Chat')}>Question for a text</button>
          <button @click=${() => toasts.show({ text: 'Deleted “Chat”', action: undo })}>Toast</button>
        </div>
        <div class="row">
          <button aria-keyshortcuts="Control+S" data-tip="Save the changes">With a tooltip</button>
          <button class="plain round" aria-label="Undo" aria-keyshortcuts="Control+Z" data-tip="Undo">${icon('undo')}</button>
        </div>
        <dialog aria-labelledby="question">
          <p id="question"><strong>Delete all data?</strong></p>
          <form method="dialog" class="buttons">
            <button autofocus>Cancel</button>
            <button class="danger">Delete</button>
          </form>
        </dialog>`,
    );
  }

  #icons() {
    const names = Object.keys(PATHS) as IconName[];
    return this.#section(
      'Icons',
      html`<div class="icons">${names.map((name) => html`<span>${icon(name)} ${name}</span>`)}</div>`,
    );
  }
}

customElements.define('tabd-components', ComponentsPage);
