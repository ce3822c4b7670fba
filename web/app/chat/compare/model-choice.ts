import { html, nothing, type TemplateResult } from 'lit';
import type { AppState } from '../../app-state.ts';
import { chatStrings } from '../../strings/chat.ts';
import { chatPartStrings } from '../../strings/chat-parts.ts';
import { icon } from '../../ui/icon.ts';

const strings = chatPartStrings.compare;

/** The model of the next answers, and a second one while two are compared. */
export function modelChoice(app: AppState): TemplateResult {
  const { chats, chatModels = [] } = app;
  const { model, comparedModel } = chats;
  const names = chatModels.map(({ name }) => name);
  const choose = (event: Event) => {
    const chosen = (event.target as HTMLSelectElement).value;
    app.chooseModel(chosen);
    // Two equal models are not compared: they change places.
    void chats.update({ model: chosen, ...(chosen === comparedModel && { compare: model }) });
  };
  return html`<span class="pick ${comparedModel === undefined ? '' : 'two'}">
    ${names.length === 0 ? nothing : select(chatStrings.model, names, model, choose)}
    ${comparedModel === undefined ? nothing : second(app, names, comparedModel)}
  </span>`;
}

function second({ chats }: AppState, names: readonly string[], comparedModel: string) {
  const choose = (event: Event) => void chats.update({ compare: (event.target as HTMLSelectElement).value });
  const others = names.filter((name) => name !== chats.model);
  return html`<span class="soft">${strings.with}</span> ${select(strings.second, others, comparedModel, choose)}`;
}

function select(
  label: string,
  names: readonly string[],
  chosen: string | undefined,
  onChange: (event: Event) => void,
) {
  return html`<select aria-label=${label} @change=${onChange}>
    ${names.map((name) => html`<option value=${name} .selected=${name === chosen}>${name}</option>`)}
  </select>`;
}

/** A button that begins or ends the comparison. Absent while there is only one model. */
export function compareButton({ chats, chatModels = [] }: AppState): TemplateResult | typeof nothing {
  const { model, comparedModel } = chats;
  const other = chatModels.find(({ name }) => name !== model)?.name;
  if (other === undefined) return nothing;
  const isOn = comparedModel !== undefined;
  const label = isOn ? strings.end : strings.start;
  return html`<button
    type="button"
    class="plain round ${isOn ? 'on' : ''}"
    aria-label=${label}
    data-tip=${label}
    @click=${() => void chats.update({ compare: isOn ? undefined : other })}
  >
    ${icon('compare')}
  </button>`;
}
