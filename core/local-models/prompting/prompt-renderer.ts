/** How a model's conversations become text: by its TEMPLATE layer, else by the chat template in its file. */
import { ApiError } from '#core/http';
import type { InstalledModel, ModelMetadata } from '../base/installed-model.ts';
import type { Message, ThinkLevel, Tool } from '../base/messages.ts';
import { TemplateError } from './templates/go-template/index.ts';
import { JinjaError, JinjaTemplate } from './templates/jinja/jinja-template.ts';
import { ModelTemplate } from './templates/model-template.ts';
import { templateLayer } from './templates/template-layer.ts';

export interface RenderSettings {
  tools: Tool[];
  think: boolean | ThinkLevel | undefined;
  /** Milliseconds since 1970. */
  now: number;
}

export interface PromptRenderer {
  /** The model's own chat template renders, with what belongs to that way of running. */
  readonly native: boolean;
  /** The text of the template. */
  readonly source: string;
  /** Throws ApiError 500 with what the template said. */
  render(messages: Message[], settings: RenderSettings): string;
  /** Fill in the middle, where the template can. */
  infill(prompt: string, suffix: string, settings: RenderSettings): string;
  /** The part of the answer that the conversation already holds and the prompt ends with. */
  begun(messages: Message[]): string;
}

/** `template`: given with the request, instead of the model's. Throws ApiError 500 when it cannot be parsed. */
export function promptRenderer(
  model: InstalledModel,
  metadata: ModelMetadata,
  template?: string,
): PromptRenderer {
  if (template) return goRenderer(template);
  const renderer = model.config?.renderer;
  const layer = templateLayer(model.template, renderer, metadata.chatTemplate);
  if (layer || !metadata.chatTemplate) return goRenderer(layer || '{{ .Prompt }}');
  const native = nativeRenderer(metadata.chatTemplate, metadata);
  return renderer ? { ...native, native: false, begun: () => '' } : native;
}

/** Parsing a long template costs milliseconds, and the same few are used over and over. */
const MAX_PARSED = 16;
const parsedGo = new Map<string, ModelTemplate>();
const parsedJinja = new Map<string, JinjaTemplate>();

function parsed<T>(cache: Map<string, T>, source: string, parse: () => T): T {
  const template = cache.get(source) ?? told(parse);
  cache.delete(source);
  cache.set(source, template);
  if (cache.size > MAX_PARSED) cache.delete(cache.keys().next().value!);
  return template;
}

function goRenderer(source: string): PromptRenderer {
  const template = parsed(parsedGo, source, () => new ModelTemplate(source));
  return {
    native: false,
    source,
    render: (messages, settings) => told(() => template.render({ messages, ...settings })),
    infill: (prompt, suffix, settings) =>
      told(() => template.render({ messages: [], ...settings, infill: { prompt, suffix } })),
    begun: () => '',
  };
}

function nativeRenderer(source: string, metadata: ModelMetadata): PromptRenderer {
  const template = parsed(parsedJinja, source, () => new JinjaTemplate(source));
  const render: PromptRenderer['render'] = (messages, { tools, think }) =>
    told(() =>
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
    begun: (messages) => {
      const last = messages.at(-1);
      return last?.role === 'assistant' && !last.toolCalls?.length ? last.content : '';
    },
  };
}

function told<T>(work: () => T): T {
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
