/** Renders the messages of a request as the prompt of its model. */
import { isAudioFile } from '#core/audio';
import type { Host } from '#core/host';
import type { ApiError } from '#core/http';
import { runnerError } from '../base/engine-errors.ts';
import type { InstalledModel, ModelMetadata } from '../base/installed-model.ts';
import type { Message, ThinkLevel, Tool } from '../base/messages.ts';
import type { ModelOptions } from '../base/model-options.ts';
import { insertPlaceholders, withoutPlaceholders } from '../prompting/image-placeholders.ts';
import { continuedText, promptRenderer } from '../prompting/prompt-renderer.ts';
import type { RunRequest } from '../runs/requests.ts';
import { tokensToKeep } from './sampling.ts';

/** The messages of a chat or completion, and how they become a prompt. */
export interface PromptInput {
  messages: Message[];
  tools: Tool[];
  think: boolean | ThinkLevel | undefined;
  /** Continues the last message, if it is the assistant's, whatever the template does with it. */
  continuesLast?: boolean;
  /** Replaces the model's template. */
  template?: string | undefined;
  /** Makes the last message the prompt, without a template. */
  raw?: boolean;
  /** Text after the gap that the answer fills, after the last message. */
  suffix?: string | undefined;
  /** Tokens of earlier prompts and answers, which precede the prompt. */
  context?: number[] | undefined;
  /** Return the tokens of prompt and answer with the end. */
  returnsContext?: boolean;
}

/** A rendered prompt. Its texts have a placeholder for each image. */
export interface RenderedPrompt {
  text: string;
  /** The messages that may be dropped when the prompt is too long. Empty for raw prompts and those with a suffix. */
  messages: Message[];
  render(messages: Message[]): string;
  /** All images and audio files of the messages. APIs send both in one list. */
  images: Uint8Array[];
  /** The beginning of the answer, when the last message is the assistant's and the prompt continues it. */
  prefill: string;
  /** The source of the template, which shows how to parse the answer. */
  template: string;
  /** The chat template of the model's own file renders. Ollama never cuts such prompts within a message. */
  native: boolean;
  truncate: boolean;
  shift: boolean;
  /** Tokens at the beginning that a cut retains. */
  keep: number;
}

/**
 * Renders a conversation.
 * @throws ApiError 500 for a template that fails, 400 or 500 for images that the model cannot take
 */
export function renderPrompt(
  host: Pick<Host, 'clock' | 'languageEngines'>,
  installed: InstalledModel,
  metadata: ModelMetadata,
  request: RunRequest,
  options: ModelOptions,
  conversation: PromptInput,
): RenderedPrompt {
  const { tools, think, raw = false, suffix } = conversation;
  const { messages, images } = insertPlaceholders(conversation.messages);
  const renderer = promptRenderer(installed, metadata, conversation.template);
  checkMedia(host, installed, images, renderer.native);
  const settings = { tools, think, now: host.clock.now() };
  let render = (list: Message[]) => renderer.render(list, settings);
  const isOnePiece = raw || Boolean(suffix);
  if (isOnePiece) {
    const { content } = messages.at(-1)!;
    render = () => (raw ? content : renderer.infill(content, suffix!, settings));
  }
  const droppable = isOnePiece ? [] : messages;
  let prefill = renderer.answerPrefix(droppable);
  if (conversation.continuesLast && prefill === '') {
    prefill = continuedText(droppable);
    if (prefill !== '') {
      const renderOthers = render;
      render = (list) => renderOthers(list.slice(0, -1)) + prefill;
    }
  }
  return {
    text: render(droppable),
    messages: droppable,
    render,
    images,
    prefill: withoutPlaceholders(prefill),
    template: renderer.source,
    native: renderer.native && !raw,
    truncate: request.truncate,
    shift: request.shift,
    keep: tokensToKeep(options),
  };
}

/** @throws ApiError 400 or 500 for images or audio that the model cannot take */
function checkMedia(
  host: Pick<Host, 'languageEngines'>,
  installed: InstalledModel,
  files: Uint8Array[],
  native: boolean,
): void {
  if (files.length === 0) return;
  if (!takesMedia(host, installed)) throw mediaUnsupported(native, 'image');
  const { capabilities } = installed;
  const audioFiles = files.filter(isAudioFile).length;
  if (audioFiles > 0 && !capabilities.includes('audio')) throw mediaUnsupported(native, 'audio');
  if (audioFiles < files.length && !capabilities.includes('vision')) throw mediaUnsupported(native, 'image');
}

/** The model has a projector, and an engine for its format takes images or audio. */
function takesMedia(
  { languageEngines }: Pick<Host, 'languageEngines'>,
  { files, format }: InstalledModel,
): boolean {
  const engines = languageEngines.filter((engine) => engine.formats.includes(format));
  return files.some(({ role }) => role === 'projector') && engines.some(({ media }) => media);
}

function mediaUnsupported(native: boolean, kind: 'image' | 'audio'): ApiError {
  return native
    ? runnerError(
        500,
        `${kind} input is not supported - hint: if this is unexpected, you may need to provide the mmproj`,
        'server_error',
      )
    : runnerError(
        400,
        'Multimodal data provided, but model does not support multimodal requests.',
        'invalid_request_error',
      );
}
