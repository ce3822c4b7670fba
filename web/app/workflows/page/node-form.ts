import { css, html, nothing, type PropertyDeclarations } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { includesVersion, meetsConditions } from '#core/workflow-format';
import { workflowStrings } from '../../strings/workflows.ts';
import { ObservingElement } from '../../ui/observing-element.ts';
import { controls } from '../../ui/styles/controls.ts';
import { lists } from '../../ui/styles/lists.ts';
import type { NodeInfo, StoredWorkflow, WorkflowNode } from '../api-types.ts';
import { connectNodes, disconnect, removeNode, renameNode, updateNode } from '../editor/draft.ts';
import type { PageState } from '../editor/page-state.ts';
import { changedParameters, type FieldContext, nodeSettingsOf } from '../fields/field-context.ts';
import { removeButton } from '../fields/nested-fields.ts';
import { parameterFields } from '../fields/parameter-field.ts';
import { routeHash } from '../route.ts';
import { workflowStyles } from '../workflow-styles.ts';
import { formStyles } from './form-styles.ts';

const CHECKBOXES = ['retryOnFail', 'alwaysOutputData', 'executeOnce'] as const;

/** The form of the selected node. */
export class NodeForm extends ObservingElement<PageState> {
  static override properties: PropertyDeclarations = {
    ...ObservingElement.properties,
    workflows: { attribute: false },
  };
  declare workflows: Pick<StoredWorkflow, 'id' | 'name'>[];

  static override styles = [
    controls,
    lists,
    workflowStyles,
    formStyles,
    css`
      :host {
        display: block;
      }
      .name {
        font-weight: 600;
        font-size: 1.05rem;
      }
      .fields {
        margin-top: 1rem;
      }
      .kind {
        margin: 0.35rem 0 0;
      }
      ul {
        display: grid;
        gap: 0.35rem;
      }
      li {
        display: flex;
        align-items: center;
        gap: 0.4rem;
        font-size: 0.9rem;
      }
      details.settings {
        border-top: 1px solid var(--line);
        padding-top: 0.9rem;
      }
      details.settings > div {
        display: grid;
        gap: 0.8rem;
        margin-top: 0.8rem;
      }
    `,
  ];

  override render() {
    const { node } = this.state;
    if (!node) return html`<p class="soft">${workflowStrings.node.select}</p>`;
    const info = this.state.typeOf(node);
    return keyed(
      node.id,
      html`<div class="head">
          <input
            class="name"
            type="text"
            aria-label=${workflowStrings.name}
            .value=${node.name}
            @change=${({ target }: Event) => this.#rename(node, target as HTMLInputElement)}
          />
        </div>
        <div class="head kind">
          <span class="soft small">${info?.label ?? node.type} · ${workflowStrings.node.version(node.typeVersion)}</span>
          ${node.disabled ? html`<span class="badge">${workflowStrings.node.disabled}</span>` : nothing}
          <span class="grow"></span>
          <button class="small" @click=${() => this.#set(node, { disabled: !node.disabled })}>
            ${node.disabled ? workflowStrings.node.enable : workflowStrings.node.disable}
          </button>
          <button class="small danger" @click=${() => this.state.change((draft) => removeNode(draft, node.name))}>
            ${workflowStrings.node.remove}
          </button>
        </div>
        <div class="fields">
          ${this.#issues(node)}
          ${info ? this.#fields(node, info) : html`<p class="notice">${workflowStrings.node.unknown(node.type)}</p>`}
          ${this.#connections(node)} ${this.#settings(node)}
        </div>`,
    );
  }

  #issues({ name }: WorkflowNode) {
    const problems = this.state.note?.problems.filter(({ node }) => node === name) ?? [];
    if (problems.length === 0) return nothing;
    return html`<div class="error" role="alert">
      ${problems.flatMap(({ issues }) => issues.map((issue) => html`<div>${issue}</div>`))}
    </div>`;
  }

  #fields(node: WorkflowNode, info: NodeInfo) {
    const settings = nodeSettingsOf(node, info);
    const { state } = this;
    const context: FieldContext = {
      node,
      settings,
      previewAt: (path) => state.previews.get(path),
      hasData: state.lastRun?.data != null,
      workflows: this.workflows ?? [],
      set: (path, value, mergeKey) =>
        state.change((draft) => {
          const now = draft.nodes.find(({ name }) => name === node.name);
          return now
            ? updateNode(draft, node.name, { parameters: changedParameters(now, path, value) })
            : draft;
        }, mergeKey && `${node.id} ${mergeKey}`),
    };
    return html`${parameterFields(context, info.parameters, [])} ${this.#credentials(node, info, context)}`;
  }

  #credentials(node: WorkflowNode, { credentials }: NodeInfo, { settings }: FieldContext) {
    const uses = credentials.filter(
      ({ versions, show }) => includesVersion(node.typeVersion, versions) && meetsConditions(show, settings),
    );
    return uses.map(({ type }) => {
      const chosen = node.credentials?.[type];
      const fitting = this.state.credentials.filter((credential) => credential.type === type);
      const isListed = chosen !== undefined && fitting.some(({ id }) => id === chosen.id);
      const choose = ({ target }: Event) => {
        const { value } = target as HTMLSelectElement;
        const found = fitting.find(({ id }) => id === value);
        const { [type]: _former, ...others } = node.credentials ?? {};
        this.#set(node, {
          credentials: found ? { ...others, [type]: { id: found.id, name: found.name } } : others,
        });
      };
      return html`<div class="field">
        <label for="credential-${type}">${workflowStrings.node.credential}: ${this.state.credentialLabels[type] ?? type}</label>
        <select id="credential-${type}" @change=${choose}>
          <option value="" .selected=${!chosen}>${workflowStrings.node.noCredential}</option>
          ${chosen && !isListed ? html`<option value="?" selected>${workflowStrings.node.missingCredential(chosen.name)}</option>` : nothing}
          ${fitting.map(({ id, name }) => html`<option value=${id} .selected=${id === chosen?.id}>${name}</option>`)}
        </select>
        <p class="hint"><a href=${routeHash({ screen: 'credentials' })}>${workflowStrings.node.newCredential}</a></p>
      </div>`;
    });
  }

  #connections(node: WorkflowNode) {
    const { state } = this;
    const { draft } = state;
    if (!draft) return nothing;
    const outputs = state.outputsOf(node, workflowStrings.node.errorOutput);
    const others = draft.nodes.filter(
      (candidate) => candidate.name !== node.name && state.inputsOf(candidate) > 0,
    );
    return html`<fieldset>
      <legend>${workflowStrings.node.connectedTo}</legend>
      ${outputs.map((label, output) => {
        const targets = draft.connections[node.name]?.main?.[output] ?? [];
        const title =
          outputs.length > 1 ? workflowStrings.node.output(label) : workflowStrings.node.connectedTo;
        return html`<div class="field" role="group" aria-label=${title}>
          ${outputs.length > 1 ? html`<span class="hint">${workflowStrings.node.output(label)}</span>` : nothing}
          ${targets.length === 0 ? html`<p class="hint">${workflowStrings.node.noConnection}</p>` : nothing}
          <ul>
            ${targets.map(
              (target) =>
                html`<li>
                  <button class="link" @click=${() => state.select(target.node)}>${target.node}</button>
                  ${target.index > 0 ? html`<span class="soft">${workflowStrings.node.input(target.index + 1)}</span>` : nothing}
                  ${removeButton(
                    target.node,
                    () => state.change((now) => disconnect(now, node.name, output, target)),
                    workflowStrings.node.disconnect(target.node),
                  )}
                </li>`,
            )}
          </ul>
          <select
            class="add"
            aria-label="${title}: ${workflowStrings.node.connect}"
            @change=${({ target }: Event) => {
              const select = target as HTMLSelectElement;
              const [name, index] = JSON.parse(select.value) as [string, number];
              select.selectedIndex = 0;
              state.change((now) =>
                connectNodes(now, node.name, output, { node: name, type: 'main', index }),
              );
            }}
          >
            <option>${workflowStrings.node.connect}</option>
            ${others.flatMap((candidate) =>
              Array.from({ length: state.inputsOf(candidate) }, (_, index) => {
                const many = state.inputsOf(candidate) > 1;
                return html`<option value=${JSON.stringify([candidate.name, index])}>
                  ${candidate.name}${many ? ` (${workflowStrings.node.input(index + 1)})` : ''}
                </option>`;
              }),
            )}
          </select>
        </div>`;
      })}
    </fieldset>`;
  }

  #settings(node: WorkflowNode) {
    return html`<details class="settings">
      <summary>${workflowStrings.node.settings}</summary>
      <div>
        <div class="field">
          <label for="on-error">${workflowStrings.node.onError}</label>
          <select
            id="on-error"
            @change=${({ target }: Event) => {
              const { value } = target as HTMLSelectElement;
              this.#set(node, { onError: value as NonNullable<WorkflowNode['onError']> });
            }}
          >
            ${Object.entries(workflowStrings.node.onErrorChoices).map(
              ([value, label]) =>
                html`<option value=${value} .selected=${value === (node.onError ?? 'stopWorkflow')}>${label}</option>`,
            )}
          </select>
        </div>
        <div class="checks">
          ${CHECKBOXES.map(
            (name) =>
              html`<label class="check"
                ><input
                  type="checkbox"
                  .checked=${node[name] === true}
                  @change=${({ target }: Event) => this.#set(node, { [name]: (target as HTMLInputElement).checked })}
                />
                ${workflowStrings.node[name]}</label
              >`,
          )}
        </div>
        <div class="field">
          <label for="notes">${workflowStrings.node.notes}</label>
          <textarea
            id="notes"
            rows="2"
            .value=${node.notes ?? ''}
            @change=${({ target }: Event) => this.#set(node, { notes: (target as HTMLTextAreaElement).value })}
          ></textarea>
        </div>
      </div>
    </details>`;
  }

  #set({ name }: WorkflowNode, part: Partial<WorkflowNode>) {
    this.state.change((draft) => updateNode(draft, name, part));
  }

  #rename({ name }: WorkflowNode, input: HTMLInputElement) {
    const newName = input.value.trim();
    this.state.change((draft) => renameNode(draft, name, newName));
    if (this.state.draft?.nodes.some((candidate) => candidate.name === newName)) this.state.select(newName);
    else input.value = name;
  }
}

customElements.define('tabd-node-form', NodeForm);
