/**
 * The TEMPLATE layer that renders a model's prompts. Undefined: the chat template in its file does.
 * The TEMPLATE of a model with a RENDERER knows no roles. Ollama's built-in renderers do the same as the chat templates,
 * so tabd uses those.
 */
export function activeTemplate(
  template: string | undefined,
  renderer: string | undefined,
  chatTemplate: string | undefined,
): string | undefined {
  return renderer && chatTemplate ? undefined : template;
}
