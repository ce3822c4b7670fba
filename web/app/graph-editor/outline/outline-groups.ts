import { css, html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { repeat } from 'lit/directives/repeat.js';
import { ObservingElement } from '../../ui/observing-element.ts';
import { controls } from '../../ui/styles/controls.ts';
import { lists } from '../../ui/styles/lists.ts';
import type { Group } from '../graph/graph.ts';
import type { GraphState } from '../state/graph-state.ts';
import { graphStrings } from '../strings.ts';

/** The list of groups in the outline. */
export class OutlineGroups extends ObservingElement<GraphState> {
  static override styles = [
    controls,
    lists,
    css`
      :host {
        display: block;
      }
      h3 {
        margin: 0 0 0.5rem;
        font-size: 0.95rem;
        font-weight: 600;
        color: var(--text);
      }
      ul {
        display: grid;
        gap: 0.6rem;
      }
      li {
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto;
        gap: 0.4rem 0.6rem;
        align-items: center;
        padding: 0.7rem 0.9rem;
        border: 1px solid var(--line);
        border-left: 5px solid var(--group, var(--line));
        border-radius: var(--radius);
        background: var(--surface);
      }
      select {
        width: auto;
      }
      p {
        grid-column: 1 / -1;
        margin: 0;
        font-size: 0.83rem;
        color: var(--soft);
      }
      .buttons {
        grid-column: 1 / -1;
        gap: 0;
        margin: 0 -0.6rem -0.3rem;
      }
    `,
  ];

  override render() {
    const { all } = this.state.groups;
    if (all.length === 0) return nothing;
    return html`<h3>${graphStrings.groups}</h3>
      <ul aria-label=${graphStrings.groups}>
        ${repeat(
          all,
          ({ id }) => id,
          (group) => this.#group(group),
        )}
      </ul>`;
  }

  protected override updated() {
    // Set as a property value: in the template, a file's color could inject other styles.
    for (const item of this.renderRoot.querySelectorAll<HTMLElement>('li')) {
      const { color } = this.state.groups.get(item.dataset.group) ?? {};
      if (color) item.style.setProperty('--group', color);
      else item.style.removeProperty('--group');
    }
  }

  #group(group: Group) {
    const { groups, graph } = this.state;
    const members = groups.members(group);
    const names = members.map((id) => this.state.nameOf(graph.nodes.get(id)!)).join(', ');
    const named: Record<string, string> = graphStrings.colors;
    const colors = Object.entries(
      group.color === undefined || Object.hasOwn(named, group.color)
        ? named
        : { ...named, [group.color]: group.color },
    );
    return html`<li data-group=${group.id} aria-label=${graphStrings.groupNamed(group.title)}>
      <input
        type="text"
        aria-label=${graphStrings.groupTitle}
        .value=${live(group.title)}
        @input=${({ target }: Event) =>
          groups.change(group.id, { title: (target as HTMLInputElement).value }, `group ${group.id}`)}
      />
      <select
        aria-label=${graphStrings.groupColor}
        @change=${({ target }: Event) =>
          groups.change(group.id, { color: (target as HTMLSelectElement).value || undefined })}
      >
        ${colors.map(
          ([color, name]) =>
            html`<option value=${color} .selected=${live((group.color ?? '') === color)}>${name}</option>`,
        )}
      </select>
      <p>${members.length > 0 ? graphStrings.groupOf(names) : graphStrings.groupEmpty}</p>
      <div class="buttons">
        <button class="plain small" ?disabled=${members.length === 0} @click=${() => this.state.select(members)}>
          ${graphStrings.groupSelect}
        </button>
        <button class="plain small" ?disabled=${members.length === 0} @click=${() => groups.fit(group.id)}>
          ${graphStrings.groupFit}
        </button>
        <button class="plain small" @click=${() => groups.remove(group.id)}>${graphStrings.groupRemove}</button>
      </div>
    </li>`;
  }
}

customElements.define('tabd-graph-groups', OutlineGroups);
