/** Renders prompts by a model's TEMPLATE layer, or by the chat template in its file. */
import { ApiError } from '#core/http';
import type { InstalledModel, ModelMetadata } from '../base/installed-model.ts';
import type { Message, ThinkLevel, Tool } from '../base/messages.ts';
import { activeTemplate } from './templates/active-template.ts';
import { TemplateError } from './templates/go-template/index.ts';
import { JinjaError, JinjaTemplate } from './templates/jinja/jinja-template.ts';
import { ModelTemplate } from './templates/model-template.ts';

export interface RenderSettings {
  tools: Tool[];
  think: boolean | ThinkLevel | undefined;
  /** Milliseconds since 1970. */
  now: number;
}

export interface PromptRenderer {
  /** Whether the chat template in the model's file is in use. Ollama treats such runs differently in some points. */
  readonly native: boolean;
  /** The source of the template. */
  readonly source: string;
  /** @throws ApiError 500 with the template's message */
  render(messages: Message[], settings: RenderSettings): string;
  /** A prompt to fill in the middle between two texts. Native templates ignore the suffix. */
  infill(prompt: string, suffix: string, settings: RenderSettings): string;
  /** The beginning of the answer that ends the prompt: the last message, if it is the assistant's. */
  answerPrefix(messages: Message[]): string;
}

/**
 * @param template the template of the request, which replaces the model's
 * @throws ApiError 500 when the template cannot be parsed
 */
export function promptRenderer(
  model: InstalledModel,
  metadata: ModelMetadata,
  template?: string,
): PromptRenderer {
  if (template) return goRenderer(template);
  const renderer = model.config?.renderer;
  const layer = activeTemplate(model.template, renderer, metadata.chatTemplate);
  if (layer || !metadata.chatTemplate) return goRenderer(layer || '{{ .Prompt }}');
  const native = nativeRenderer(metadata.chatTemplate, metadata);
  return renderer ? { ...native, native: false, answerPrefix: () => '' } : native;
}

/** The number of recently used templates that are cached. Parsing a long template takes milliseconds. */
const MAX_CACHED = 16;
const goTemplates = new Map<string, ModelTemplate>();
const jinjaTemplates = new Map<string, JinjaTemplate>();

function parseCached<T>(cache: Map<string, T>, source: string, parse: () => T): T {
  const template = cache.get(source) ?? withApiErrors(parse);
  cache.delete(source);
  cache.set(source, template);
  if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!);
  return template;
}

function goRenderer(source: string): PromptRenderer {
  const template = parseCached(goTemplates, source, () => new ModelTemplate(source));
  return {
    native: false,
    source,
    render: (messages, settings) => withApiErrors(() => template.render({ messages, ...settings })),
    infill: (prompt, suffix, settings) =>
      withApiErrors(() => template.render({ messages: [], ...settings, infill: { prompt, suffix } })),
    answerPrefix: () => '',
  };
}

function nativeRenderer(source: string, metadata: ModelMetadata): PromptRenderer {
  const template = parseCached(jinjaTemplates, source, () => new JinjaTemplate(source));
  const render: PromptRenderer['render'] = (messages, { tools, think }) =>
    withApiErrors(() =>
      template.render({
        messages,
        tools,
        think,
        bosToken: metadata.bosToken ?? '',
        eosToken: metadata.eosToken ?? '',
      }),
    );
  return {
    native: true,
    source,
    render,
    infill: (prompt, _suffix, settings) => render([{ role: 'user', content: prompt }], settings),
    answerPrefix: continuedText,
  };
}

/** The text of a last message that can be continued. Empty when there is none. */
export function continuedText(messages: Message[]): string {
  const last = messages.at(-1);
  return last?.role === 'assistant' && !last.toolCalls?.length ? last.content : '';
}

function withApiErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TemplateError) throw new ApiError(500, error.message);
    if (error instanceof JinjaError) {
      throw new ApiError(500, `the model's chat template failed: ${error.message}`);
    }
    throw error;
  }
}
