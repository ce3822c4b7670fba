import { html, nothing, type TemplateResult } from 'lit';
import type { AppState } from '../../app-state.ts';
import { chatStrings } from '../../strings/chat.ts';
import { chatPartStrings } from '../../strings/chat-parts.ts';
import { bytes } from '../../ui/format.ts';
import { icon } from '../../ui/icon.ts';
import type { DocumentText } from '../conversation.ts';
import { documentsFit, documentsOf, USUAL_CONTEXT } from './document-size.ts';

const strings = chatPartStrings.documents;
/** A small model that finds passages. */
const EMBEDDER = 'all-minilm';

/** The documents of a message that is not sent yet, and what the model gets of them. */
export function attachedDocuments(
  app: AppState,
  documents: readonly DocumentText[],
  remove: (place: number) => void,
): TemplateResult {
  return html`<ul class="documents">
      ${documents.map(
        ({ name }, place) => html`<li>
          ${icon('file')} <span>${name}</span>
          <button
            type="button"
            class="plain round"
            aria-label=${chatStrings.removeDocument(name)}
            @click=${() => remove(place)}
          >
            ${icon('close')}
          </button>
        </li>`,
      )}
    </ul>
    ${hint(app, documents)}`;
}

function hint(app: AppState, attached: readonly DocumentText[]) {
  const { chats, embeddingModel } = app;
  const { settings } = chats.conversation;
  const contextLength = settings.num_ctx ?? app.contextLength(chats.model ?? '') ?? USUAL_CONTEXT;
  const documents = [...documentsOf(chats.shownTurns), ...attached];
  const isLong = !documentsFit(documents, contextLength);
  const isSearched = settings.documents === 'passages' || (isLong && settings.documents === undefined);
  if (embeddingModel !== undefined)
    return isSearched ? html`<p class="hint" role="status">${strings.passages(embeddingModel)}</p>` : nothing;
  if (!isLong) return nothing;
  const pull = app.pulls.active.find(({ model }) => model === EMBEDDER);
  return html`<div class="hint" role="status">
    <span>${strings.tooLong}</span>
    ${
      pull && pull.error === undefined && !pull.paused
        ? html`<span class="num">${strings.downloading(Math.floor((pull.completed / (pull.total || 1)) * 100))}</span>`
        : html`<button type="button" class="small" @click=${() => void app.pull(EMBEDDER)}>${getLabel(app)}</button>`
    }
    ${pull?.error ? html`<span class="problem">${pull.error}</span>` : nothing}
  </div>`;
}

function getLabel({ suggestions }: AppState): string {
  const size = suggestions.find(({ model }) => model.startsWith(EMBEDDER))?.size;
  return strings.getEmbedder(EMBEDDER, size === undefined ? '' : bytes(size));
}
